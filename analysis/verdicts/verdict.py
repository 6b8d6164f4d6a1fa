"""What a verdict is: data with a statement. Each kind is a file here that exports one function of (Study, asked)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from analysis.numbers import plain

Asked: TypeAlias = Mapping[str, Any]
"""A verdict's parameters as the plan has them, e.g. {"of": "rdma", "over": "chunked", "confidence": 0.95}."""


@dataclass(frozen=True)
class Verdict:
    """statement: marked text (analysis.numbers), without its scope; data: the same for programs, sizes in bytes.

    inconclusive_because: why the samples do not decide; then the statement says so. details: further marked lines.
    """

    kind: str
    subject: str
    scope: str
    statement: str
    data: dict[str, Any] = field(default_factory=dict)
    inconclusive_because: str | None = None
    details: tuple[str, ...] = ()

    @property
    def answer(self) -> str:
        """The answer line, which always carries its scope: `on tcp, emulated GET: ...`; marked text."""
        return f"on {self.scope}: {self.statement}"

    def to_json(self) -> dict[str, Any]:
        """For machines; texts without marks."""
        return {
            "kind": self.kind,
            "subject": self.subject,
            "scope": self.scope,
            "statement": plain(self.statement),
            "inconclusive_because": None if self.inconclusive_because is None else plain(self.inconclusive_because),
            "data": self.data,
            "details": [plain(line) for line in self.details],
        }


def inconclusive(kind: str, subject: str, scope: str, because: str, **data: Any) -> Verdict:
    """The verdict that the samples do not decide, and why."""
    return Verdict(kind, subject, scope, f"{subject}: inconclusive, because {because}", data, because)
