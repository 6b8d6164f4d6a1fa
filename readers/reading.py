"""What a reader returns: facts with their kind, what it did not understand, and what the text says is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from readers.ports import Port
from readers.protocol_tables import ProtocolTable
from readers.text import Line, lines

Row = Mapping[str, Any]

CANNOT_RUN = 5
"""Exit code of the tool for "not possible on this node"."""
WRONG_LANE = 3
"""Exit code of the tool for "other transport or protocol than the lane names"."""
PEER_LOST = 4
"""Exit code of the tool for "the other side is gone or did not answer in time"."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the text shows to be wrong, its remedy, and how heavy it is: fatal, error, warning or note."""

    cause: str
    advice: str
    level: str = "error"
    line: int | None = None
    exit_code: int | None = None
    """The tool's exit code where this ends a run (3 wrong lane, 4 peer lost, 5 cannot run here)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One text as one format understands it. `skipped` are its non-blank lines that are not of the format."""

    kind: str
    ports: tuple[Port, ...] = ()
    tables: tuple[ProtocolTable, ...] = ()
    rows: tuple[Row, ...] = ()
    findings: tuple[Finding, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    skipped: tuple[Line, ...] = ()
    title: str = ""
    """Words for a person; empty where those of the format are right. `formats.read_any` fills it in."""
    holds: frozenset[str] = frozenset()
    """Which of ports, tables and rows the text's formats can hold; filled in by `formats.read_any`."""

    def notes(self) -> tuple[str, ...]:
        """The warnings, and the count of skipped lines with the first of them."""
        return self.warnings + skipped_note(self.skipped)


@dataclass(frozen=True, slots=True)
class Format:
    """A foreign format: its name, its words for a person, the sign by which it is known, its reader, what it can hold.

    `holds` names ports, tables or rows: what a reading of this format says even where it found none.
    """

    kind: str
    title: str
    sign: re.Pattern[str]
    read: Callable[[str], Reading]
    holds: tuple[str, ...] = ()


def skipped_note(skipped: Iterable[Line]) -> tuple[str, ...]:
    """At most one sentence: how many lines were not of the format, and which was the first."""
    found = list(skipped)
    if not found:
        return ()
    count = "1 line is" if len(found) == 1 else f"{len(found)} lines are"
    return (f"{count} not of this format and skipped; the first is line {found[0].number}: {_short(found[0].text)!r}",)


def unread(text: str, read: Iterable[int]) -> tuple[Line, ...]:
    """The non-blank lines of a text whose numbers are not in `read`."""
    understood = set(read)
    return tuple(line for line in lines(text) if line.text.strip() and line.number not in understood)


def _short(text: str) -> str:
    stripped = text.strip()
    return stripped if len(stripped) <= 80 else stripped[:77] + "..."
