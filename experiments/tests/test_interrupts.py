"""Signals become a request; the second one is in a hurry; the former handlers come back."""

import os
import select
import signal

import pytest

from experiments.interrupts import Interrupts


@pytest.mark.parametrize("number", Interrupts.SIGNALS)
def test_a_signal_is_a_request_and_wakes_a_selector(number: signal.Signals) -> None:
    with Interrupts() as stop:
        os.kill(os.getpid(), number)
        assert select.select([stop.fd], [], [], 10)[0]
        assert (stop.requested, stop.hurry) == (number, False)
        stop.drain()
        assert not select.select([stop.fd], [], [], 0)[0]


def test_a_second_signal_is_in_a_hurry_and_the_first_one_is_remembered() -> None:
    with Interrupts() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
        assert (stop.requested, stop.hurry) == (signal.SIGINT, True)


def test_before_anything_is_written_a_signal_ends_at_once() -> None:
    with Interrupts(at_once=True) as stop:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        stop.hold()
        os.kill(os.getpid(), signal.SIGTERM)
        assert (stop.requested, stop.hurry) == (signal.SIGTERM, False)


def test_the_former_handlers_come_back() -> None:
    before = [signal.getsignal(number) for number in Interrupts.SIGNALS]
    with Interrupts():
        pass
    assert [signal.getsignal(number) for number in Interrupts.SIGNALS] == before
