"""Shows a run's progress on stderr: a bar with the time left on a terminal, else a line every few seconds.

Used by experiments.run_experiment, which tells it of pairs and passes on their progress; knows nothing of processes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, TextIO

from experiments.pair_vigil import Progress
from experiments.sizes import format_size

LINE_EVERY_S = 5.0
LABEL_WIDTH = 9


def step(label: str, text: str, out: TextIO | None = None) -> None:
    """One line of the log: `plan      quickstart  4 arms ...`."""
    print(f"{label:<{LABEL_WIDTH}} {text}", file=out or sys.stderr, flush=True)


class RunProgress:
    """The progress of all launched pairs of a run. A context manager; `of` is the number of samples still to take."""

    def __init__(
        self,
        plan: Mapping[str, Any],
        of: int,
        *,
        out: TextIO | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._plan = plan
        self._of = of
        self._out = out or sys.stderr
        self._now = now
        self._started = now()
        self._said = now()
        self._base = 0
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> RunProgress:
        if self._out.isatty():
            self._open_bar()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def pair_done(self, samples: int) -> None:
        """A pair has ended and left `samples` samples in finished blocks."""
        self._base += samples

    def note(self, label: str, text: str) -> None:
        """A line of the log while the bar is shown."""
        if self._bar is not None:
            self._bar.console.print(f"{label:<{LABEL_WIDTH}} {text}", markup=False, highlight=False, soft_wrap=True)
        else:
            step(label, text, self._out)

    def __call__(self, progress: Progress) -> None:
        """The running pair's own progress."""
        done = min(self._of, self._base + progress.done)
        where = cell_label(self._plan, progress.cell)
        if self._bar is not None:
            self._bar.update(self._task, completed=done, where=where)
            return
        now = self._now()
        if now - self._said >= LINE_EVERY_S:
            self._said = now
            step(
                "running", f"{done}/{self._of} samples  {where}  {left(now - self._started, done, self._of)}", self._out
            )

    def _open_bar(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn(f"{'running':<{LABEL_WIDTH}}"),
            BarColumn(bar_width=40),
            TextColumn("{task.fields[where]}", markup=False),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=Console(file=self._out),
            transient=True,
        )
        self._task = self._bar.add_task("running", total=self._of, where="starting")
        self._bar.start()


def cell_label(plan: Mapping[str, Any], cell: int) -> str:
    """`rdma+get 1 MiB` for a cell id; the id itself where the plan has no such cell."""
    try:
        entry = plan["cells"][cell]
        return f"{plan['arms'][entry['arm']]['name']} {format_size(entry['size'])}"
    except (KeyError, IndexError, TypeError):
        return f"cell {cell}"


def left(elapsed_s: float, done: int, of: int) -> str:
    """`0:00:21 left`, in proportion to what is done; blocks are alike, so this is good after the first."""
    if done <= 0:
        return "time left unknown"
    seconds = round(elapsed_s * (of - done) / done)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02} left"
