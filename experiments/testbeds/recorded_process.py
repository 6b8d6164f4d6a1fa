"""A process that a testbed started and wrote down, so that a later command ends exactly that one and no other.

A pid alone is not enough: it is used again. The kernel's start time of the process and the boot it belongs to make it
unique; after a reboot every recorded process is gone by definition.
"""

from __future__ import annotations

import os
import select
import signal
from dataclasses import dataclass
from pathlib import Path

_STATE, _START_TIME = 0, 19  # fields of /proc/PID/stat after the command, see proc(5)


@dataclass(frozen=True)
class RecordedProcess:
    """pid, start time in clock ticks since boot, and the boot's identity."""

    pid: int
    start_ticks: int
    boot_id: str

    @classmethod
    def of(cls, pid: int) -> RecordedProcess | None:
        """The record of a process that runs now, or None where it does not."""
        fields = _stat(pid)
        return None if fields is None else cls(pid, int(fields[_START_TIME]), _boot_id())

    def alive(self) -> bool:
        """Whether this very process still runs; a zombie does not."""
        fields = _stat(self.pid)
        return (
            fields is not None
            and fields[_STATE] != "Z"
            and int(fields[_START_TIME]) == self.start_ticks
            and _boot_id() == self.boot_id
        )

    def end(self, grace_s: float) -> bool:
        """TERM, then KILL after `grace_s`. False where it was gone already. Never touches another process."""
        try:
            handle = os.pidfd_open(self.pid)
        except (ProcessLookupError, OSError):
            return False
        try:
            # The handle now pins whichever process has the number; only then is it compared with the record.
            if not self.alive():
                return False
            for number, wait_s in ((signal.SIGTERM, grace_s), (signal.SIGKILL, grace_s)):
                signal.pidfd_send_signal(handle, number)
                ended, _, _ = select.select([handle], [], [], wait_s)
                if ended:
                    return True
        except ProcessLookupError:
            return True
        finally:
            os.close(handle)
        return False


def _stat(pid: int) -> list[str] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The command stands in brackets and may contain anything, brackets included.
    return text.rpartition(")")[2].split()


def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
