"""Other tools' result tables as figures to store: which formats can be imported, and a reading as one table.

Pure. Used by `cli.importing`; the store writes what comes out. Cells are the reader's values.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping
from typing import Any

from readers.formats import FORMATS
from readers.reading import Format, Reading, Row
from store.errors import Exit, LabError
from store.figures import FigureColumn, FiguresRecord, FigureTable

AUTO = "auto"
_RESULTS = ("ucx_perftest", "perftest", "perftest_json", "nixlbench", "message_sweep", "velo_sweep")
_KEYS = frozenset(
    "size_bytes block_size_bytes batch_size window iterations op memory series rep path pinned final".split()  # noqa: SIM905
)
_UNITS = {
    "_gbit_per_second": "Gb/s",
    "_mib_per_second": "MiB/s",
    "_gib_per_second": "GiB/s",
    "_gb_per_second": "GB/s",
    "_mega_per_second": "M/s",
    "_per_second": "1/s",
    "_percent": "%",
    "_bytes": "B",
    "_us": "us",
}


def importable() -> tuple[str, ...]:
    """The formats whose results can be imported."""
    return _RESULTS


def read_for_import(kind: str, name: str, data: bytes) -> tuple[FiguresRecord, dict[str, list[Mapping[str, str]]]]:
    """Record and rows of `data`, the content of the file `name`. LabError (exit 2) when it is not of the format."""
    text = data.decode("utf-8", errors="replace")
    format_ = _format(kind, text, name)
    reading = format_.read(text)
    if not reading.rows:
        raise LabError(f"{name}: no result row of {format_.kind} in it", exit_code=Exit.USAGE)
    columns = list(dict.fromkeys(key for row in reading.rows for key in row))
    table = FigureTable(
        id="results",
        title=f"Results of {format_.kind}",
        columns=[_column(column) for column in columns],
        statistic="as the tool prints it",
        place=f"from {name}",
        note="; ".join(reading.notes()) or None,
    )
    record = FiguresRecord(
        name=format_.kind,
        title=f"{format_.title}, imported from {name}",
        facts=_facts(reading, name, data),
        tables=[table],
    )
    return record, {"results": [{column: _cell(row, column) for column in columns} for row in reading.rows]}


def _format(kind: str, text: str, name: str) -> Format:
    able = {format_.kind: format_ for format_ in FORMATS if format_.kind in _RESULTS}
    known = ", ".join(_RESULTS)
    if kind == AUTO:
        found = [format_ for format_ in able.values() if format_.sign.search(text) and format_.read(text).rows]
        if not found:
            raise LabError(f"{name}: no result of a known tool", advice=f"formats: {known}", exit_code=Exit.USAGE)
        return found[0]
    if kind not in able:
        near = difflib.get_close_matches(kind, able, n=1)
        advice = f"did you mean {near[0]}? formats: {known}" if near else f"formats: {known}, or {AUTO}"
        raise LabError(f"no import format is called {kind!r}", advice=advice, exit_code=Exit.USAGE)
    if not able[kind].sign.search(text):
        raise LabError(f"{name}: not {able[kind].title}", advice="`./rdmalab explain FILE` says what it is",
                       exit_code=Exit.USAGE)  # fmt: skip
    return able[kind]


def _column(name: str) -> FigureColumn:
    suffix = next((ending for ending in _UNITS if name.endswith(ending)), "")
    title = name.removesuffix(suffix).replace("_", " ") or name
    role = "key" if name in _KEYS else "note" if name == "reason" else "figure"
    return FigureColumn(name=name, title=title, unit=_UNITS.get(suffix, ""), role=role)


def _cell(row: Row, column: str) -> str:
    value = row.get(column)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _facts(reading: Reading, name: str, data: bytes) -> dict[str, str | None]:
    facts: dict[str, str | None] = {"file": name, "sha256 of the file": hashlib.sha256(data).hexdigest()}
    settings: Mapping[str, Any] = reading.facts.get("settings", {})
    facts |= {str(key): None if value is None else str(value) for key, value in settings.items()}
    facts |= {f"{finding.level} {n}": finding.cause for n, finding in enumerate(reading.findings, start=1)}
    return facts
