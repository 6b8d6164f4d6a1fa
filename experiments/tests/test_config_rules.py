"""Rules over a whole experiment, lane or site: what would not be what it says is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.config import load_experiment, load_lane
from experiments.config_experiment import Experiment
from experiments.config_lane import Lane
from experiments.config_mistakes import Mistakes
from experiments.config_rules import LANE_RULES

HEAD = "question: q\nsizes: [4KiB..64KiB x4]\nreps: 3\n"


def refusal(folder: Path, arm: str, more: str = "") -> str:
    path = folder / "mine.yaml"
    path.write_text(f"{HEAD}{more}arms:\n  x: {{{arm}}}\n")
    with pytest.raises(Mistakes) as caught:
        load_experiment(str(path))
    return caught.value.message


def accepted(folder: Path, arm: str, more: str = "") -> Experiment:
    path = folder / "mine.yaml"
    path.write_text(f"{HEAD}{more}arms:\n  x: {{{arm}}}\n")
    experiment = load_experiment(str(path)).experiment
    assert isinstance(experiment, Experiment)
    return experiment


@pytest.mark.parametrize(
    ("arm", "told"),
    [
        ("path: rdma, min_bytes: 16KiB", "min_bytes of rdma arm 'x' is above 4KiB: there it would not be an rdma arm"),
        ("path: rdma, min_bytes: 1MiB", "is above 4KiB, 16KiB, 64KiB"),
        ("path: rdma, min_bytes: above_largest", "is above 4KiB, 16KiB, 64KiB"),
        ("path: rdma, kill_switch: true", "rdma arm 'x' with the kill switch on"),
        ("path: rdma, staging: plain", "rdma arm 'x' with plain staging"),
        ("path: chunked, min_bytes: 16KiB", "chunked arm 'x' would be an rdma arm at 16KiB, 64KiB"),
        ("path: chunked, min_bytes: 0", "chunked arm 'x' would be an rdma arm at 4KiB, 16KiB, 64KiB"),
        ("path: rdma, read: get_into, copy: after", "copy of arm 'x' does nothing: get_into has no copy"),
        ("path: rdma, read: get_pinned, destination: fresh", "destination of arm 'x' does nothing"),
        ("path: rdma, piece: 64KiB", "piece of arm 'x' does nothing"),
        ("path: rdma, spin_us: 5", "spin_us of arm 'x' does nothing"),
        ("path: rdma, op: write", "op 'write' of arm 'x' is not one of engine rendezvous"),
    ],
)
def test_arm_that_is_not_what_it_says_is_refused(tmp_path: Path, arm: str, told: str) -> None:
    assert told in refusal(tmp_path, arm)


@pytest.mark.parametrize(
    "arm",
    [
        "path: chunked",
        "path: chunked, min_bytes: above_largest",
        "path: chunked, min_bytes: 64KiB+1",
        "path: chunked, kill_switch: true",
        "path: chunked, staging: plain",
        "path: rdma",
        "path: rdma, min_bytes: 4KiB",
        "path: rdma, copy: overlapped, piece: 64KiB",
        "path: rdma, progress: thread, spin_us: 0",
        "path: rdma, op: put",
        "path: rdma, memory: cuda",
        "path: rdma, layout: {blocks: 8, block_size: 512}",
        "path: rdma, proof: {operation: get, protocols: [zero-copy]}",
    ],
)
def test_arm_that_says_what_it_is_is_accepted(tmp_path: Path, arm: str) -> None:
    assert accepted(tmp_path, arm).arms["x"].path == arm.split(",", maxsplit=1)[0].removeprefix("path: ")


def test_many_sizes_are_named_in_one_line(tmp_path: Path) -> None:
    told = refusal(tmp_path, "path: rdma, min_bytes: above_largest", "").splitlines()[0]
    assert len(told) < 200
    path = tmp_path / "many.yaml"
    path.write_text("question: q\nsizes: [1..1048576 x2]\nreps: 1\narms: {x: {path: rdma, min_bytes: above_largest}}\n")
    with pytest.raises(Mistakes, match="1, 2, 4, 8 and 17 more"):
        load_experiment(str(path))


def test_pairs_mean_nothing_when_cold(tmp_path: Path) -> None:
    assert "pairs has no meaning with pair: cold" in refusal(tmp_path, "path: rdma", "pair: cold\npairs: 2\n")


def test_plan_that_no_memory_holds_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("question: q\nsizes: [4KiB, 8KiB]\nreps: 1000000\npairs: 10\narms: {x: {path: rdma}}\n")
    with pytest.raises(Mistakes, match="20000000 samples in one plan"):
        load_experiment(str(path))


def test_first_arena_fits_the_budget(tmp_path: Path) -> None:
    told = refusal(tmp_path, "path: rdma", "limits: {registered_bytes: 1MiB}\n")
    assert "arena_bytes 64MiB is above registered_bytes" in told


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"env": {}}, "env does not set UCX_TLS"),
        ({"transports": ()}, "transports is empty"),
        ({"accepts": {}}, "accepts names no protocol for get"),
        ({"env": {"UCX_TLS": "tcp", "UCX_NET_DEVICES": "eth0"}}, "a lane does not name a device"),
        ({"backend": "verbs"}, "reads no UCX_* variable"),
        ({"env": {"UCX_TLS": "tcp", "RDMALAB_CONNECT": "rdmacm"}}, "RDMALAB_CONNECT is for backend verbs"),
        ({"backend": "verbs", "env": {"RDMALAB_CONNECT": "socket"}}, "nothing connects by 'socket'"),
    ],
)
def test_lane_rules(change: dict[str, object], told: str) -> None:
    lane: Lane = load_lane("tcp").model_copy(update=change)
    broken = [each.message for rule in LANE_RULES for each in rule(lane)]
    assert any(told in message for message in broken)
