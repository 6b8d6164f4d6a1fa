"""Strips the marks of numbers from a rendered text and remembers where each number stands.

The result is what readers see, plus the places that numbers.json keeps: line and column from 1, column in characters.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from analysis.numbers import marked, plain


@dataclass(frozen=True)
class Place:
    """Where a printed number stands in report.md."""

    id: str
    printed: str
    line: int
    column: int


def strip_marks(text: str) -> tuple[str, list[Place]]:
    """The text as it is shown and the place of each marked number in it, in order."""
    shown = plain(text)
    starts = [0]
    starts += [at + 1 for at, character in enumerate(shown) if character == "\n"]
    places = []
    for name, printed, start, _ in marked(text):
        line = bisect_right(starts, start)
        places.append(Place(name, printed, line, start - starts[line - 1] + 1))
    return shown, places
