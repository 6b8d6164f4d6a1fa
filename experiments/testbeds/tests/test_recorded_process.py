"""A recorded process is ended, and no other."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from experiments.testbeds.recorded_process import RecordedProcess


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "1000"]) as process:
        yield process
        process.kill()


def record(process: subprocess.Popen[bytes]) -> RecordedProcess:
    found = RecordedProcess.of(process.pid)
    assert found is not None
    return found


def test_it_is_ended(sleeper: subprocess.Popen[bytes]) -> None:
    known = record(sleeper)
    assert known.alive()
    assert known.end(10)
    assert sleeper.wait(10) == -15
    assert not known.alive() and not known.end(1)


def test_one_that_ignores_a_term_is_killed() -> None:
    script = "import signal,sys; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); signal.pause()"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert record(process).end(0.2)
        assert process.wait(10) == -9


def test_the_same_number_of_another_start_is_left_alone(sleeper: subprocess.Popen[bytes]) -> None:
    known = record(sleeper)
    other = replace(known, start_ticks=known.start_ticks - 1)
    assert not other.alive() and not other.end(1)
    assert sleeper.poll() is None


def test_the_same_number_of_another_boot_is_left_alone(sleeper: subprocess.Popen[bytes]) -> None:
    other = replace(record(sleeper), boot_id="another")
    assert not other.alive() and not other.end(1)
    assert sleeper.poll() is None


def test_what_has_ended_has_no_record() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert RecordedProcess.of(process.pid) is None
