"""Figures of others as read-only runs: published results in `store/published/`, imported outputs of other tools.

A folder holds `figures.json` (what it is and where it comes from, the tables' columns, the claims), `tables/*.csv` with
each cell as printed, `setup/<node>.json`, for an import the file itself under `original/`, and `manifest.json` of kind
`published` or `imported`. There are no raw samples. Read by reports, audit and the tests; written by `cli.import`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import Field

from store import durable, names
from store.errors import Exit, LabError
from store.json_file import read_model, write_object
from store.records import Counts, Manifest, Record, SetupRecord, ToolVersion
from store.write import digest, digests, set_writable, utc_text

FIGURES = "figures.json"


class FigureColumn(Record):
    """One column: its name in the CSV file, its heading, its unit ("" for none), what it is.

    role: key (what a row is about), figure (measured by them), derived (worked out by them from figures), note.
    """

    name: str
    title: str
    unit: str = ""
    role: Literal["key", "figure", "derived", "note"] = "figure"


class FigureTable(Record):
    """One table as printed: `statistic` and `place` say what a figure is and where it was taken."""

    id: str
    title: str
    columns: list[FigureColumn]
    statistic: str | None = None
    place: str | None = None
    note: str | None = None

    @property
    def file(self) -> str:
        """Its file inside the folder."""
        return f"tables/{self.id}.csv"


class Claim(Record):
    """One claim of the source, restated."""

    id: str
    text: str


class FiguresRecord(Record):
    """figures.json. `facts` are statements about the measurement as a whole; None where the source states no value."""

    format: Literal["rdmalab.figures"] = "rdmalab.figures"
    version: Literal[1] = 1
    name: str
    title: str
    software: str | None = None
    measured_on: str | None = None
    facts: dict[str, str | None] = Field(default_factory=dict)
    tables: list[FigureTable]
    claims: list[Claim] = Field(default_factory=list)
    not_measured: list[str] = Field(default_factory=list)


@dataclass(frozen=True)
class Figures:
    """A folder of figures, opened: `rows` has each table's rows, cells as printed (an empty cell is not printed)."""

    path: Path
    record: FiguresRecord
    rows: Mapping[str, tuple[Mapping[str, str], ...]]
    setup: Mapping[str, SetupRecord]
    manifest: Manifest

    @property
    def name(self) -> str:
        """As a person names it: `published/velo_rdma`, or the folder of an import."""
        return f"published/{self.path.name}" if self.manifest.kind == "published" else self.path.name


def is_figures(path: Path) -> bool:
    """Whether a run folder holds figures of others instead of samples."""
    return (path / FIGURES).is_file()


def open_figures(path: Path) -> Figures:
    """Open a folder of figures. LabError when it is none, or a table lacks a column that its record names."""
    if not is_figures(path):
        raise LabError(f"{path}: no figures of others, it has no {FIGURES}", exit_code=Exit.USAGE)
    record = read_model(path / FIGURES, FiguresRecord)
    rows = {table.id: tuple(_rows(path / table.file, table)) for table in record.tables}
    setup = {file.stem: read_model(file, SetupRecord) for file in sorted((path / "setup").glob("*.json"))}
    return Figures(path, record, rows, setup, read_model(path / "manifest.json", Manifest))


def write_figures(
    folder: Path,
    record: FiguresRecord,
    rows: Mapping[str, Sequence[Mapping[str, str]]],
    setup: Sequence[SetupRecord] = (),
    originals: Mapping[str, bytes] | None = None,
) -> None:
    """Write all but the manifest into `folder`, which must be new or empty."""
    durable.make_folder(folder / "tables")
    write_object(folder / FIGURES, record)
    for table in record.tables:
        durable.write_file(folder / table.file, _csv(table, rows[table.id]).encode())
    for node in setup:
        write_object(durable.make_folder(folder / "setup") / f"{node.node}.json", node)
    for name, data in (originals or {}).items():
        durable.write_file(durable.make_folder(folder / "original") / name, data)


def seal_figures(
    folder: Path, kind: Literal["published", "imported"], experiment: str, moment: datetime | None, tool: ToolVersion
) -> Manifest:
    """Write the manifest over all files of `folder` and, for an import, make the folder read-only.

    `moment`: when it was measured (published, None where the source does not say) or imported.
    """
    when = "not stated" if moment is None else utc_text(moment)
    manifest = Manifest(
        run=folder.name,
        kind=kind,
        experiment=experiment,
        status="done",
        exit=0,
        plan_sha256=digest(folder / FIGURES).sha256,
        started_utc=when,
        ended_utc=when,
        counts=Counts(blocks_planned=0, blocks_done=0, samples_planned=0, samples=0, failed=0),
        tool=tool,
        files=digests(folder),
    )
    write_object(folder / "manifest.json", manifest)
    if kind == "imported":
        set_writable(folder, False)
    return manifest


def store_import(
    store: Path,
    *,
    record: FiguresRecord,
    rows: Mapping[str, Sequence[Mapping[str, str]]],
    originals: Mapping[str, bytes],
    moment: datetime,
    tool: ToolVersion,
) -> Path:
    """A new read-only run of kind `imported`; it appears under its name only when it is whole. Returns its folder."""
    durable.make_folder(store)
    name = names.new_name(f"imported_{record.name}", moment)
    hidden = store / f".new-{name}" / name
    try:
        write_figures(hidden, record, rows, originals=originals)
        seal_figures(hidden, "imported", record.name, moment, tool)
        # A folder's own name can change only while the folder is writable.
        hidden.chmod(0o755)
        hidden.rename(store / name)
        (store / name).chmod(0o555)
        hidden.parent.rmdir()
        durable.sync_folder(store)
    except OSError as error:
        raise durable.cannot_write(store / name, error) from error
    return store / name


def _rows(file: Path, table: FigureTable) -> list[Mapping[str, str]]:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"cannot read {file}: {error}") from error
    reader = csv.DictReader(io.StringIO(text))
    names = [column.name for column in table.columns]
    if reader.fieldnames is None or list(reader.fieldnames) != names:
        raise LabError(f"{file}: its columns are not those that {FIGURES} names: {', '.join(names)}")
    rows: list[Mapping[str, str]] = []
    for line, row in enumerate(reader, start=2):
        if None in row or None in row.values():
            raise LabError(f"{file}:{line}: another number of cells than columns")
        rows.append(row)
    return rows


def _csv(table: FigureTable, rows: Sequence[Mapping[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=[column.name for column in table.columns], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
