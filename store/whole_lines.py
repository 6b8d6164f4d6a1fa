"""A file of lines in pieces of some size, each of whole lines; nothing is copied, and no piece outlives the next one.

For `store.sample_files`, which looks for block lines, and `analysis.sample_reader`, which reads all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO


@dataclass(frozen=True)
class Piece:
    """Whole lines: the first `size` bytes of `text`, which stand at byte `start` of the file."""

    text: bytes
    size: int
    start: int


def pieces_of(source: BinaryIO, piece_bytes: int) -> Iterator[Piece]:
    """All lines of a file, without what follows its last newline (a crash's torn line)."""
    start, wanted = 0, piece_bytes
    while text := source.read(wanted):
        size = text.rfind(b"\n") + 1
        if size:
            yield Piece(text, size, start)
            start, wanted = start + size, piece_bytes
        elif len(text) < wanted:
            return
        else:
            wanted *= 2  # a line longer than a piece
        source.seek(start)
