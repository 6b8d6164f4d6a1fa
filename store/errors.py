"""The one exception of the project and its exit codes. Libraries raise LabError; only `cli` prints it and exits."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of the engine and of the tool alike."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    WRONG_LANE = 3
    PEER_LOST = 4
    CANNOT_RUN = 5
    INTERRUPTED = 130


class LabError(Exception):
    """What went wrong, in one line, with what to do about it and the exit code it means."""

    def __init__(self, message: str, *, advice: str | None = None, exit_code: Exit = Exit.FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.exit_code = exit_code

    def __str__(self) -> str:
        return self.message if self.advice is None else f"{self.message}\n  {self.advice}"
