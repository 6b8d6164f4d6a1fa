"""A mistake in a config file, and how it is told: file, line, column, the lines around it, a caret, advice.

Made by config_text, config_check and planner_overrides; raised as Mistakes, which is a LabError with exit code 2
and shows every mistake that was found.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from store.errors import Exit, LabError


@dataclass(frozen=True, slots=True)
class Source:
    """Where text came from: a file's name as the user gave it, or `--set`, and its lines."""

    name: str
    lines: tuple[str, ...]
    numbered: bool = True
    """Whether line and column help the reader; they do not in a word of the command line."""


@dataclass(frozen=True, slots=True)
class Place:
    """A point in a source; line and column count from 0."""

    source: Source
    line: int
    column: int

    def __str__(self) -> str:
        numbers = f":{self.line + 1}:{self.column + 1}" if self.source.numbered else ""
        return f"{self.source.name}{numbers}"


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong at a place, the hint under the caret, an earlier place it collides with, and what is possible."""

    place: Place
    message: str
    hint: str | None = None
    also: Place | None = None
    possible: str | None = None

    def render(self) -> str:
        """The mistake as text: one line that says it, then the lines around the place."""
        lines = [f"{self.place}: {self.message}", *_excerpt(self.place, self.hint, self.also)]
        if self.possible is not None:
            lines.append(self.possible)
        # Character for character, so that the caret stays where it is and nothing steers the terminal.
        return "".join(char if char.isprintable() or char in "\n\t" else "·" for char in "\n".join(lines))


class Mistakes(LabError):
    """One or more mistakes in what the user wrote; exit code 2."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        self.mistakes = tuple(sorted(mistakes, key=lambda each: (each.place.line, each.place.column)))
        super().__init__("\n\n".join(each.render() for each in self.mistakes), exit_code=Exit.USAGE)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant, or None."""
    candidates = list(known)
    folded = {each.casefold(): each for each in candidates}
    found = difflib.get_close_matches(word.casefold(), list(folded), n=1, cutoff=0.55)
    begun = [each for each in folded if len(word) > 1 and each.startswith(word.casefold())]
    return folded[(found or begun)[0]] if found or begun else None


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """`did you mean 'x'?`, or None when nothing known is near."""
    found = nearest(word, known)
    return None if found is None else f"did you mean '{found}'?"


def place_at(source: Source, mark: Any) -> Place:
    """The place of a YAML mark, kept inside the text (an end-of-file mark lies behind the last line)."""
    line = min(int(mark.line), max(len(source.lines) - 1, 0))
    column = int(mark.column) if line == int(mark.line) else len(source.lines[line])
    return Place(source, line, column)


def _excerpt(place: Place, hint: str | None, also: Place | None) -> list[str]:
    lines = place.source.lines
    if place.line >= len(lines):
        return [] if hint is None else [f"  {hint}"]
    shown = {max(place.line - 1, 0), place.line}
    if also is not None and also.source is place.source:
        shown.add(also.line)
    width = max(len(str(max(shown) + 1)), 5)
    numbered = place.source.numbered
    excerpt = [f"{number + 1 if numbered else '':>{width}} | {lines[number]}" for number in sorted(shown)]
    # Tabs keep their width in the caret's line, so that the caret stands under the column it means.
    indent = "".join("\t" if char == "\t" else " " for char in lines[place.line][: place.column].ljust(place.column))
    excerpt.append(f"{'':>{width}} | {indent}^{f' {hint}' if hint else ''}")
    return excerpt
