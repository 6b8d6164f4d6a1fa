"""A printed number that knows where it comes from, and the marks by which a rendered text keeps that knowledge.

Verdicts, caveats and tables make numbers with `Ledger.add`. In an f-string or a template a Number prints as marked
text; `reports.marks` strips the marks and remembers line and column, so that any digit of a report leads to its
formula and its samples, and an audit can compute it again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

OPEN, MIDDLE, CLOSE = "\x02", "\x03", "\x04"
_MARKED = re.compile(f"{OPEN}([^{MIDDLE}]*){MIDDLE}([^{CLOSE}]*){CLOSE}")

Json: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True)
class Source:
    """Samples or a fact behind a number. Samples: a plan's cell in a run, of one use (None: any), one column.

    A fact: `file` and `key` inside the run folder, and then no cell. `cell` None means the samples of every cell.
    """

    run: str
    cell: int | None = None
    use: str | None = None
    column: str | None = None
    file: str | None = None
    key: str | None = None

    def to_json(self) -> dict[str, Json]:
        """Only what is set."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class Number:
    """value: full precision; printed: as it stands in the text, without the unit; formula: what was computed, in words;
    n: how many samples it rests on, None where it rests on none.
    """

    id: str
    value: float
    printed: str
    unit: str
    formula: str
    n: int | None
    sources: tuple[Source, ...]

    def __str__(self) -> str:
        return f"{OPEN}{self.id}{MIDDLE}{self.printed}{CLOSE}"

    def __format__(self, spec: str) -> str:
        return str(self)

    def to_json(self) -> dict[str, object]:
        """As an entry of numbers.json, but for its places in the text."""
        return {
            "value": self.value,
            "printed": self.printed,
            "unit": self.unit,
            "formula": self.formula,
            "n": self.n,
            "sources": [source.to_json() for source in self.sources],
        }


@dataclass
class Ledger:
    """Every number of one report, by id. The same id twice must be the same number."""

    entries: dict[str, Number] = field(default_factory=dict)

    def add(
        self,
        id: str,
        value: float,
        printed: str,
        *,
        unit: str,
        formula: str,
        n: int | None = None,
        sources: tuple[Source, ...] = (),
    ) -> Number:
        """Register a number and return it; ValueError when the id stands for another value already."""
        number = Number(re.sub(r"\s+", "_", id), value, printed, unit, formula, n, sources)
        known = self.entries.setdefault(number.id, number)
        if known.value != number.value:
            raise ValueError(f"two numbers are called {number.id}: {known.value} and {number.value}")
        return number


def plain(text: str) -> str:
    """Marked text without its marks, as a terminal shows it."""
    return _MARKED.sub(r"\2", text)


def marked(text: str) -> Iterator[tuple[str, str, int, int]]:
    """(id, printed, start, end) of each marked number; start and end are positions in `plain(text)`."""
    removed = 0
    for found in _MARKED.finditer(text):
        start = found.start() - removed
        removed += len(found.group(0)) - len(found.group(2))
        yield found.group(1), found.group(2), start, start + len(found.group(2))
