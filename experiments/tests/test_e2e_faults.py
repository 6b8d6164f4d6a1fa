"""Faults done for real to the real engine: kill, stop, interrupt, fill, take the port. Each ends in time with the right
exit code and one clear line, no process stays, no finished block is lost, and a resume completes the run.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.children import Child
from experiments.engine_command import Deadlines, Side, engine_command
from experiments.engine_pair import PairOrder, run_pair
from experiments.interrupts import Interrupts
from experiments.launchers.local import LocalLauncher
from experiments.resolve import resolve
from experiments.tests.e2e_lab import Lab, engine, manifest, until
from store.integrity import check_integrity
from store.write import set_writable

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(
        engine() is None, reason="no engine is built: ./rdmalab builds it, or name it by RDMALAB_ENGINE"
    ),
]

# Small chunks make the transfer the longest part of a sample, so that a fault hits one.
TRANSFERS = """
question: What is left when a process goes?
lane: tcp
pairs: 1
reps: 12
sizes: [32MiB]
order: sequential
arms:
  chunked: {path: chunked, via: am, min_bytes: above_largest, chunk: 64KiB, depth: 4}
  rdma: {path: rdma, read: get_into, via: am}
"""
# How long the survivor of a stopped process waits; the other faults are found without a deadline.
IMPATIENT = ["--set", "limits.get_timeout_ms=5000", "--set", "limits.exchange_timeout_ms=8000"]
MANY_SAMPLES = """
question: What is left when the disk is full?
lane: tcp
pairs: 1
reps: 1500
sizes: [4KiB]
arms:
  chunked: {path: chunked, via: am, min_bytes: above_largest}
  rdma: {path: rdma, read: get_into, via: am}
"""


# In a mount namespace of its own: a small file system as $0, on which "$@" runs. Once it writes samples, all but
# 300 KiB are filled; at the end the runs are copied to $1, because the file system goes with the namespace.
FILL_THE_DISK = """
mount -t tmpfs -o size=100m tmpfs "$0" || exit 99
store=$1; shift
"$@" & tool=$!
tries=0
until ls "$0"/runs/2*/pairs/0/samples.jsonl >/dev/null 2>&1; do
  tries=$((tries + 1)); [ "$tries" -lt 3000 ] || exit 98
  sleep 0.02
done
fallocate -l "$(($(df --output=avail -k "$0" | tail -n 1) - 300))K" "$0/filler"
wait "$tool"; code=$?
cp -a "$0/runs/." "$store/"
exit "$code"
"""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    made = Lab(tmp_path)
    yield made
    left = made.kill_left_overs()
    if made.store.exists():
        set_writable(made.store, True)
    assert left == [], "processes stayed"


def check_and_resume(lab: Lab, blocks: int) -> None:
    """What was finished is there and whole, and a resume completes and seals the run."""
    run = lab.run()
    assert check_integrity(run.path).status == "ok"
    assert len(run.finished_blocks) >= blocks
    code, _, err = lab.do("resume", "@last", "--no-report")
    assert code == 0, err
    assert lab.run().missing_blocks == []
    assert manifest(lab.run())["status"] == "done"
    assert check_integrity(lab.run().path).status == "ok"


@pytest.mark.parametrize("lane", ["tcp", "shm"])
@pytest.mark.parametrize("moment", ["before", "during", "after"])
@pytest.mark.parametrize("role", ["owner", "consumer"])
def test_a_process_that_is_killed(lab: Lab, role: str, moment: str, lane: str) -> None:
    tool = lab.start("run", "--no-report", lab.experiment(TRANSFERS), "--lane", lane)
    blocks = strike(lab, tool, role, moment=moment, number=signal.SIGKILL)
    code, _, err = lab.end(tool)
    if moment == "after" and code == 0:
        assert lab.run().state == "done"  # it had ended before the signal came
        return
    assert code == 4, err
    (line,) = [line for line in err.splitlines() if line.startswith("ended")]
    assert f"the {role} was killed by SIGKILL" in line
    assert lab.engines() == []
    check_and_resume(lab, blocks)


@pytest.mark.parametrize("lane", ["tcp", "shm"])
@pytest.mark.parametrize("moment", ["before", "during"])
@pytest.mark.parametrize("role", ["owner", "consumer"])
def test_a_process_that_is_stopped(lab: Lab, role: str, moment: str, lane: str) -> None:
    tool = lab.start("run", "--no-report", lab.experiment(TRANSFERS), "--lane", lane, *IMPATIENT)
    blocks = strike(lab, tool, role, moment=moment, number=signal.SIGSTOP)
    code, _, err = lab.end(tool)
    assert code == 4, err
    (line,) = [line for line in err.splitlines() if line.startswith("ended")]
    assert f"the {role} had been stopped by a signal" in line
    assert lab.engines() == []
    check_and_resume(lab, blocks)


def strike(lab: Lab, tool: subprocess.Popen[str], role: str, *, moment: str, number: signal.Signals) -> int:
    """Send a signal to a role's engine at a moment of the run; the number of blocks that were finished by then."""
    pid = lab.wait_for_engine(role)
    blocks = {"before": 0, "during": 2, "after": 12}[moment]
    lab.wait_for_blocks(blocks, tool)
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        assert moment == "after"
    return blocks


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_seals_what_is_finished(lab: Lab, number: signal.Signals) -> None:
    tool = lab.start("run", "--no-report", lab.experiment(TRANSFERS))
    lab.wait_for_blocks(2, tool)
    tool.send_signal(number)
    code, _, err = lab.end(tool)
    assert code == 130, err
    assert f"interrupted by {number.name}" in err
    assert manifest(lab.run())["status"] == "interrupted"
    assert lab.engines() == []
    check_and_resume(lab, 2)


def test_a_tool_that_is_killed_takes_its_engines_along(lab: Lab) -> None:
    tool = lab.start("run", "--no-report", lab.experiment(TRANSFERS))
    lab.wait_for_blocks(2, tool)
    tool.kill()
    lab.end(tool)
    until(lambda: lab.engines() == [], "the engines outlived their tool", 10.0)
    assert lab.run().state == "unsealed"
    assert len(lab.run().finished_blocks) >= 2
    assert lab.do("resume", "@last", "--no-report")[0] == 0
    assert check_integrity(lab.run().path).status == "ok"


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_disk_that_is_full_while_samples_are_written(lab: Lab) -> None:
    small = lab.folder / "small"
    small.mkdir()
    words = ["run", "--no-report", lab.experiment(MANY_SAMPLES), "--store", str(small / "runs")]
    lab.store.mkdir()
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", FILL_THE_DISK, str(small), str(lab.store), *lab.argv(*words)],
        env=lab.environment(),
        cwd=lab.folder,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if "No space left" in line or "disk full" in line]
    assert lines, done.stderr
    finished = len(lab.run().finished_blocks)
    assert finished > 0
    code, _, err = lab.do("resume", "@last", "--no-report")
    assert code == 0, err
    assert len(lab.run().finished_blocks) == 1500


def pair_order(folder: Path, exchange: str) -> PairOrder:
    """A small pair of the real engine, without the tool around it."""
    plan = resolve("quickstart", overrides=["reps=2", "sizes=[4KiB]", "limits.exchange_timeout_ms=3000"])
    (folder / "plan.json").write_bytes(plan.plan_bytes)
    (folder / "pair").mkdir()
    binding = plan.binding()
    sides = [
        Side(node.role, node.name, env=node.env, ucx_prefix=node.ucx_prefix)
        for node in sorted(binding.nodes, key=_role)
    ]
    return PairOrder(
        pair=0,
        planned_pair=0,
        folder=folder / "pair",
        plan_file=folder / "plan.json",
        blocks=[0, 1],
        owner=sides[0],
        consumer=sides[1],
        lane_env=plan.plan["lane"]["env"],
        deadlines=Deadlines(total_s=60, stall_s=30),
        exchange=exchange,
    )


def _role(node: object) -> bool:
    return getattr(node, "role", "") != "owner"


def test_the_tcp_exchange_works_and_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken, Interrupts() as stop:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        record = run_pair(pair_order(tmp_path, f"tcp:127.0.0.1:{port}"), LocalLauncher(), stop, lambda _: None)
        assert record.exit in (1, 5), record.cause
        assert str(port) in str(record.cause)
        assert "in use" in str(record.cause)
        taken.close()
        (tmp_path / "again").mkdir()
        record = run_pair(
            pair_order(tmp_path / "again", f"tcp:127.0.0.1:{port}"), LocalLauncher(), stop, lambda _: None
        )
        assert (record.exit, record.cause) == (0, None)


def test_a_stale_exchange_folder_of_an_earlier_pair_is_not_believed(tmp_path: Path) -> None:
    """Cards of another token lie there before the pair starts: the pair runs, or refuses in words; it never hangs."""
    order = pair_order(tmp_path, "dir")
    stale = order.folder / "exchange"
    stale.mkdir()
    earlier = engine_command(
        order.owner,
        engine=str(engine()),
        plan=str(order.plan_file),
        out=str(order.folder),
        exchange=f"dir:{stale}",
        token="00" * 16,
        pair=0,
        blocks=order.blocks,
        lane_env=order.lane_env,
    )
    with Child.start(LocalLauncher().start(earlier, "here"), log=tmp_path / "log", read_output=False):
        until(lambda: list(stale.glob("*.json")), "the earlier owner left no card")
    with Interrupts() as stop:
        record = run_pair(order, LocalLauncher(), stop, lambda _: None)
    assert record.exit in (0, 4), record.cause
    if record.exit:
        assert "token" in str(record.cause)
