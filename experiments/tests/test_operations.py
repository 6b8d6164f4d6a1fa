"""Experiments of the operations engine: what is refused, what the plan says, in which order its blocks run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from experiments.capabilities import Capabilities, check_built
from experiments.config import load_experiment, load_lane
from experiments.config_mistakes import Mistakes
from experiments.config_operation import OperationsExperiment
from experiments.planner import make_plan
from experiments.planner_estimate import estimate_seconds
from experiments.planner_memory import pinned_need
from store.errors import Exit, LabError

HEAD = "question: Is it so?\nengine: operations\nsizes: [64, 4KiB]\nreps: 3\n"
MIB = 1 << 20


def loaded(folder: Path, arms: str, more: str = "windows: [4, 16]\n") -> OperationsExperiment:
    path = folder / "mine.yaml"
    path.write_text(f"{HEAD}{more}arms:\n{arms}")
    experiment = load_experiment(str(path)).experiment
    assert isinstance(experiment, OperationsExperiment)
    return experiment


def refusal(folder: Path, arms: str, more: str = "windows: [4, 16]\n") -> str:
    with pytest.raises(Mistakes) as caught:
        loaded(folder, arms, more)
    assert caught.value.exit_code is Exit.USAGE
    return caught.value.message


def plan_of(experiment: OperationsExperiment, lane: str = "tcp") -> dict[str, Any]:
    return make_plan("mine", experiment, lane, load_lane(lane), seed=7)


@pytest.mark.parametrize(
    ("arms", "more", "told"),
    [
        ("  x: {op: write}\n", "windows: [0]\n", "'0' is too small, the least is 1"),
        ("  x: {op: write}\n", "windows: [4, 4]\n", "window 4 stands twice"),
        ("  x: {op: send, recv_depth: 8}\n", "windows: [4, 16]\n", "recv_depth 8 of arm 'x' is below window 16"),
        ("  x: {op: write, recv_depth: 8}\n", "windows: [4]\n", "recv_depth of arm 'x' does nothing"),
        ("  x: {op: write, working_set: 1KiB}\n", "windows: [4]\n", "messages of 4KiB are larger than the working set"),
        ("  x: {op: write, signal_every: 8}\n", "windows: [4]\n", "signal_every 8 of arm 'x' is above window 4"),
        ("  x: {op: read, mode: latency}\n", "windows: [4]\n", "measures latency, one operation at a time"),
        ("  x: {op: get}\n", "windows: [4]\n", "is none of the possible values"),
        ("  x: {op: write, path: rdma}\n", "windows: [4]\n", "unknown key 'path'"),
        ("  x: {op: write, peer: perftest, iterations: 9}\n", "", "every arm is a peer tool's"),
        ("  x: {op: write}\n  y: {op: write, peer: perftest}\n", "", "peer arm 'y' needs iterations"),
    ],
)
def test_what_cannot_be_measured_is_refused_when_planning(arms: str, more: str, told: str, tmp_path: Path) -> None:
    assert told in refusal(tmp_path, arms, more)


def test_cells_are_every_size_window_and_arm(tmp_path: Path) -> None:
    plan = plan_of(loaded(tmp_path, "  w: {op: write}\n  s: {op: send}\n"))
    assert plan["windows"] == [4, 16]
    assert len(plan["cells"]) == 8
    assert plan["cells"][3] == {"arm": 1, "size": 64, "window": 16}
    assert all(sorted(block["cells"]) == list(range(8)) for block in plan["blocks"])
    assert [block["warmup"] for block in plan["blocks"]] == [True, False, False]
    assert plan["lane"]["backend"] == "ucx"


def test_arms_have_every_key_resolved(tmp_path: Path) -> None:
    plan = plan_of(loaded(tmp_path, "  s: {op: send}\n  r: {op: read, recv_depth: null}\n", "windows: [512]\n"))
    send, read = plan["arms"]
    assert send["recv_depth"] == 1024
    assert send["working_set_bytes"] == 64 * MIB
    assert send["proof"] == {"operation": "send", "protocols": None}
    assert read["peer"] is None
    assert set(send) == set(read)


def test_few_receives_are_never_fewer_than_a_hundred_and_twenty_eight(tmp_path: Path) -> None:
    assert plan_of(loaded(tmp_path, "  s: {op: send}\n", "windows: [2]\n"))["arms"][0]["recv_depth"] == 128


PEERS = "  ours: {op: write, iterations: 100}\n  tool: {op: write, iterations: 100, peer: perftest}\n"


def test_beside_a_peer_each_round_is_a_pair_of_its_own_and_who_goes_first_changes(tmp_path: Path) -> None:
    plan = plan_of(loaded(tmp_path, PEERS, "windows: [4]\npairs: 2\n"), "verbs")
    assert plan["pairs"] == len(plan["blocks"]) == 12
    assert plan["reps"] == 6
    assert [block.get("peer") for block in plan["blocks"][:4]] == [None, "perftest", "perftest", None]
    assert [block["rep"] for block in plan["blocks"][:4]] == [0, 0, 1, 1]
    assert not any(block["warmup"] for block in plan["blocks"])
    for block in plan["blocks"]:
        arms = {plan["cells"][cell]["arm"] for cell in block["cells"]}
        assert arms == ({1} if "peer" in block else {0})


def test_beside_measures_each_arm_with_the_tool_too(tmp_path: Path) -> None:
    more = "windows: [4]\nbeside: perftest\nverdicts: [{advantage: {of: a, over: a+perftest}}]\n"
    arms = loaded(tmp_path, "  a: {op: write, iterations: 100}\n  b: {op: read, iterations: 9}\n", more).arms
    assert [(name, arm.op, arm.iterations, arm.peer) for name, arm in arms.items()] == [
        ("a", "write", 100, None),
        ("a+perftest", "write", 100, "perftest"),
        ("b", "read", 9, None),
        ("b+perftest", "read", 9, "perftest"),
    ]


def test_beside_needs_iterations_and_says_so_at_the_arms(tmp_path: Path) -> None:
    told = refusal(tmp_path, "  a: {op: write}\n", "windows: [4]\nbeside: perftest\n")
    assert "peer arm 'a+perftest' needs iterations" in told
    assert "mine.yaml:8:3" in told


def test_the_shipped_sweep_takes_perftest_beside_it() -> None:
    overrides = ["beside=perftest", *(f"arms.{op}.iterations=500" for op in ("write", "read", "send"))]
    found = load_experiment("verbs_message_sweep", overrides).experiment
    plan = make_plan("verbs_message_sweep", found, "verbs", load_lane("verbs"), 1)
    assert {arm["peer"] for arm in plan["arms"]} == {None, "perftest"}


def test_a_tool_that_the_lane_does_not_suit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="perftest drives queue pairs, lane tcp has none") as caught:
        plan_of(loaded(tmp_path, PEERS, "windows: [4]\n"), "tcp")
    assert caught.value.exit_code is Exit.USAGE


def test_rendezvous_needs_a_lane_with_ucx() -> None:
    found = load_experiment("quickstart")
    with pytest.raises(LabError, match="lane verbs has no UCX") as caught:
        make_plan("quickstart", found.experiment, "verbs", load_lane("verbs"), 1)
    assert caught.value.exit_code is Exit.USAGE


def test_registered_memory_is_a_working_set_per_kind_on_each_side(tmp_path: Path) -> None:
    arms = "  a: {op: write, working_set: 1MiB}\n  b: {op: read, working_set: 4MiB}\n"
    arms += "  c: {op: read, working_set: 2MiB, memory: host_huge}\n"
    need = pinned_need(plan_of(loaded(tmp_path, arms)))
    assert need.owner == need.consumer == 6 * MIB


def test_more_registered_memory_than_the_limit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="the limit is 1MiB"):
        limit = "windows: [4]\nlimits: {registered_bytes: 1MiB, arena_bytes: 1MiB}\n"
        plan_of(loaded(tmp_path, "  a: {op: write, working_set: 4MiB}\n", limit))


def test_estimate_grows_with_duration_and_iterations(tmp_path: Path) -> None:
    lane = load_lane("tcp").estimate
    short = plan_of(loaded(tmp_path, "  a: {op: write, duration_ms: 100}\n"))
    long = plan_of(loaded(tmp_path, "  a: {op: write, duration_ms: 1100}\n"))
    assert estimate_seconds(long, lane) - estimate_seconds(short, lane) == pytest.approx(12.0, rel=0.05)


def test_what_the_engine_has_not_is_refused_by_name(tmp_path: Path) -> None:
    plan = plan_of(loaded(tmp_path, "  a: {op: write, memory: cuda}\n"))
    described = {
        "engines": ["operations"],
        "pair": ["warm"],
        "order": ["interleaved"],
        "backend": ["ucx"],
        "operation_arm": {"op": ["write"], "mode": ["rate"], "memory": ["host"]},
    }
    with pytest.raises(LabError, match="memory of arm 'a': cuda") as caught:
        check_built(plan, Capabilities(described))
    assert caught.value.exit_code is Exit.CANNOT_RUN
