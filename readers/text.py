"""Foreign text as numbered lines and typed values: the part that every reader shares.

Pasted text comes with CRLF, colour codes, quote marks, code fences and shell prompts; a value that a tool prints for
"nothing" (N/A, (null), nan, Unknown ...) is None here.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_QUOTE = re.compile(r"^(?:[ \t]{0,3}>[ \t]?)+")
_FENCE = re.compile(r"^[ \t]*```")
_NOTHING = frozenset({"", "-", "n/a", "(null)", "null", "none", "nan", "unknown", "<unknown>", "<none>", "''"})
_WHOLE = re.compile(r"[+-]?[0-9]{1,30}|0[xX][0-9a-fA-F]{1,30}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,3})?")


LONGEST_LINE = 4096
"""No tool prints longer lines that a reader needs; what is beyond is cut, so that no pattern meets endless text."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the text: its number from 1, and its text without line end, quote marks and colour codes."""

    number: int
    text: str


def lines(text: str) -> list[Line]:
    """The lines of a text in any line-end convention; blank lines stay, so that numbers are those of the file."""
    plain = _COLOUR.sub("", text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")).replace("\u00a0", " ")
    found = [
        Line(number, _QUOTE.sub("", line[:LONGEST_LINE])) for number, line in enumerate(plain.split("\n"), start=1)
    ]
    return [Line(line.number, "") if _FENCE.match(line.text) else line for line in found]


def tidy(text: str) -> str:
    """The text as readers see it: what `lines` says, joined again. A position in it counts the same lines."""
    return "\n".join(line.text for line in lines(text))


def compact(text: str) -> str:
    """The tidy text with blank lines left out: enough to find a format's sign, whatever the text."""
    return "\n".join(line.text for line in lines(text) if line.text.strip())


def line_at(text: str, position: int) -> int:
    """Number of the line, from 1, in which the character at `position` stands."""
    return text.count("\n", 0, position) + 1


def present(value: str | None) -> str | None:
    """The value without blanks, or None where it is one of the words that mean nothing."""
    if value is None:
        return None
    stripped = value.strip()
    return None if stripped.lower() in _NOTHING else stripped


def whole(value: str | None) -> int | None:
    """A decimal or 0x integer, or None."""
    stripped = "" if value is None else value.strip()
    if not _WHOLE.fullmatch(stripped):
        return None
    return int(stripped, 16) if stripped[:2].lower() == "0x" else int(stripped)


def number(value: str | None) -> float | None:
    """A finite decimal number, or None (nan and inf are no numbers here)."""
    stripped = "" if value is None else value.strip()
    if not _NUMBER.fullmatch(stripped):
        return None
    result = float(stripped)
    return result if math.isfinite(result) else None


def natural_key(name: str) -> tuple[tuple[int, str], ...]:
    """Sort key under which mlx5_2 comes before mlx5_10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return tuple((int(part), "") if part.isascii() and part.isdigit() else (-1, part) for part in parts)
