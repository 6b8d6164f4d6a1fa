"""What only runs of operations can claim wrongly, made on purpose, and the caveat that tells it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from analysis.caveats import Caveat, find_caveats
from analysis.study import Study
from analysis.tests.synthetic import Recipe, Sample
from analysis.tests.synthetic_operations import operations
from analysis.tests.synthetic_run import make_run

COMPARED: tuple[dict[str, Any], ...] = ({"advantage": {"of": "rdma", "over": "chunked"}},)
QUIET = Recipe(sizes=(4096, 65536), reps=11, pairs=3, lane="rc_verbs", device="mlx5_0:1", noise=0.02)


def caveats(tmp_path: Path, recipe: Recipe) -> dict[str, Caveat]:
    study = Study.of_runs([make_run(tmp_path / "runs", recipe)])
    return {caveat.id: caveat for caveat in find_caveats(study)}


def not_ready(sample: Sample) -> None:
    if sample["cell"] == 1 and sample["rep"] == 3:
        sample["counters"].update(rcvd_rnr_err=2, owner_send_rnr_err=2)


def test_receivers_that_were_not_ready_are_told_with_cell_and_counters(tmp_path: Path) -> None:
    found = caveats(tmp_path, operations(QUIET, change=not_ready))["receiver_not_ready"]
    assert "in 3 samples (3 of rdma at 4 KiB): owner_send_rnr_err by 6 and rcvd_rnr_err by 6" in found.line
    assert "recv_depth" in found.remedy


def test_half_a_round_trip_beside_a_whole_operation_is_told(tmp_path: Path) -> None:
    recipe = operations(replace(QUIET, verdicts=COMPARED), mode="latency", peers={"rdma": "perftest"})
    found = caveats(tmp_path, recipe)["done_means_something_else"]
    assert "rdma times half a round trip of a ping-pong" in found.line
    assert found.forbids


def test_a_tool_that_counts_as_the_engine_does_has_no_caveat(tmp_path: Path) -> None:
    recipe = operations(replace(QUIET, verdicts=COMPARED), peers={"rdma": "perftest"})
    assert "done_means_something_else" not in caveats(tmp_path, recipe)


def test_a_sound_run_of_operations_has_no_caveat_of_its_samples(tmp_path: Path) -> None:
    assert set(caveats(tmp_path, operations(QUIET))) == {"unaccelerated"}
