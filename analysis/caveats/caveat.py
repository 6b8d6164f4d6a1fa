"""A caveat, and the rule that finds it. One rule is one entry: an id, what it forbids, what would remove it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from analysis.numbers import plain
from analysis.study import Study


@dataclass(frozen=True)
class Caveat:
    """text: what was found, marked text; forbids: what must not be concluded; remedy: what would remove the caveat."""

    id: str
    text: str
    forbids: str
    remedy: str

    @property
    def line(self) -> str:
        """`id: text`, as terminals and reports show it; marked text."""
        return f"{self.id}: {self.text}"

    def to_json(self) -> dict[str, str]:
        """For machines; the text without marks."""
        return {"id": self.id, "text": plain(self.text), "forbids": self.forbids, "remedy": self.remedy}


@dataclass(frozen=True)
class Rule:
    """`find` returns what it found, in words, or None when the caveat does not hold."""

    id: str
    find: Callable[[Study], str | None]
    forbids: str
    remedy: str

    def apply(self, study: Study) -> Caveat | None:
        """The caveat, if it holds for `study`."""
        text = self.find(study)
        return None if text is None else Caveat(self.id, text, self.forbids, self.remedy)
