"""Progress without a terminal: a line every few seconds, in words and with the time left."""

import io
from typing import Any

import pytest

from experiments.pair_vigil import Progress
from experiments.progress import LINE_EVERY_S, RunProgress, cell_label, left, step

PLAN: dict[str, Any] = {"arms": [{"name": "rdma+get"}], "cells": [{"arm": 0, "size": 1 << 20}]}


class Clock:
    """A clock that is told the time."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_line_every_few_seconds_and_none_between() -> None:
    out, clock = io.StringIO(), Clock()
    with RunProgress(PLAN, 40, out=out, now=clock) as progress:
        progress(Progress(1, 20, 0, 0))
        assert out.getvalue() == ""
        clock.now += LINE_EVERY_S
        progress(Progress(10, 20, 1, 0))
        progress(Progress(11, 20, 1, 0))
        progress.pair_done(20)
        clock.now += LINE_EVERY_S
        progress(Progress(10, 20, 3, 0))
    assert out.getvalue() == (
        "running   10/40 samples  rdma+get 1MiB  0:00:15 left\nrunning   30/40 samples  rdma+get 1MiB  0:00:03 left\n"
    )


def test_a_repeated_warm_up_never_counts_beyond_the_whole() -> None:
    out, clock = io.StringIO(), Clock()
    with RunProgress(PLAN, 10, out=out, now=clock) as progress:
        clock.now += LINE_EVERY_S
        progress(Progress(15, 15, 0, 0))
    assert "10/10 samples" in out.getvalue()


@pytest.mark.parametrize(
    ("elapsed", "done", "of", "text"),
    [
        (10, 5, 10, "0:00:10 left"),
        (3600, 1, 3, "2:00:00 left"),
        (1, 0, 5, "time left unknown"),
        (5, 5, 5, "0:00:00 left"),
    ],
)
def test_time_left_is_in_proportion(elapsed: float, done: int, of: int, text: str) -> None:
    assert left(elapsed, done, of) == text


def test_an_unknown_cell_is_shown_by_its_number() -> None:
    assert cell_label(PLAN, 7) == "cell 7"


def test_a_step_is_a_label_and_a_text() -> None:
    out = io.StringIO()
    step("plan", "quickstart", out)
    assert out.getvalue() == "plan      quickstart\n"
