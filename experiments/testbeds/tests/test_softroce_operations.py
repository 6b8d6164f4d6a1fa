"""Reads, writes and sends between the two emulated nodes without UCX: a sweep beside perftest, each way to connect, and
what a lost peer or device leaves.

The faults that no run can be asked for (a wrong key, a message beyond its region, a queue pair in error) are made by
programs of the engine's own tests, which run on a node here because they need a device.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from analysis.study import Study
from analysis.verdicts.registry import answer_all
from cli.test import BAZEL_CACHE
from experiments.testbeds.tests.softroce_nodes import DEADLINE_S, ON_THE_TESTBED, Nodes, do, eventually
from experiments.tests.e2e_lab import Lab
from store.names import ROOT

pytestmark = ON_THE_TESTBED

DEVICE_TESTS = ("operations/verbs_device_test", "verbs/queue_pair_device_test")
SAME = "iterations: 200, working_set: 64KiB, post_list: 1, signal_every: 4"
SWEEP = f"""question: From which size is the line full, do the operations differ, and are we as fast as perftest?
engine: operations
lane: verbs
sizes: [64, 1KiB, 16KiB]
windows: [8]
reps: 2
arms:
  write: {{op: write, {SAME}}}
  read:  {{op: read, {SAME}}}
  send:  {{op: send, {SAME}}}
  write+perftest: {{op: write, {SAME}, peer: perftest}}
  read+perftest:  {{op: read, {SAME}, peer: perftest}}
  send+perftest:  {{op: send, {SAME}, peer: perftest}}
verdicts:
  - knee: {{arm: write}}
  - knee: {{arm: read}}
  - knee: {{arm: send}}
  - equivalence: {{of: write, over: send, margin: 0.05}}
  - equivalence: {{of: write, over: write+perftest, margin: 0.05}}
"""
BY_MANAGER = """question: The same over librdmacm?
engine: operations
lane: verbs_cm
sizes: [4KiB]
windows: [8]
reps: 2
arms:
  write: {op: write, duration_ms: 50, working_set: 64KiB}
  read:  {op: read, duration_ms: 50, working_set: 64KiB}
  send:  {op: send, duration_ms: 50, working_set: 64KiB}
  lone:  {op: write, iterations: 100, working_set: 4KiB, peer: perftest}
"""
LONG = """question: How long?
engine: operations
lane: LANE
sizes: [4KiB]
windows: [8]
reps: 2
arms:
  send:  {op: send, duration_ms: 600000, working_set: 64KiB}
  write: {op: write, duration_ms: 50, working_set: 64KiB}
order: sequential
limits: {get_timeout_ms: 10000}
"""
PAIRS = """question: And the next pair?
engine: operations
lane: verbs
sizes: [4KiB]
windows: [8]
reps: 1
pairs: 2
arms: {write: {op: write, duration_ms: 3000, working_set: 64KiB}}
"""
# rxe of Linux 6.1 lets go of a device only when its last user does: the command waits for that, in the background.
REMOVE = "rdma link del rxe0 >/dev/null 2>&1 &"
MEND = (
    "while pgrep -x rdma >/dev/null; do sleep 0.1; done;"
    "rdma link show rxe0/1 2>&1 || rdma link add rxe0 type rxe netdev eth0"
)


def samples(lab: Lab) -> list[dict[str, Any]]:
    return [line.data for source in lab.run().sample_sources() for line in source.samples()]


def engines_on(nodes: Nodes) -> list[str]:
    return [nodes.sh(node, "pgrep -f '[r]dmalab_engine --role' || true") for node in ("node1", "node2")]


Launch = Callable[[str], tuple[subprocess.Popen[str], dict[str, str]]]


@pytest.fixture
def launch(lab: Lab, nodes: Nodes) -> Iterator[Launch]:
    """Starts a run; returns once its first pair has met, with the node of each role. Ends what a failed test left."""
    tools: list[subprocess.Popen[str]] = []

    def start(text: str) -> tuple[subprocess.Popen[str], dict[str, str]]:
        tool = lab.start("run", "--no-report", lab.experiment(text), "--site", "softroce")
        tools.append(tool)

        def met() -> bool:
            assert tool.poll() is None, tool.communicate()
            logs = lab.store.glob("*/pairs/0/consumer.log")
            return any("met the owner" in log.read_text(errors="replace") for log in logs)

        eventually(met, "the two engines have met")
        owner = "node1" if nodes.sh("node1", "pgrep -f '[r]ole=owner' || true") else "node2"
        return tool, {"owner": owner, "consumer": {"node1": "node2", "node2": "node1"}[owner]}

    yield start
    for tool in tools:
        if tool.poll() is None:
            tool.terminate()
            lab.end(tool, DEADLINE_S)


def test_a_sweep_is_verified_and_judged_with_perftest_beside_it(lab: Lab) -> None:
    code, _, err = do(lab, "run", "--no-report", lab.experiment(SWEEP, "sweep"), "--site", "softroce")
    assert code == 0, err
    found = samples(lab)
    assert len(found) == 2 * 3 * 6
    ours = [sample for sample in found if sample["backend"] == "verbs"]
    assert len(ours) == 18 and all(sample["verified"] and sample["error"] is None for sample in ours)
    for sample in ours:
        assert sample["counters"]["connected_by"] == "exchange" and sample["counters"]["queue_pair"] > 0
        assert sample["op"] != "send" or sample["counters"]["received"] == sample["counters"]["completed"]
    theirs = [sample for sample in found if sample["backend"] == "perftest"]
    assert len(theirs) == 18 and all(sample["messages"] == 200 and sample["elapsed_ns"] > 0 for sample in theirs)
    proof = json.loads((lab.run().path / "lane.json").read_text())
    assert proof["verdict"] == "proven" and [witness["says"] for witness in proof["ports"]] == ["supports"] * 4
    verdicts = answer_all(Study.of_runs([lab.run().path]))
    assert [verdict.kind for verdict in verdicts] == ["knee"] * 3 + ["equivalence"] * 2
    assert all(verdict.answer for verdict in verdicts)


def test_connections_by_librdmacm_carry_every_operation(lab: Lab) -> None:
    code, _, err = do(lab, "run", "--no-report", lab.experiment(BY_MANAGER, "managed"), "--site", "softroce")
    assert code == 0, err
    ours = [sample for sample in samples(lab) if sample["backend"] == "verbs"]
    assert len(ours) == 6 and all(sample["verified"] for sample in ours)
    assert {sample["counters"]["connected_by"] for sample in ours} == {"rdmacm"}
    for node in ("node1", "node2"):
        assert lab.run().setup[node].after["verbs.connected_by"].value == "rdmacm"


def test_faults_between_two_queue_pairs_are_rows_with_what_the_device_said(nodes: Nodes) -> None:
    build = ["bazel", "build", "-c", "opt", f"--disk_cache={BAZEL_CACHE}"]
    targets = ["//engine/" + test.replace("/", ":") for test in DEVICE_TESTS]
    subprocess.run([*build, *targets], cwd=ROOT, check=True, capture_output=True, timeout=DEADLINE_S)
    told = [_run_on_a_node(nodes, test) for test in DEVICE_TESTS]
    assert all("[  PASSED  ]" in text and "[  FAILED  ]" not in text for text in told), told
    assert "no RDMA device here" not in "".join(told)


def _run_on_a_node(nodes: Nodes, test: str) -> str:
    program = nodes.testbed.share / test.rsplit("/", 1)[-1]
    shutil.copy(ROOT / ".build" / "bin" / "engine" / test, program)
    try:
        return nodes.sh("node1", f"RDMALAB_DEVICE=rxe0:1 RDMALAB_GID_INDEX=1 timeout 100 {program} 2>&1 || true")
    finally:
        program.unlink()


def test_a_receiver_killed_in_the_middle_of_a_send_ends_the_run_in_time(launch: Launch, lab: Lab, nodes: Nodes) -> None:
    tool, on = launch(LONG.replace("LANE", "verbs"))
    nodes.sh(on["owner"], "pkill -KILL -f '[r]dmalab_engine --role=owner'")
    code, _, err = lab.end(tool, DEADLINE_S)
    assert code == 4, err
    assert "the owner was killed by SIGKILL" in err
    assert engines_on(nodes) == ["", ""]


@pytest.mark.parametrize("role", ["owner", "consumer"])
def test_a_device_that_goes_in_the_middle_of_a_send_is_told_in_its_row(
    role: str, launch: Launch, lab: Lab, nodes: Nodes
) -> None:
    tool, on = launch(LONG.replace("LANE", "verbs_cm"))
    nodes.sh(on[role], REMOVE)
    try:
        code, _, err = lab.end(tool, DEADLINE_S)
    finally:
        nodes.sh(on[role], MEND)
    assert code == 1, err
    errors = [sample["error"] for sample in samples(lab)]
    assert all(error is not None for error in errors), "nothing connects without the device"
    assert errors[0]["phase"] == "measure"
    assert "RDMA_CM_EVENT_DEVICE_REMOVAL" in errors[0]["text"] and "the device is gone" in errors[0]["text"]
    assert engines_on(nodes) == ["", ""]


def test_a_device_that_is_gone_ends_the_run_at_the_next_pair(launch: Launch, lab: Lab, nodes: Nodes) -> None:
    tool, on = launch(PAIRS)
    nodes.sh(on["owner"], REMOVE)
    try:
        code, _, err = lab.end(tool, DEADLINE_S)
    finally:
        nodes.sh(on["owner"], MEND)
    assert code == 5, err
    assert "no RDMA device here" in err
    assert [sample["verified"] for sample in samples(lab)] == [True], "the first pair had it to its end"
    assert engines_on(nodes) == ["", ""]
