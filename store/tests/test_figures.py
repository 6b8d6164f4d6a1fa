"""Figures of others in the store: the published ones are whole, an import is read-only, a broken folder is named."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from store.audit import audit_run
from store.errors import Exit, LabError
from store.figures import FigureColumn, FiguresRecord, FigureTable, is_figures, open_figures, store_import
from store.index import RunIndex
from store.integrity import check_integrity
from store.names import PUBLISHED, find_run
from store.records import ToolVersion
from store.setup_keys import class_of
from store.write import set_writable

NAMES = ("velo_rdma", "one_vs_two_sided")
TOOL = ToolVersion(version="0.0.0")


def imported(store: Path) -> Path:
    table = FigureTable(
        id="results",
        title="Results",
        columns=[FigureColumn(name="size_bytes", title="size", role="key"), FigureColumn(name="x_us", title="x")],
    )
    record = FiguresRecord(name="some_tool", title="some tool", tables=[table])
    rows = {"results": [{"size_bytes": "8", "x_us": "1.50"}, {"size_bytes": "16", "x_us": ""}]}
    moment = datetime(2026, 5, 1, 12, tzinfo=UTC)
    return store_import(store, record=record, rows=rows, originals={"out.txt": b"8 1.50\n"}, moment=moment, tool=TOOL)


@pytest.mark.parametrize("name", NAMES)
def test_published_figures_are_as_sealed_and_found_by_name(name: str) -> None:
    path = find_run(f"published/{name}", Path("/nowhere"))
    assert path == PUBLISHED / name
    assert check_integrity(path).status == "ok"
    figures = open_figures(path)
    assert figures.name == f"published/{name}"
    assert all(figures.rows[table.id] for table in figures.record.tables)
    assert {key for setup in figures.setup.values() for key in setup.before if class_of(key)}


def test_an_import_is_whole_read_only_and_keeps_the_file(tmp_path: Path) -> None:
    path = imported(tmp_path / "runs")
    assert path.name.startswith("20260501T120000Z-imported_some_tool-")
    assert [entry.name for entry in (tmp_path / "runs").iterdir()] == [path.name]
    assert (path / "original" / "out.txt").read_bytes() == b"8 1.50\n"
    assert not any(entry.stat().st_mode & 0o222 for entry in (path, *path.rglob("*")))
    figures = open_figures(path)
    assert figures.rows["results"] == ({"size_bytes": "8", "x_us": "1.50"}, {"size_bytes": "16", "x_us": ""})
    row = audit_run(path)
    assert (row.kind, row.state, row.integrity.status) == ("imported", "done", "ok")


def test_an_import_is_listed_with_the_runs(tmp_path: Path) -> None:
    path = imported(tmp_path / "runs")
    with RunIndex.open(tmp_path / "runs", tmp_path / "cache") as index:
        index.refresh()
        rows = index.rows([])
    assert [(row.name, row.status, row.experiment) for row in rows] == [(path.name, "done", "some_tool")]


def test_a_changed_figure_is_named(tmp_path: Path) -> None:
    copy = tmp_path / "velo_rdma"
    shutil.copytree(PUBLISHED / "velo_rdma", copy)
    table = copy / "tables" / "warm_pair.csv"
    table.write_text(table.read_text().replace("4096,108,", "4096,98,"))
    row = audit_run(copy)
    assert (row.holds, str(row.integrity.findings[0])) == (False, "tables/warm_pair.csv changed after the run")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda path: (path / "tables" / "results.csv").unlink(), "results.csv"),
        (lambda path: (path / "tables" / "results.csv").write_text("size_bytes,y\n1,2\n"), "its columns are not"),
        (lambda path: (path / "tables" / "results.csv").write_text("size_bytes,x_us\n1\n"), "another number of cells"),
        (lambda path: (path / "figures.json").write_text("{"), "not JSON"),
        (lambda path: (path / "figures.json").write_text('{"format": "rdmalab.figures", "version": 9}'), "version 9"),
        (lambda path: (path / "manifest.json").write_text("{}"), "manifest.json"),
    ],
)
def test_broken_figures_are_refused_with_the_place(tmp_path: Path, damage: object, words: str) -> None:
    path = imported(tmp_path / "runs")
    set_writable(path, True)
    damage(path)  # type: ignore[operator]
    with pytest.raises(LabError, match=words):
        open_figures(path)
    assert audit_run(path).state == "unreadable"


def test_a_folder_without_figures_is_none(tmp_path: Path) -> None:
    assert not is_figures(tmp_path)
    with pytest.raises(LabError) as refused:
        open_figures(tmp_path)
    assert refused.value.exit_code == Exit.USAGE
