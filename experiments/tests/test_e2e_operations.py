"""Runs of the operations engine with the real binary on one host: what is measured, what is refused, what a lost peer
leaves. Lane verbs between two nodes is in the tests of the testbeds."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from experiments.tests.e2e_lab import Lab, engine, manifest, until
from store.sample_lines import OperationsSample

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(engine() is None, reason="no engine: ./rdmalab builds it")]

SHORT = """question: Are they the same?
engine: operations
sizes: [64, 4KiB]
windows: [8]
reps: 2
arms:
  write: {op: write, duration_ms: 20, working_set: 256KiB}
  read:  {op: read, duration_ms: 20, working_set: 256KiB}
  send:  {op: send, duration_ms: 20, working_set: 256KiB}
"""
ENDLESS = """question: How long?
engine: operations
sizes: [4KiB]
windows: [16]
reps: 2
arms: {send: {op: send, duration_ms: 600000, working_set: 256KiB}}
"""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    made = Lab(tmp_path)
    yield made
    assert made.kill_left_overs() == []


def samples(lab: Lab) -> list[dict[str, Any]]:
    return [line.data for source in lab.run().sample_sources() for line in source.samples()]


@pytest.mark.parametrize("lane", ["tcp", "shm"])
def test_read_write_and_send_are_measured_verified_and_as_the_schema_says(lab: Lab, lane: str) -> None:
    code, _, err = lab.do("run", "--no-report", lab.experiment(SHORT), "--lane", lane)
    assert code == 0, err
    found = samples(lab)
    assert len(found) == 12
    for sample in found:
        OperationsSample.model_validate(sample)
        assert sample["verified"] is True
        assert sample["messages"] > 0
        assert sum(part["messages"] for part in sample["sub_windows"]) == sample["messages"]
    sends = [sample["counters"] for sample in found if sample["op"] == "send"]
    assert all(counters["received"] == counters["completed"] for counters in sends)
    assert json.loads((lab.run().path / "lane.json").read_text())["verdict"] == "proven"


@pytest.mark.parametrize("role", ["owner", "consumer"])
@pytest.mark.parametrize("lane", ["tcp", "shm"])
def test_a_process_killed_in_the_middle_of_a_send_ends_the_run_in_time(lab: Lab, lane: str, role: str) -> None:
    tool = lab.start("run", "--no-report", lab.experiment(ENDLESS), "--lane", lane)
    pid = lab.wait_for_engine(role)
    until(lambda: any("met the" in log.read_text() for log in lab.store.glob("*/pairs/0/consumer.log")), "never met")
    os.kill(pid, signal.SIGKILL)
    code, _, err = lab.end(tool, 60)
    assert code == 4, err
    assert f"the {role} was killed by SIGKILL" in err
    assert manifest(lab.run())["status"] == "failed"


def test_an_interrupt_ends_a_cell_that_would_last_for_minutes(lab: Lab) -> None:
    tool = lab.start("run", "--no-report", lab.experiment(ENDLESS))
    until(lambda: any("met the" in log.read_text() for log in lab.store.glob("*/pairs/0/consumer.log")), "never met")
    tool.send_signal(signal.SIGTERM)
    assert lab.end(tool, 60)[0] == 130


def test_a_kind_of_memory_that_is_not_here_is_a_row_with_its_cause(lab: Lab) -> None:
    text = SHORT.replace("write: {op: write,", "write: {op: write, memory: cuda,")
    code, _, err = lab.do("run", "--no-report", lab.experiment(text))
    failed = [sample for sample in samples(lab) if sample["error"] is not None]
    if not failed:
        pytest.skip("this machine has a GPU")
    assert code == 1, err
    assert {sample["arm"] for sample in failed} == {"write"}
    assert all("memory: cuda cannot run here" in sample["error"]["text"] for sample in failed)
    assert all(sample["elapsed_ns"] is None for sample in failed)
    assert len(samples(lab)) == 12, "the sweep goes on"


def test_lane_verbs_without_a_port_cannot_run_here(lab: Lab) -> None:
    if any(Path("/sys/class/infiniband").glob("*")):
        pytest.skip("this host has an RDMA device")
    code, _, err = lab.do("run", "--no-report", lab.experiment(SHORT), "--lane", "verbs")
    assert code == 5
    assert "needs an RDMA port, and this host has none" in err


def test_a_peer_tool_is_measured_between_the_engines_pairs(lab: Lab) -> None:
    text = """question: Ours against the tool's?
engine: operations
sizes: [64]
windows: [8]
reps: 2
arms:
  ours: {op: write, iterations: 2000, working_set: 64KiB}
  tool: {op: write, iterations: 2000, working_set: 64KiB, peer: ucx_perftest}
verdicts: [{advantage: {of: ours, over: tool}}]
"""
    code, _, err = lab.do("run", "--no-report", lab.experiment(text))
    assert code == 0, err
    assert [(sample["arm"], sample["backend"]) for sample in samples(lab)] == [
        ("ours", "ucx"),
        ("tool", "ucx_perftest"),
        ("tool", "ucx_perftest"),
        ("ours", "ucx"),
    ]
    tool = next(sample for sample in samples(lab) if sample["arm"] == "tool")
    OperationsSample.model_validate(tool)
    assert tool["messages"] == 2000
    assert tool["verified"] is None
    assert tool["counters"]["printed"]["iterations"] == 2000
