"""Reads a samples.jsonl into Arrow tables, one row per line: fast where the lines are sound, one by one where not.

`analysis.frame` calls `read_lines` for each file of a run. A row knows its line number, so that any number of a report
leads back to the lines behind it. A line that cannot be read is a `BadLine`, and the others are still used.
A million samples are 700 MB of text: a few MiB of lines are read at a time, on each CPU, and made small at once. Each
such piece is tried as cells (`analysis.sample_cells`), then as JSON by Arrow, then line by line; all three agree.
"""

from __future__ import annotations

import io
import os
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from analysis.sample_cells import Form, cut_lines, form_of
from analysis.sample_schema import BLOCK_NUMBERS, ERROR_FIELDS, SCHEMAS, SMALL, row_of
from store.whole_lines import Piece, pieces_of

_PIECE_BYTES = 3 << 20
"""Below `reports.pinned`'s threshold of memory that goes back to the system: so each piece has the last one's."""

_MOST_THREADS = 4
_PIECES_TOGETHER = 32
_LINES_FOR_FORM = 100
"""So many lines at the beginning of a piece may be no sample before it is taken to have no form."""

_OTHER_LINES = ("kind", *BLOCK_NUMBERS, "wait_ns", "clock")


@dataclass(frozen=True)
class BadLine:
    """A line that was not used, and why; `file` is relative to the run folder, `line` counts from 1."""

    file: str
    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.problem}"


@dataclass(frozen=True)
class Lines:
    """samples: the rows of one file's sample lines; others: its start, block and end lines; each row has its `line`.
    `bad` are the lines that could not be read. Columns are those of the engine's schema; the error's fields are flat.
    """

    samples: pa.Table
    others: pa.Table
    bad: tuple[BadLine, ...]


@dataclass(frozen=True)
class _Piece:
    """`count` lines of a file, and the number of the first."""

    lines: Piece
    first: int
    count: int
    file: str

    def buffer(self) -> pa.Buffer:
        """The lines, not copied."""
        return pa.py_buffer(self.lines.text).slice(0, self.lines.size)


def read_lines(path: Path, relative: str, engine: str) -> Lines:
    """Every whole line of a samples.jsonl. Never raises for what stands in a line; a torn last line is left out.

    engine: whose schema; one that SCHEMAS has not is read as `rendezvous`.
    """
    schema = SCHEMAS.get(engine, SCHEMAS["rendezvous"])
    whole: list[Lines] = []
    parts: list[Lines] = []
    with path.open("rb") as source:
        for lines in _on_each_cpu(_pieces(source, relative), schema):
            parts.append(lines)
            if len(parts) == _PIECES_TOGETHER:
                whole.append(_joined(parts))
                parts.clear()
    return _joined([*whole, *parts]) if whole or parts else no_lines(engine)


def no_lines(engine: str) -> Lines:
    """What a file without lines gives: the columns, and no rows."""
    schema = SCHEMAS.get(engine, SCHEMAS["rendezvous"])
    return _split(pa.RecordBatch.from_pylist([], schema=schema), np.array([], dtype=np.int32), ())


def _pieces(source: BinaryIO, file: str) -> Iterator[_Piece]:
    """The file's whole lines, numbered."""
    first = 1
    for lines in pieces_of(source, _PIECE_BYTES):
        count = lines.text.count(b"\n", 0, lines.size)
        yield _Piece(lines, first, count, file)
        first += count


def _on_each_cpu(pieces: Iterator[_Piece], schema: pa.Schema) -> Iterator[Lines]:
    """Each piece read, in order, several at a time: Arrow works outside Python's lock."""
    threads = min(_MOST_THREADS, len(os.sched_getaffinity(0)))
    waiting: deque[Future[Lines]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for piece in pieces:
            waiting.append(pool.submit(_read, piece, schema))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _read(piece: _Piece, schema: pa.Schema) -> Lines:
    for attempt in (_as_cells, _as_json):
        try:
            return attempt(piece, schema)
        except (pa.ArrowException, OverflowError):
            continue
    return _line_by_line(piece, schema)


def _as_cells(piece: _Piece, schema: pa.Schema) -> Lines:
    """Cut at commas; raises ArrowInvalid where the lines are not flat and alike."""
    form = _form(piece)
    if form is None:
        raise pa.ArrowInvalid("no flat sample")
    cut = cut_lines(piece.buffer(), form, schema)
    if cut.rows + len(cut.odd) != piece.count:
        raise pa.ArrowInvalid("lines that are no lines of JSON")
    odd = _odd(cut.odd, piece, schema)
    mine = np.ones(piece.count, dtype=np.bool_)
    mine[[number - 1 for number in cut.odd]] = False
    numbers = np.flatnonzero(mine).astype(np.int32) + np.int32(piece.first)
    columns = {
        name: column for field in _kept(schema) for name, column in _flat(field, cut.columns.get(field.name), cut.rows)
    }
    samples = pa.Table.from_pydict({**columns, "line": pa.array(numbers)})
    if odd.samples.num_rows:
        samples = pa.concat_tables([samples, odd.samples]).unify_dictionaries().combine_chunks()
        samples = samples.take(pc.sort_indices(samples["line"]))
    return Lines(samples, odd.others, odd.bad)


def _form(piece: _Piece) -> Form | None:
    """The form of the first sample line."""
    start = 0
    for _ in range(min(piece.count, _LINES_FOR_FORM)):
        end = piece.lines.text.index(b"\n", start) + 1
        form = form_of(piece.lines.text[start:end])
        if form is not None:
            return form
        start = end
    return None


def _odd(texts: Mapping[int, bytes], piece: _Piece, schema: pa.Schema) -> Lines:
    """The lines of a piece that are no cells: a block line after each pass, and failed samples."""
    numbers = np.fromiter(texts, np.int32, len(texts)) + np.int32(piece.first - 1)
    try:
        return _parsed(pa.py_buffer(b"".join(text + b"\n" for text in texts.values())), numbers, schema)
    except (pa.ArrowException, OverflowError):
        return _rows(texts, piece, schema)


def _as_json(piece: _Piece, schema: pa.Schema) -> Lines:
    """Arrow's parser; raises ArrowInvalid when any line has not the form of the schema."""
    return _parsed(piece.buffer(), np.arange(piece.first, piece.first + piece.count, dtype=np.int32), schema)


def _parsed(text: pa.Buffer, numbers: npt.NDArray[np.int32], schema: pa.Schema) -> Lines:
    table = pj.read_json(
        pa.BufferReader(text),
        read_options=pj.ReadOptions(use_threads=False, block_size=text.size + 1),
        parse_options=pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
    )
    if table.num_rows != numbers.size:
        raise pa.ArrowInvalid("an empty line, or two values on one")
    return _split(table.combine_chunks().to_batches()[0], numbers, ())


def _line_by_line(piece: _Piece, schema: pa.Schema) -> Lines:
    """With Python's own parser; what does not fit the schema is named and left out."""
    return _rows(dict(enumerate(io.BytesIO(piece.buffer()), start=1)), piece, schema)


def _rows(texts: Mapping[int, bytes], piece: _Piece, schema: pa.Schema) -> Lines:
    """Some lines of a piece, by their number in it."""
    rows: list[dict[str, Any]] = []
    numbers: list[int] = []
    bad: list[BadLine] = []
    for number, text in sorted(texts.items()):
        value, problem = row_of(text, schema)
        if value is None:
            bad.append(BadLine(piece.file, piece.first + number - 1, problem))
        else:
            rows.append(value)
            numbers.append(piece.first + number - 1)
    batch = pa.RecordBatch.from_pylist(rows, schema=schema)
    return _split(batch, np.array(numbers, dtype=np.int32), tuple(bad))


def _split(batch: pa.RecordBatch, numbers: npt.NDArray[np.int32], bad: tuple[BadLine, ...]) -> Lines:
    """A batch's sample lines, made small, and its other lines. Raises ArrowInvalid for a small number that is none."""
    is_sample = pc.fill_null(pc.equal(batch["kind"], "sample"), False)
    columns = {
        name: column
        for field in _kept(batch.schema)
        for name, column in _flat(field, batch[field.name], batch.num_rows)
    }
    lines = pa.array(numbers)
    samples = pa.Table.from_pydict({**columns, "line": lines}).filter(is_sample)
    others = pa.Table.from_batches([batch.append_column("line", lines)]).filter(pc.invert(is_sample))
    return Lines(samples, others.select(["block", *_OTHER_LINES, "line"]), bad)


def _kept(schema: pa.Schema) -> list[pa.Field]:
    """What a sample line's row keeps; the others are of start, block and end lines."""
    return [field for field in schema if field.name not in _OTHER_LINES]


def _flat(field: pa.Field, column: pa.Array | None, rows: int) -> Iterator[tuple[str, pa.Array]]:
    """A column of the schema as it is kept: an error by its parts, texts as dictionaries, small numbers in 32 bits.

    A million samples name a handful of arms, paths and reasons. None is a column without any value.
    """
    name, kind = field.name, field.type
    if column is None:
        column = pa.nulls(rows, pa.dictionary(pa.int32(), kind) if pa.types.is_string(kind) else kind)
    if name == "error":
        yield from ((f"error_{part}", pc.struct_field(column, part).dictionary_encode()) for part in ERROR_FIELDS)
        yield "has_error", pc.is_valid(column)
    elif pa.types.is_string(column.type):
        yield name, column.dictionary_encode()
    else:
        yield name, column.cast(pa.int32()) if name in SMALL else column


def _joined(parts: list[Lines]) -> Lines:
    """One chunk per column: large enough for the C library to give it back to the system when it is dropped."""
    samples = pa.concat_tables([part.samples for part in parts]).unify_dictionaries().combine_chunks()
    others = pa.concat_tables([part.others for part in parts])
    return Lines(samples, others, tuple(line for part in parts for line in part.bad))
