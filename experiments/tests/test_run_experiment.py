"""Runs from plan to seal with a stand-in for the engine: lost pairs, retries, resumes, epochs, a full disk."""

import errno
import json
import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from experiments.interrupts import Interrupts
from experiments.node_setup import view_nodes
from experiments.preflight import NodeView
from experiments.run_experiment import begin, carry_out
from experiments.run_prepare import RunRequest, plan_of
from experiments.tests.stand_in_lab import STAND_IN, Lab, stand_in_lab
from store.durable import cannot_write, write_file
from store.errors import Exit, LabError
from store.facts import said
from store.integrity import check_integrity
from store.run import Run, open_run
from store.write import set_writable


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    with stand_in_lab(tmp_path, monkeypatch) as made:
        yield made


def test_a_good_run_is_sealed_done(lab: Lab) -> None:
    manifest = lab.run()
    run = lab.only_run()
    assert (manifest.status, manifest.exit, manifest.cause) == ("done", 0, None)
    assert (manifest.counts.blocks_done, manifest.counts.samples) == (6, 24)
    assert [pair.record.planned_pair for pair in run.pairs if pair.record] == [0, 1]
    assert check_integrity(run.path).status == "ok"
    assert "numa.nodes" in run.setup["here"].after


def lane_json(run: Run) -> dict[str, Any]:
    proof: dict[str, Any] = json.loads((run.path / "lane.json").read_text())
    return proof


def test_the_lane_of_a_good_run_is_proven_and_the_proof_is_kept(lab: Lab) -> None:
    lab.run()
    proof = lane_json(lab.only_run())
    assert (proof["verdict"], [pair["pair"] for pair in proof["pairs"]]) == ("proven", [0, 1])
    assert [size["size"] for size in proof["pairs"][0]["sizes"]] == [4096, 8192]


def test_a_lane_that_its_own_table_refutes_is_exit_3_although_every_sample_is_there(lab: Lab) -> None:
    lab.does({1: {"protocol": "zero-copy"}})
    manifest = lab.run()
    assert (manifest.exit, manifest.counts.blocks_done) == (3, 6)
    assert str(manifest.cause).startswith("lane tcp refuted: pair 1")
    assert lane_json(lab.only_run())["verdict"] == "refuted"


def test_a_lane_without_proof_is_exit_3_unless_that_is_waived(lab: Lab) -> None:
    lab.does({0: {"protocol": "none"}})
    manifest = lab.run()
    assert manifest.exit == 3
    assert str(manifest.cause).startswith("lane tcp not proven: pair 0")
    set_writable(lab.store, True)
    shutil.rmtree(lab.store)
    manifest = lab.run(allow_unmet=True)
    assert (manifest.exit, manifest.waived) == (0, ["lane_proven"])


def test_a_waiver_of_the_start_holds_in_a_resume_too(lab: Lab) -> None:
    lab.does({0: {"protocol": "none"}, 1: {"consumer": "die:6", "protocol": "none"}, 2: {"protocol": "none"}})
    manifest = lab.run(allow_unmet=True, command=("run", "x", "--allow-unmet"))
    assert manifest.exit == 4
    resumed = lab.resume(lab.only_run().path)
    assert resumed is not None and (resumed.exit, resumed.waived) == (0, ["lane_proven"])


def test_a_lost_pair_ends_the_run_and_a_resume_completes_it(lab: Lab) -> None:
    lab.does({1: {"consumer": "die:6"}})
    manifest = lab.run()
    assert (manifest.status, manifest.exit) == ("failed", 4)
    assert manifest.cause == "pair 1: the consumer was killed by SIGKILL"
    assert manifest.counts.blocks_done == 4
    resumed = lab.resume(lab.only_run().path)
    run = lab.only_run()
    assert resumed is not None and (resumed.status, resumed.counts.blocks_done) == ("done", 6)
    last = run.pairs[-1].record
    assert last is not None and (last.pair, last.planned_pair, last.repeated_warmup) == (2, 1, [3])
    assert last.blocks == [3, 4, 5]
    assert check_integrity(run.path).status == "ok"


def test_retries_start_a_lost_pair_again_at_once(lab: Lab) -> None:
    lab.does({0: {"consumer": "die:5"}, 1: {"owner": "abort"}})
    manifest = lab.run(retry=2)
    assert (manifest.status, manifest.exit, manifest.counts.blocks_done) == ("done", 0, 6)
    assert len(lab.only_run().pairs) == 4


def test_a_wrong_lane_ends_the_run_at_once(lab: Lab) -> None:
    lab.does({0: {"consumer": "exit:3|rdmalab_engine consumer: lane, get: software emulation; choose another lane"}})
    manifest = lab.run(retry=5)
    assert (manifest.exit, len(lab.only_run().pairs)) == (3, 1)
    assert "software emulation" in str(manifest.cause)


def test_a_lost_pair_that_had_finished_its_blocks_does_not_stop_the_others(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("experiments.engine_command.FOLLOW_S", 1.0)
    lab.does({0: {"consumer": "run", "owner": "linger"}})
    manifest = lab.run()
    assert (manifest.exit, manifest.counts.blocks_done) == (4, 6)
    assert lab.resume(lab.only_run().path) is None
    assert lab.only_run().state == "done"


def test_a_run_that_is_done_has_nothing_to_resume(lab: Lab) -> None:
    lab.run()
    before = (lab.only_run().path / "manifest.json").read_bytes()
    assert lab.resume(lab.only_run().path) is None
    assert (lab.only_run().path / "manifest.json").read_bytes() == before


def test_a_resume_refuses_a_run_that_was_edited(lab: Lab) -> None:
    lab.does({1: {"consumer": "die:6"}})
    lab.run()
    path = lab.only_run().path
    set_writable(path, True)
    samples = path / "pairs" / "0" / "samples.jsonl"
    samples.write_text(samples.read_text().replace('"cell":0', '"cell":1'))
    with pytest.raises(LabError, match=r"pairs/0/samples.jsonl changed"):
        lab.resume(path)


def test_another_setup_starts_a_new_epoch(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.does({1: {"consumer": "die:6"}})
    lab.run()

    def another_kernel(views: dict[str, NodeView]) -> dict[str, NodeView]:
        kernel = said("9.9", "uname")
        return {node: replace(view, facts={**view.facts, "kernel.release": kernel}) for node, view in views.items()}

    monkeypatch.setattr("experiments.run_prepare.view_nodes", lambda *given: another_kernel(view_nodes(*given)))
    resumed = lab.resume(lab.only_run().path)
    run = lab.only_run()
    assert resumed is not None and resumed.epochs == 2
    assert [pair.epoch for pair in run.pairs] == [1, 1, 2]
    assert run.setups[2]["here"].before["kernel.release"].value == "9.9"
    assert any("a new epoch: here.kernel.release" in line for line in lab.lines)


def test_an_interrupt_seals_what_is_finished(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: object, progress: Any) -> None:
        if progress.block == 2:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("experiments.progress.RunProgress.__call__", interrupt)
    lab.does({0: {"consumer": "hang"}})
    manifest = lab.run()
    assert (manifest.status, manifest.exit, manifest.counts.blocks_done) == ("interrupted", 130, 2)


def test_a_full_disk_is_one_error_and_keeps_what_is_finished(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        if path.name in ("pair.json", "manifest.json"):
            raise cannot_write(path, OSError(errno.ENOSPC, "No space left on device"))
        write_file(path, data)

    monkeypatch.setattr("store.json_file.durable.write_file", full)
    with pytest.raises(LabError, match=r"pair.json: disk full") as caught:
        lab.run()
    assert caught.value.exit_code == Exit.FAILED
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(lab.file.parent / "config"))
    monkeypatch.setenv("RDMALAB_ENGINE", str(STAND_IN))
    run = lab.only_run()
    assert (run.state, len(run.finished_blocks)) == ("unsealed", 3)
    resumed = lab.resume(run.path)
    assert resumed is not None and resumed.status == "done"


def test_an_inherited_variable_is_refused_by_name_and_nothing_is_written(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UCX_TLS", "rc")
    with pytest.raises(LabError, match=r"UCX_TLS=rc \(lane tcp has UCX_TLS=tcp\)") as caught:
        lab.run()
    assert caught.value.exit_code == Exit.WRONG_LANE
    assert not lab.store.exists()


@pytest.mark.parametrize("more", [{"experiment": "quickstart"}, {"lane": "shm"}, {"overrides": ("reps=5",)}])
def test_like_takes_nothing_that_it_would_have_to_ignore(lab: Lab, more: dict[str, Any]) -> None:
    lab.run()
    with pytest.raises(LabError, match="as it is") as caught:
        plan_of(RunRequest(like=lab.only_run().path, **more))
    assert caught.value.exit_code == Exit.USAGE


def test_like_repeats_the_plan_byte_for_byte(lab: Lab) -> None:
    lab.run()
    first = lab.only_run()
    request = RunRequest(like=first.path)
    with Interrupts() as stop:
        begun = begin(plan_of(request), request, lab.store, lab.say)
        carry_out(begun, stop, lab.say)
    second = open_run(begun.writer.path)
    assert second.plan_sha256 == first.plan_sha256
    assert second.origin is not None and second.origin.like == first.name
