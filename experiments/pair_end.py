"""Judges how a pair ended, from both of its sides. Pure: takes what was seen, returns the exit code and the cause.

When one process dies, UCX may abort or fail the other, and that one's exit code then tells the consequence, not the
cause. So the first fault that is no known consequence decides; and an exit code is never believed against the
consumer's end line.
"""

from __future__ import annotations

import re
import signal as signals
from dataclasses import dataclass
from typing import Any

from readers import ucx_errors, verbs_errors
from store.errors import Exit

# What UCX prints before it aborts a process whose peer has gone (1.20 to 1.22, tcp, shm and rc).
UCX_ABORT = re.compile(r"Fatal: .*|Assertion `.*' failed.*|.*unexpected error: Endpoint timeout.*")
ENGINE_LINE = re.compile(r"^rdmalab_engine (?:owner|consumer|loopback): (?P<text>.+)$")
START_CODES = (125, 126, 127)  # env, taskset and setpriv when they cannot start the program


@dataclass(frozen=True)
class SideEnd:
    """How one process ended. `ended_s` is the monotonic time; `asked` that the tool ended it before it ended itself."""

    role: str
    exit: int | None
    signal: str | None
    ended_s: float
    asked: bool = False
    log_tail: str = ""
    lost: str | None = None

    @property
    def failed(self) -> bool:
        """Whether it ended by itself and badly."""
        return not self.asked and (self.lost is not None or self.signal is not None or self.exit != 0)

    @property
    def is_consequence(self) -> bool:
        """Whether this is how a survivor ends: it says that its peer is lost, or UCX aborted it with a known text."""
        if self.lost is not None:
            return False
        if self.signal == "SIGABRT":
            return UCX_ABORT.search(self.log_tail) is not None
        return self.signal is None and self.exit == Exit.PEER_LOST


@dataclass(frozen=True)
class PairEnd:
    """The verdict: the tool's exit code for this pair and its cause in one line."""

    exit: Exit
    cause: str | None


def judge(
    owner: SideEnd,
    consumer: SideEnd,
    *,
    end_line: dict[str, Any] | None,
    interrupted: str | None = None,
    overdue: str | None = None,
) -> PairEnd:
    """`end_line` is the consumer's; `interrupted` and `overdue` say why the tool itself ended the pair."""
    if interrupted is not None:
        return PairEnd(Exit.INTERRUPTED, interrupted)
    faults = [side for side in (owner, consumer) if side.failed]
    if faults:
        first = min(faults, key=lambda side: (side.is_consequence, side.ended_s))
        return PairEnd(_exit_of(first), _explained(_cause(first), first.log_tail))
    if overdue is not None:
        return PairEnd(Exit.PEER_LOST, _explained(overdue, owner.log_tail + consumer.log_tail))
    if end_line is None:
        return PairEnd(Exit.FAILED, "the consumer ended without its end line; the last block line is what counts")
    if end_line.get("status") != "done" or end_line.get("exit") != 0:
        code = end_line.get("exit")
        known = Exit(code) if code in set(Exit) - {Exit.DONE} else Exit.FAILED
        return PairEnd(
            known, f"consumer: {_error_text(end_line) or 'its end line says ' + str(end_line.get('status'))}"
        )
    return PairEnd(Exit.DONE, None)


def read_status(returncode: int) -> tuple[int | None, str | None]:
    """(exit code, signal name) of a wait status; 128 + n, as shells on other nodes tell it, is signal n."""
    number = -returncode if returncode < 0 else returncode - 128 if 130 < returncode <= 192 else 0
    if number:
        try:
            return None, signals.Signals(number).name
        except ValueError:
            return None, f"signal {number}"
    return returncode, None


def _exit_of(side: SideEnd) -> Exit:
    if side.lost is not None or side.signal is not None:
        return Exit.PEER_LOST
    if side.exit in START_CODES:
        return Exit.CANNOT_RUN
    return Exit(side.exit) if side.exit in set(Exit) else Exit.FAILED


def _cause(side: SideEnd) -> str:
    if side.lost is not None:
        return f"{side.role}: {side.lost}"
    if side.signal is not None:
        abort = UCX_ABORT.search(side.log_tail) if side.signal == "SIGABRT" else None
        return f"the {side.role} was killed by {side.signal}" + (f" ({abort.group(0).strip()})" if abort else "")
    return f"{side.role}: {last_words(side.log_tail) or f'ended with exit code {side.exit} and no message'}"


def _explained(cause: str, log_tail: str) -> str:
    """The cause with what a known message of UCX or libibverbs in the log means, and what to do about it."""
    findings = (*ucx_errors.read(log_tail).findings, *verbs_errors.read(log_tail).findings)
    known = next((finding for finding in findings if finding.level in ("error", "fatal")), None)
    return cause if known is None else f"{cause}; {known.cause}: {known.advice}"


def last_words(log_tail: str) -> str | None:
    """The engine's last failure line without its prefix, else the log's last line."""
    lines = [line.strip() for line in log_tail.splitlines() if line.strip()]
    for line in reversed(lines):
        match = ENGINE_LINE.match(line)
        if match:
            return match["text"]
    return lines[-1] if lines else None


def _error_text(end_line: dict[str, Any]) -> str | None:
    error = end_line.get("error")
    return str(error.get("text")) if isinstance(error, dict) else None
