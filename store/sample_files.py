"""Finds the finished blocks of a samples.jsonl without parsing its samples, and gives its lines with their provenance.

A block is finished when its block line stands whole in the file; samples of other blocks are a crash's remains.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.errors import LabError
from store.json_file import NEWER
from store.whole_lines import Piece, pieces_of

JsonObject = dict[str, Any]
_PIECE_BYTES = 256 << 10
SAMPLES_VERSION = 1
# Quotes inside a JSON string are escaped, so these bytes are always the key and its value.
BLOCK_MARKS = (b'"kind":"block"', b'"kind": "block"')


@dataclass(frozen=True)
class Line:
    """One line of a samples.jsonl and where it stands: `file` relative to the run folder, `number` from 1."""

    file: str
    number: int
    data: JsonObject

    @property
    def place(self) -> str:
        """`file:line`, as errors and traces print it."""
        return f"{self.file}:{self.number}"


@dataclass(frozen=True)
class SampleSource:
    """The samples.jsonl of one launched pair and the block lines in it, by block id."""

    path: Path
    relative: str
    pair: int
    blocks: dict[int, JsonObject]
    damaged: tuple[str, ...] = ()

    @property
    def finished(self) -> frozenset[int]:
        """Ids of the finished blocks; a sample counts when its `block` is one of them."""
        return frozenset(self.blocks)

    def lines(self) -> Iterator[Line]:
        """Every whole line in file order; raises LabError with `file:line` for one that is not a JSON object."""
        with self.path.open("rb") as source:
            for number, text in enumerate(source, start=1):
                if not text.endswith(b"\n"):
                    return  # cut off by a crash; nothing after the last block line counts
                yield Line(self.relative, number, _parsed(text, f"{self.relative}:{number}"))

    def samples(self) -> Iterator[Line]:
        """The sample lines of finished blocks."""
        finished = self.finished
        if not finished:
            return
        last = max(self._end_of_blocks(), default=0)
        with self.path.open("rb") as source:
            for number, text in enumerate(source, start=1):
                if source.tell() > last:
                    return
                data = _parsed(text, f"{self.relative}:{number}")
                if data.get("kind") == "sample" and data.get("block") in finished:
                    yield Line(self.relative, number, data)

    def _end_of_blocks(self) -> Iterator[int]:
        for start, text in _block_texts(self.path):
            yield start + len(text)


def open_source(path: Path, relative: str, pair: int) -> SampleSource:
    """Scan a samples.jsonl for its block lines; an absent or empty file has none. Samples are not parsed.

    LabError for a file of a newer version.
    """
    blocks: dict[int, JsonObject] = {}
    damaged: list[str] = []
    if path.exists() and not path.is_file():
        return SampleSource(path, relative, pair, {}, (f"{relative}: not a file",))
    _refuse_newer(path, relative)
    for start, text in _block_texts(path):
        try:
            line = json.loads(text)
            blocks[int(line["block"])] = line
        except (ValueError, KeyError, TypeError):
            damaged.append(f"{relative}: the block line at byte {start} cannot be read")
    return SampleSource(path, relative, pair, blocks, tuple(damaged))


def _refuse_newer(path: Path, relative: str) -> None:
    try:
        with path.open("rb") as source:
            first = json.loads(source.readline(_PIECE_BYTES))
    except (OSError, ValueError):
        return
    version = first.get("version") if isinstance(first, dict) and first.get("kind") == "start" else None
    if isinstance(version, int) and version > SAMPLES_VERSION:
        text = f"{relative}: version {version} of rdmalab.samples; this tool reads version {SAMPLES_VERSION}"
        raise LabError(text, advice=NEWER)


def _block_texts(path: Path) -> Iterator[tuple[int, bytes]]:
    """(offset, text with newline) of each whole block line. Read in pieces: a mapped file would count as memory."""
    try:
        source = path.open("rb")
    except FileNotFoundError:
        return
    with source:
        for piece in pieces_of(source, _PIECE_BYTES):
            for at, line in _marked_lines(piece):
                yield piece.start + at, line


def _marked_lines(piece: Piece) -> Iterator[tuple[int, bytes]]:
    """(offset, line) of each block line in a piece."""
    text, size = piece.text, piece.size
    # A writer puts a blank after each colon or after none: the first line shows which.
    tight, loose = BLOCK_MARKS
    for mark in (loose, tight) if b'": ' in text[: text.index(b"\n")] else (tight,):
        at = text.find(mark, 0, size)
        while at >= 0:
            start = text.rfind(b"\n", 0, at) + 1
            end = text.index(b"\n", at)
            yield start, text[start : end + 1]
            at = text.find(mark, end, size)


def _parsed(text: bytes, where: str) -> JsonObject:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise LabError(f"{where}: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise LabError(f"{where}: a JSON object was expected")
    return value
