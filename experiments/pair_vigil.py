"""Watches a running pair: progress lines, both ends, the deadlines, an interrupt; asks and then forces both to end.

Used by experiments.engine_pair. Ends are seen through pidfds, so their order is that in which they happened.
"""

from __future__ import annotations

import json
import os
import selectors
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from experiments.children import Child
from experiments.engine_command import Deadlines
from experiments.interrupts import Interrupts

LONGEST_LINE_BYTES: Final = 1 << 16


@dataclass(frozen=True)
class Progress:
    """How far the consumer is: samples done of those asked, and in which block and cell."""

    done: int
    of: int
    block: int
    cell: int


class Vigil:
    """One watch over one pair. After `keep`, both have ended, and the three texts say what the tool had to do."""

    def __init__(
        self,
        owner: Child,
        consumer: Child,
        deadlines: Deadlines,
        stop: Interrupts,
        watch: Callable[[Progress], None],
    ) -> None:
        self.interrupted: str | None = None
        self.overdue: str | None = None
        self.stopped: str | None = None
        self._children = {"owner": owner, "consumer": consumer}
        self._deadlines = deadlines
        self._stop = stop
        self._watch = watch
        self._text = b""
        self._last_progress: Progress | None = None
        started = time.monotonic()
        self._total_at = started + deadlines.total_s
        self._stall_at = started + deadlines.stall_s
        self._follow_at: float | None = None
        self._follow_s = deadlines.follow_s
        self._kill_at: float | None = None

    def keep(self) -> None:
        """Watch until both have ended; never longer than the deadlines allow."""
        with selectors.DefaultSelector() as selector:
            for role, child in self._children.items():
                selector.register(child.pidfd, selectors.EVENT_READ, role)
            output = self._children["consumer"].process.stdout
            assert output is not None
            os.set_blocking(output.fileno(), False)
            selector.register(output, selectors.EVENT_READ, "progress")
            selector.register(self._stop.fd, selectors.EVENT_READ, "stop")
            if self._stop.requested:
                self._note_stop()
            while any(self._running()):
                wait = max(0.0, self._next_deadline() - time.monotonic())
                for key, _ in selector.select(wait):
                    self._handle(str(key.data), selector, key.fileobj)
                self._check_deadlines()

    def _running(self) -> Iterator[tuple[str, Child]]:
        return ((role, child) for role, child in self._children.items() if child.ended_at is None)

    def _next_deadline(self) -> float:
        if self._kill_at is not None:
            return self._kill_at
        known = (self._total_at, self._stall_at, self._follow_at)
        return min(moment for moment in known if moment is not None)

    def _handle(self, source: str, selector: selectors.BaseSelector, file: object) -> None:
        if source in self._children:
            child = self._children[source]
            selector.unregister(child.pidfd)
            child.note_end()
            self._follow_s = self._deadlines.fault_follow_s if child.ended_badly else self._deadlines.follow_s
            self._follow_at = time.monotonic() + self._follow_s
        elif source == "progress":
            if not self._read_progress():
                selector.unregister(file)  # type: ignore[arg-type]
        else:
            self._stop.drain()
            self._note_stop()

    def _note_stop(self) -> None:
        if self._stop.requested is None:
            return
        self.interrupted = self.interrupted or f"interrupted by {self._stop.requested.name}"
        if self._stop.hurry:
            self._kill_at = time.monotonic()
        elif self._kill_at is None:
            self._ask()

    def _check_deadlines(self) -> None:
        now = time.monotonic()
        if self._kill_at is not None:
            if now >= self._kill_at:
                for _, child in self._running():
                    child.finish()
                    child.note_end()
            return
        if self._follow_at is not None:
            if now >= self._follow_at and any(self._running()):
                role, child = next(self._running())
                other = next(name for name in self._children if name != role)
                self._overdue(f"the {role} did not end within {self._follow_s:.0f} s after the {other}")
        elif now >= self._total_at:
            self._overdue(f"the pair ran longer than its deadline of {self._deadlines.total_s:.0f} s")
        elif now >= self._stall_at:
            where = f", last in block {self._last_progress.block}" if self._last_progress else " since the start"
            self._overdue(f"no progress for {self._deadlines.stall_s:.0f} s{where}")

    def _overdue(self, text: str) -> None:
        self.overdue = text
        self._ask()

    def _ask(self) -> None:
        stopped = [role for role, child in self._running() if child.is_stopped]
        if stopped:
            self.stopped = f"the {' and the '.join(stopped)} had been stopped by a signal"
        for _, child in self._running():
            child.ask_to_end()
        self._kill_at = time.monotonic() + self._deadlines.grace_s

    def _read_progress(self) -> bool:
        """Take in what the consumer has printed; False at its end."""
        output = self._children["consumer"].process.stdout
        assert output is not None
        try:
            chunk = os.read(output.fileno(), LONGEST_LINE_BYTES)
        except BlockingIOError:
            return True
        *lines, self._text = (self._text + chunk).split(b"\n")
        self._text = self._text[-LONGEST_LINE_BYTES:]
        for line in lines:
            progress = _progress_of(line)
            if progress is not None:
                self._last_progress = progress
                self._stall_at = time.monotonic() + self._deadlines.stall_s
                self._watch(progress)
        return bool(chunk)


def _progress_of(line: bytes) -> Progress | None:
    """A progress line as data; None for anything else that stands in the stream."""
    try:
        value = json.loads(line)
        if value["kind"] != "progress":
            return None
        return Progress(int(value["done"]), int(value["of"]), int(value["block"]), int(value["cell"]))
    except (ValueError, TypeError, KeyError):
        return None
