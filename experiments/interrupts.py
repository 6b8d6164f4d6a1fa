"""Turns Ctrl-C and SIGTERM into a request that loops look at, so that children end and finished blocks are sealed.

`with Interrupts() as stop:` in the main thread; `stop.requested` says it came, `stop.fd` becomes readable then, and a
second signal sets `stop.hurry`: no more grace for the children. `Interrupts(at_once=True)` raises KeyboardInterrupt
instead until `hold` is called: while nothing is written yet, there is nothing to wait for.
"""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import Any


class Interrupts:
    """The handlers of SIGINT, SIGTERM and SIGHUP while it is entered; the former ones come back afterwards."""

    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self, *, at_once: bool = False) -> None:
        self._at_once = at_once
        self.requested: signal.Signals | None = None
        self.hurry = False
        self.fd, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._former: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        for number in self.SIGNALS:
            self._former[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)
        os.close(self.fd)
        os.close(self._write)

    def hold(self) -> None:
        """From now on a signal is a request, whatever it was before."""
        self._at_once = False

    def drain(self) -> None:
        """Empty the pipe, so that a selector does not report the same signal again."""
        try:
            os.read(self.fd, 64)
        except BlockingIOError:
            return

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._at_once:
            raise KeyboardInterrupt
        self.hurry = self.requested is not None
        self.requested = self.requested or signal.Signals(number)
        try:
            os.write(self._write, b"!")
        except BlockingIOError:
            return
