"""A process that the tool started: in a session of its own, watched by a pidfd, ended as a group, reaped once.

Used by experiments.engine_pair. Ending is TERM, then a grace that the caller keeps, then KILL; the group is killed
while its leader is still unreaped, so its number cannot belong to anyone else.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from store.durable import cannot_write
from store.errors import Exit, LabError
from store.write import utc_text

KILL_S = 10.0  # a killed process is gone in milliseconds, unless it hangs inside the kernel


class Child:
    """One started process. Use as a context manager: leaving it kills and reaps whatever is left."""

    def __init__(self, process: subprocess.Popen[bytes], ends_by: Literal["signal", "stdin"]) -> None:
        self.process = process
        self.pidfd = os.pidfd_open(process.pid)
        self.ended_at: float | None = None
        self.ended_utc: str | None = None
        self.ended_badly = False
        self.asked_to_end = False
        self._ends_by = ends_by

    @classmethod
    def start(
        cls, argv: list[str], *, log: Path, read_output: bool, ends_by: Literal["signal", "stdin"] = "signal"
    ) -> Child:
        """Start `argv`; stderr goes to `log`, stdout to a pipe or to `log` too. LabError when it cannot be started."""
        try:
            with log.open("ab") as out:
                process = subprocess.Popen(
                    argv,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE if read_output else out,
                    stderr=out,
                    start_new_session=True,
                    bufsize=0,
                )
        except FileNotFoundError as error:
            if error.filename == str(log):
                raise cannot_write(log, error) from error
            raise LabError(f"{argv[0]}: no such program", exit_code=Exit.CANNOT_RUN) from error
        except OSError as error:
            raise LabError(f"cannot start {argv[0]}: {error.strerror}", exit_code=Exit.CANNOT_RUN) from error
        return cls(process, ends_by)

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *exception: object) -> None:
        self.finish()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        os.close(self.pidfd)

    @property
    def is_stopped(self) -> bool:
        """Whether someone has stopped the process (SIGSTOP, a debugger)."""
        try:
            state = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (OSError, IndexError):
            return False
        return state in ("T", "t")

    def note_end(self) -> None:
        """Remember now as the moment at which the process was seen to have ended."""
        if self.ended_at is None:
            self.ended_at = time.monotonic()
            self.ended_utc = utc_text(datetime.now(UTC))
            if self.process.returncode is None:  # looked at without reaping: `finish` still needs the group
                end = os.waitid(os.P_PIDFD, self.pidfd, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                self.ended_badly = end is not None and (end.si_code != os.CLD_EXITED or end.si_status != 0)

    def ask_to_end(self) -> None:
        """TERM to the group and CONT, so that a stopped one can obey; or stdin closed where that is how."""
        self.asked_to_end = self.asked_to_end or self.ended_at is None
        if self._ends_by == "stdin" and self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
            return
        self._signal_group(signal.SIGTERM)
        self._signal_group(signal.SIGCONT)

    def finish(self) -> None:
        """KILL what is left of the group and reap its leader. Idempotent.

        A process that hangs inside the kernel (a driver, a dead file system) does not even obey that: it is left behind
        unreaped, with `process.returncode` None, rather than waited for without an end.
        """
        if self.process.returncode is not None:
            return
        if os.waitid(os.P_PIDFD, self.pidfd, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            self.asked_to_end = True  # still running: what follows is our doing
        self._signal_group(signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(KILL_S)

    def _signal_group(self, number: signal.Signals) -> None:
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, number)
