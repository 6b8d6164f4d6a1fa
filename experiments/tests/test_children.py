"""A child ends as a group, is reaped once, and what cannot be started is said."""

import os
import select
import signal
import time
from pathlib import Path

import pytest

from experiments.children import Child
from store.errors import Exit, LabError


def sh(script: str, tmp_path: Path) -> Child:
    return Child.start(["/bin/sh", "-c", script], log=tmp_path / "log", read_output=True)


def ended(child: Child) -> None:
    assert select.select([child.pidfd], [], [], 20)[0], "it did not end"
    child.note_end()


def test_leaving_the_context_kills_the_whole_group(tmp_path: Path) -> None:
    with sh("sleep 300 & echo $!; wait", tmp_path) as child:
        assert child.process.stdout is not None
        grandchild = os.pidfd_open(int(child.process.stdout.readline()))
    assert child.process.returncode == -9
    assert child.asked_to_end
    assert select.select([grandchild], [], [], 20)[0], "the grandchild stayed"
    os.close(grandchild)


def test_a_stopped_child_obeys_the_request_to_end(tmp_path: Path) -> None:
    with sh("trap 'exit 7' TERM; echo up; while :; do sleep 0.01; done", tmp_path) as child:
        assert child.process.stdout is not None
        child.process.stdout.readline()
        os.kill(child.process.pid, signal.SIGSTOP)
        deadline = time.monotonic() + 20
        while not child.is_stopped:
            assert time.monotonic() < deadline, "it was never stopped"
        child.ask_to_end()
        ended(child)
    assert child.process.returncode == 7


@pytest.mark.parametrize(("script", "badly"), [("exit 0", False), ("exit 3", True), ("kill -9 $$", True)])
def test_whether_it_ended_badly_is_seen_before_it_is_reaped(tmp_path: Path, script: str, badly: bool) -> None:
    with sh(script, tmp_path) as child:
        ended(child)
        assert (child.ended_badly, child.asked_to_end) == (badly, False)


def test_closing_standard_input_is_the_other_way_to_ask(tmp_path: Path) -> None:
    with Child.start(["/bin/cat"], log=tmp_path / "log", read_output=True, ends_by="stdin") as child:
        child.ask_to_end()
        ended(child)
    assert child.process.returncode == 0


def test_what_cannot_be_started_is_said(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="/no/such: no such program") as caught:
        Child.start(["/no/such"], log=tmp_path / "log", read_output=False)
    assert caught.value.exit_code == Exit.CANNOT_RUN
    with pytest.raises(LabError, match="cannot write"):
        Child.start(["/bin/true"], log=tmp_path / "absent" / "log", read_output=False)
