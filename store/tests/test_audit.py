"""What the audit says of a run from its own files."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from store.audit import audit_run
from store.records import OriginRecord, ToolVersion
from store.write import Outcome, RunWriter, set_writable

MOMENT = datetime(2026, 11, 30, 10, 15, tzinfo=UTC)
UTC_TEXT = "2026-11-30T10:15:00.000Z"
TOOL = ToolVersion(version="0")
PLAN = {
    "format": "rdmalab.plan",
    "version": 1,
    "experiment": "tiny",
    "blocks": [{"pair": 0, "rep": rep, "warmup": False, "cells": [0, 1]} for rep in range(2)],
}


def sealed(store: Path, *, staging: list[str], verdicts: list[str], waived: tuple[str, ...] = ()) -> Path:
    writer = RunWriter.create(
        store,
        plan=json.dumps(PLAN).encode(),
        binding={"format": "rdmalab.binding", "version": 1},
        origin=OriginRecord(started_utc=UTC_TEXT, command=["run"], tool=TOOL),
        experiment="tiny",
        started=MOMENT,
    )
    for block, verdict in enumerate(verdicts):
        _, folder = writer.pair_folder()
        lines: list[dict[str, object]] = [{"kind": "sample", "block": block, "staging_reason": why} for why in staging]
        lines.append({"kind": "block", "block": block, "samples": len(staging), "failed": 0})
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        (folder / "samples.jsonl").write_text(text)
        (folder / "consumer.json").write_text(json.dumps({"lane_check": {"verdict": verdict}}))
    writer.seal(Outcome("done", 0, None, None, UTC_TEXT, TOOL, waived), MOMENT)
    set_writable(writer.path, True)
    return writer.path


def test_a_good_run_holds(tmp_path: Path) -> None:
    row = audit_run(sealed(tmp_path, staging=["ok", "ok"], verdicts=["accepted", "accepted"]))
    assert row.holds
    assert (row.integrity.status, row.complete, row.lane, row.staging) == ("ok", "2/2", "accepted", "as asked")
    assert row.notes == ()


@pytest.mark.parametrize(
    ("verdicts", "lane", "complete"),
    [(["accepted", "refused"], "refused", "2/2"), (["unproven"], "unproven", "1/2"), ([], "absent", "0/2")],
)
def test_the_worst_pair_speaks_for_the_lane(tmp_path: Path, verdicts: list[str], lane: str, complete: str) -> None:
    row = audit_run(sealed(tmp_path, staging=["ok"], verdicts=verdicts))
    assert (row.lane, row.complete) == (lane, complete)


def test_staging_that_was_not_as_asked_is_counted(tmp_path: Path) -> None:
    row = audit_run(sealed(tmp_path, staging=["ok", "budget", "kill_switch"], verdicts=["accepted"]))
    assert row.staging == "2 not as asked"


def test_a_mark_across_two_pieces_is_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sealed(tmp_path, staging=["ok", "budget", "ok"], verdicts=["accepted"])
    for size in range(25, 60):
        monkeypatch.setattr("store.audit.PIECE_BYTES", size)
        assert audit_run(path).staging == "1 not as asked"


def test_an_edited_file_and_a_waived_requirement_are_told(tmp_path: Path) -> None:
    path = sealed(tmp_path, staging=["ok"], verdicts=["accepted"], waived=("memlock_for_plan",))
    assert "waived: memlock_for_plan" in audit_run(path).notes
    (path / "pairs" / "0" / "samples.jsonl").write_text("")
    row = audit_run(path)
    assert not row.holds
    assert "pairs/0/samples.jsonl changed after the run" in row.notes
    assert json.loads(json.dumps(row.as_json()))["holds"] is False


@pytest.mark.parametrize("damage", ["plan.json", "manifest.json", "setup/n1.json", "pairs/0/pair.json"])
def test_a_broken_record_is_a_row_and_no_traceback(tmp_path: Path, damage: str) -> None:
    path = sealed(tmp_path, staging=["ok"], verdicts=["accepted"])
    (path / damage).parent.mkdir(exist_ok=True)
    (path / damage).write_text("{")
    row = audit_run(path)
    assert not row.holds
    assert any(damage in note for note in row.notes)
