"""One pair from start to end, with a stand-in for the engine: every way to end, the deadlines, nothing left behind."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from experiments.children import Child
from experiments.engine_command import Deadlines, Side
from experiments.engine_pair import PairOrder, run_pair
from experiments.interrupts import Interrupts
from experiments.launchers.local import LocalLauncher
from experiments.pair_vigil import Progress
from store.errors import Exit
from store.records import PairRecord

STAND_IN = str(Path(__file__).with_name("stand_in_engine.py"))
ARM = {"name": "a", "path": "rdma", "read": "get", "via": "am", "staging": "pinned", "min_bytes": 0}
PLAN: dict[str, Any] = {
    "arms": [{**ARM, "chunk": 4096, "depth": 1}],
    "cells": [{"arm": 0, "size": 4096}, {"arm": 0, "size": 8192}],
    "blocks": [{"pair": 0, "rep": rep, "warmup": rep == 0, "cells": [0, 1]} for rep in range(3)],
}
PATIENT = Deadlines(total_s=60.0, stall_s=30.0, follow_s=20.0, grace_s=10.0)
BRIEF = Deadlines(total_s=60.0, stall_s=30.0, follow_s=0.1, fault_follow_s=0.1, grace_s=10.0)


@pytest.fixture
def stop() -> Iterator[Interrupts]:
    with Interrupts() as handlers:
        yield handlers


class Pair:
    """A pair of stand-ins in a folder of its own."""

    def __init__(self, folder: Path, stop: Interrupts, engine: str = STAND_IN) -> None:
        self.folder = folder
        self.engine = engine
        self.stop = stop
        self.seen: list[Progress] = []
        (folder / "plan.json").write_text(json.dumps(PLAN))
        (folder / "pair").mkdir()

    def run(
        self,
        *,
        owner: str = "run",
        consumer: str = "run",
        deadlines: Deadlines = PATIENT,
        watch: Callable[[Progress], None] = lambda _: None,
    ) -> PairRecord:
        def note(progress: Progress) -> None:
            self.seen.append(progress)
            watch(progress)

        order = PairOrder(
            pair=0,
            planned_pair=0,
            folder=self.folder / "pair",
            plan_file=self.folder / "plan.json",
            blocks=[0, 1, 2],
            owner=Side("owner", "local", env={"OWNER_DOES": owner}, engine=self.engine),
            consumer=Side("consumer", "local", env={"CONSUMER_DOES": consumer}, engine=self.engine),
            lane_env={"UCX_TLS": "tcp"},
            deadlines=deadlines,
        )
        record = run_pair(order, LocalLauncher(), self.stop, note)
        assert record.owner.exit is not None or record.owner.signal is not None or owner == "stubborn"
        assert record.consumer.exit is not None or record.consumer.signal is not None
        assert not (self.folder / "pair" / "exchange").exists()
        return record


@pytest.fixture
def pair(tmp_path: Path, stop: Interrupts) -> Pair:
    return Pair(tmp_path, stop)


def test_a_good_pair_ends_done_and_its_progress_is_seen(pair: Pair) -> None:
    record = pair.run()
    assert (record.exit, record.cause) == (0, None)
    assert [(seen.done, seen.of) for seen in pair.seen] == [(done, 6) for done in range(1, 7)]


def test_nothing_inherited_reaches_the_engine(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UCX_TLS", "all")
    monkeypatch.setenv("UCX_RNDV_THRESH", "1")
    pair.run()
    assert json.loads((pair.folder / "pair" / "consumer.json").read_text())["ucx"]["env"] == {
        "UCX_TLS": "tcp",
        "UCX_PROTO_INFO": "y",
        "UCX_LOG_FILE": f"{pair.folder}/pair/consumer.ucx.log",
    }


@pytest.mark.parametrize("code", [1, 2, 3, 5])
def test_an_exit_code_of_the_engine_is_the_tools(pair: Pair, code: int) -> None:
    record = pair.run(
        consumer=f"exit:{code}|rdmalab_engine consumer: lane, GET: not this way; try that", deadlines=BRIEF
    )
    assert (record.exit, record.cause) == (code, "consumer: lane, GET: not this way; try that")


def test_the_first_fault_is_the_cause_and_not_the_survivors_code(pair: Pair) -> None:
    record = pair.run(owner="exit:5|rdmalab_engine owner: memlock is 64 KiB", deadlines=BRIEF)
    assert (record.exit, record.cause) == (5, "owner: memlock is 64 KiB")


def test_an_owner_that_is_killed_is_named(pair: Pair) -> None:
    def kill_owner(progress: Progress) -> None:
        if progress.done == 5:
            os.kill(_pid_of(pair.folder, "owner"), signal.SIGKILL)

    record = pair.run(consumer="hang", watch=kill_owner, deadlines=BRIEF)
    assert (record.exit, record.cause) == (4, "the owner was killed by SIGKILL")
    assert record.owner.signal == "SIGKILL"
    assert (pair.folder / "pair" / "samples.jsonl").read_text().count('"kind":"block"') == 2


def test_a_stopped_consumer_is_named_and_ended(pair: Pair) -> None:
    def stop_consumer(progress: Progress) -> None:
        if progress.done == 5:
            os.kill(_pid_of(pair.folder, "consumer"), signal.SIGSTOP)

    record = pair.run(consumer="hang", watch=stop_consumer, deadlines=Deadlines(total_s=60, stall_s=0.5))
    assert record.exit == 4
    assert record.cause is not None
    assert record.cause.startswith("no progress for 0 s, last in block 2")
    assert "the consumer had been stopped" in record.cause


def test_an_owner_that_stays_is_ended_after_the_consumer(pair: Pair) -> None:
    record = pair.run(owner="linger", deadlines=BRIEF)
    assert (record.exit, record.cause) == (4, "the owner did not end within 0 s after the consumer")


def test_a_process_that_cannot_be_killed_is_named_and_not_waited_for(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that hangs in a driver; here its KILL is simply not sent."""
    monkeypatch.setattr("experiments.children.KILL_S", 0.05)
    signal_group = Child._signal_group
    monkeypatch.setattr(
        Child, "_signal_group", lambda self, number: None if number == signal.SIGKILL else signal_group(self, number)
    )
    deadlines = Deadlines(total_s=60.0, stall_s=30.0, follow_s=0.1, fault_follow_s=0.1, grace_s=0.1)
    try:
        record = pair.run(owner="stubborn", deadlines=deadlines)
    finally:
        os.kill(_pid_of(pair.folder, "owner"), signal.SIGKILL)
    assert record.exit == 4
    assert "hangs inside the kernel and cannot be killed" in str(record.cause)


def test_an_interrupt_ends_both_and_keeps_what_was_finished(pair: Pair) -> None:
    record = pair.run(
        consumer="hang", watch=lambda seen: os.kill(os.getpid(), signal.SIGINT) if seen.done == 5 else None
    )
    assert (record.exit, record.cause) == (130, "interrupted by SIGINT")
    assert (pair.folder / "pair" / "samples.jsonl").read_text().count('"kind":"block"') == 2


def test_exit_zero_without_an_end_line_is_not_believed(pair: Pair) -> None:
    record = pair.run(consumer="exit:0", owner="exit:0")
    assert record.exit == Exit.FAILED
    assert "without its end line" in str(record.cause)


def test_an_engine_that_is_not_there_cannot_run(tmp_path: Path, stop: Interrupts) -> None:
    record = Pair(tmp_path, stop, engine=str(tmp_path / "gone")).run()
    assert record.exit == Exit.CANNOT_RUN
    assert "No such file" in str(record.cause)


def _pid_of(folder: Path, role: str) -> int:
    """The stand-in of this test, found by its --out folder and role."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                arguments = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if f"--out={folder}/pair".encode() in arguments and f"--role={role}".encode() in arguments:
                return int(entry.name)
    raise AssertionError(f"no {role} is running")
