"""The life of a run folder: created, written, opened, sealed, reopened; and what a crash leaves."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from store.errors import Exit, LabError
from store.records import OriginRecord, ToolVersion
from store.run import open_run
from store.write import Outcome, RunWriter, is_held

STARTED = datetime(2026, 11, 30, 10, 15, tzinfo=UTC)
PLAN: dict[str, Any] = {
    "format": "rdmalab.plan",
    "version": 1,
    "experiment": "tiny",
    "blocks": [{"pair": 0, "rep": rep, "warmup": rep == 0, "cells": [0, 1]} for rep in range(3)],
}
BINDING = {"format": "rdmalab.binding", "version": 1, "site": "local", "nodes": []}
OUTCOME = Outcome("done", 0, None, None, "2026-11-30T10:15:00.000Z", ToolVersion(version="0"))
ORIGIN = OriginRecord(started_utc="2026-11-30T10:15:00.000Z", command=["run"], tool=ToolVersion(version="0"))


def new_run(store: Path) -> RunWriter:
    plan = json.dumps(PLAN, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    return RunWriter.create(store, plan=plan, binding=BINDING, origin=ORIGIN, experiment="tiny", started=STARTED)


def sample(block: int, order: int) -> str:
    return json.dumps({"kind": "sample", "pair": 0, "block": block, "order": order}, separators=(",", ":")) + "\n"


def block_line(block: int) -> str:
    line = {"block": block, "failed": 0, "kind": "block", "pair": 0, "samples": 2}
    return json.dumps(line, separators=(",", ":")) + "\n"


def write_samples(folder: Path, text: str) -> None:
    (folder / "samples.jsonl").write_text(text)


def test_a_new_run_appears_whole_under_its_name(tmp_path: Path) -> None:
    writer = new_run(tmp_path)
    assert writer.path.name.startswith("20261130T101500Z-tiny-")
    assert [entry.name for entry in tmp_path.iterdir()] == [writer.path.name]
    run = open_run(writer.path)
    assert (run.state, run.missing_blocks) == ("unsealed", [0, 1, 2])


def test_finished_blocks_count_and_the_rest_does_not(tmp_path: Path) -> None:
    writer = new_run(tmp_path)
    _, folder = writer.pair_folder()
    text = sample(0, 0) + sample(0, 1) + block_line(0) + sample(1, 2) + sample(1, 3) + block_line(1) + sample(2, 4)
    write_samples(folder, '{"kind":"start"}\n' + text + '{"kind":"sample","block":2,')
    run = open_run(writer.path)
    assert run.missing_blocks == [2]
    assert [line.place for line in run.samples()] == [f"pairs/0/samples.jsonl:{number}" for number in (2, 3, 5, 6)]
    assert run.finished_blocks[1].pair == 0


def test_a_block_line_that_was_cut_off_does_not_count(tmp_path: Path) -> None:
    writer = new_run(tmp_path)
    _, folder = writer.pair_folder()
    write_samples(folder, sample(0, 0) + block_line(0).rstrip("\n"))
    assert open_run(writer.path).missing_blocks == [0, 1, 2]


def test_text_that_looks_like_a_block_line_is_not_one(tmp_path: Path) -> None:
    writer = new_run(tmp_path)
    _, folder = writer.pair_folder()
    error = {"kind": "sample", "block": 0, "error": {"text": '"kind":"block","block":7'}}
    write_samples(folder, json.dumps(error, separators=(",", ":")) + "\n")
    assert open_run(writer.path).finished_blocks == {}


def test_sealing_counts_hashes_and_closes(tmp_path: Path) -> None:
    writer = new_run(tmp_path)
    _, folder = writer.pair_folder()
    write_samples(folder, sample(0, 0) + sample(0, 1) + block_line(0))
    manifest = writer.seal(OUTCOME, STARTED)
    counts = manifest.counts
    assert (counts.blocks_planned, counts.blocks_done, counts.samples_planned, counts.samples) == (3, 1, 6, 2)
    assert sorted(manifest.files) == ["binding.json", "origin.json", "pairs/0/samples.jsonl", "plan.json"]
    assert (folder / "samples.jsonl").stat().st_mode & 0o222 == 0
    assert writer.path.stat().st_mode & 0o222 == 0
    assert open_run(writer.path).manifest == manifest
    assert not is_held(writer.path)


def test_a_run_in_progress_has_one_writer(tmp_path: Path) -> None:
    writer = new_run(tmp_path)
    assert is_held(writer.path)
    with pytest.raises(LabError, match="another rdmalab") as caught:
        RunWriter.reopen(writer.path)
    assert caught.value.exit_code == Exit.USAGE
    writer.close()
    assert not is_held(writer.path)


def test_reopening_keeps_the_former_manifest_and_numbers_pairs_on(tmp_path: Path) -> None:
    writer = new_run(tmp_path)
    writer.pair_folder()
    first = writer.seal(OUTCOME, STARTED)
    again = RunWriter.reopen(writer.path)
    assert again.pair_folder()[0] == 1
    second = again.seal(OUTCOME, STARTED)
    assert "history/manifest-1.json" in second.files
    kept = json.loads((writer.path / "history" / "manifest-1.json").read_text())
    assert kept == json.loads(first.model_dump_json())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"format":"rdmalab.plan","version":2}', "newer rdmalab"),
        ('{"format":"rdmalab.plan","ver', "not JSON"),
        ('{"format":"other","version":1}', "'rdmalab.plan' was expected"),
        ("[]", "a JSON object"),
    ],
)
def test_a_plan_that_cannot_be_read_is_one_clear_error(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(LabError, match=problem):
        open_run(tmp_path)


def test_half_a_manifest_is_named(tmp_path: Path) -> None:
    path = new_run(tmp_path).path
    (path / "manifest.json").write_text('{"format": "rdmalab.manifest", "version": 1, "run": "x"}')
    with pytest.raises(LabError, match=r"manifest.json: .*field required"):
        open_run(path)


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="it has no plan"):
        open_run(tmp_path)
    with pytest.raises(LabError, match="no such run"):
        open_run(tmp_path / "nothing")
