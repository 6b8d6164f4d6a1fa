"""The disposable index: what it lists, what it filters, and that it follows the store."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from store.errors import Exit, LabError
from store.facts import said
from store.index import Filter, RunIndex
from store.records import OriginRecord, SetupRecord, ToolVersion
from store.write import Outcome, RunWriter, set_writable

MOMENT = datetime(2026, 11, 30, 10, 15, tzinfo=UTC)
UTC_TEXT = "2026-11-30T10:15:00.000Z"
TOOL = ToolVersion(version="0")


def add_run(store: Path, lane: str, firmware: str) -> str:
    plan = {"format": "rdmalab.plan", "version": 1, "experiment": "tiny", "lane": {"name": lane}, "blocks": []}
    binding = {"format": "rdmalab.binding", "version": 1, "site": "local"}
    origin = OriginRecord(started_utc=UTC_TEXT, command=["run"], tool=TOOL)
    writer = RunWriter.create(
        store, plan=json.dumps(plan).encode(), binding=binding, origin=origin, experiment="tiny", started=MOMENT
    )
    facts = {"nic.mlx5_0.firmware": said(firmware, "x"), "cpu.load": said(0.5, "y"), "numa.nodes": said(2, "z")}
    writer.put_setup(SetupRecord(node="n1", before=facts))
    writer.seal(Outcome("done", 0, None, None, UTC_TEXT, TOOL), MOMENT)
    return writer.path.name


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "runs"


def listed(store: Path, *filters: str) -> list[str]:
    with RunIndex.open(store, store.parent / "cache") as index:
        index.refresh()
        return [row.name for row in index.rows([Filter.parse(text) for text in filters])]


def test_runs_are_listed_and_filtered_by_column_and_by_fact(store: Path) -> None:
    one, two = add_run(store, "tcp", "28.43"), add_run(store, "shm", "28.45")
    assert listed(store) == sorted([one, two])
    assert listed(store, "lane=tcp") == [one]
    assert listed(store, "nic.firmware=28.45") == [two]
    assert listed(store, "nic.mlx5_*.firmware=28.4*") == sorted([one, two])
    assert listed(store, "numa.nodes=2", "lane=shm") == [two]


def test_a_run_that_goes_changes_or_breaks_is_followed(store: Path) -> None:
    one, two = add_run(store, "tcp", "1"), add_run(store, "tcp", "2")
    assert len(listed(store)) == 2
    set_writable(store / one, True)
    (store / one / "manifest.json").write_text("{")
    with RunIndex.open(store, store.parent / "cache") as index:
        index.refresh()
        assert [row.name for row in index.rows([Filter("status", "unreadable")])] == [one]
    (store / two).rename(store.parent / "gone")
    assert listed(store) == [one]


def test_a_damaged_index_is_made_anew(store: Path) -> None:
    name = add_run(store, "tcp", "1")
    listed(store)
    (file,) = (store.parent / "cache").glob("*.sqlite")
    file.write_bytes(b"not a database, but long enough to be read as one" * 100)
    assert listed(store) == [name]


def test_nothing_is_read_again_that_has_not_changed(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_run(store, "tcp", "1")
    listed(store)
    monkeypatch.setattr("store.index.open_run", lambda path: pytest.fail(f"{path} was read again"))
    assert len(listed(store)) == 1


@pytest.mark.parametrize("text", ["lane", "=tcp", "lane=", ""])
def test_what_is_no_filter_is_refused(text: str) -> None:
    with pytest.raises(LabError) as caught:
        Filter.parse(text)
    assert caught.value.exit_code == Exit.USAGE


def test_a_fact_that_no_run_has_is_said(store: Path) -> None:
    add_run(store, "tcp", "1")
    with pytest.raises(LabError, match="no run has a setup fact 'weather'"):
        listed(store, "weather=fine")
