"""A check as the preflight makes it: what it looked at, what it found, what to do; and the exit code where it refuses.

`run` stores the records, `doctor` prints them. A failed check with a `requirement` refuses a run whose experiment asks
for that requirement (and can be waived); a failed one without always refuses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from store.errors import Exit, LabError
from store.records import PreflightCheck

Status = Literal["passed", "warning", "failed", "not_applicable"]


@dataclass(frozen=True)
class Check:
    """One check. `node` None: about the pair. `exit_code` counts only where the status is failed."""

    name: str
    node: str | None
    status: Status
    result: str
    advice: str | None = None
    requirement: str | None = None
    exit_code: Exit = Exit.CANNOT_RUN

    def record(self) -> PreflightCheck:
        """The check as the run folder keeps it."""
        return PreflightCheck(
            name=self.name,
            node=self.node,
            status=self.status,
            result=self.result,
            advice=self.advice,
            requirement=self.requirement,
        )

    def refusal(self) -> LabError:
        """The error that a failed check means for a run."""
        where = f"{self.node}: " if self.node else ""
        return LabError(f"{where}{self.result}", advice=self.advice, exit_code=self.exit_code)


def passed(name: str, node: str | None, result: str, requirement: str | None = None) -> Check:
    """What was looked for is there."""
    return Check(name, node, "passed", result, requirement=requirement)


def warning(name: str, node: str | None, result: str, advice: str) -> Check:
    """It can run, and its numbers may mean less."""
    return Check(name, node, "warning", result, advice)


def failed(
    name: str,
    node: str | None,
    result: str,
    advice: str,
    *,
    requirement: str | None = None,
    exit_code: Exit = Exit.CANNOT_RUN,
) -> Check:
    """It cannot run, or not as asked."""
    return Check(name, node, "failed", result, advice, requirement, exit_code)


def not_applicable(name: str, node: str | None, result: str, requirement: str | None = None) -> Check:
    """The check says nothing about this run; `result` says why."""
    return Check(name, node, "not_applicable", result, requirement=requirement)


def first_refusal(checks: Iterable[Check]) -> LabError | None:
    """The error of the first failed check that no requirement governs, or None."""
    return next((check.refusal() for check in checks if check.status == "failed" and check.requirement is None), None)
