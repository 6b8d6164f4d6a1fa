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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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
    count: how many lines there were.
    """

    samples: pa.Table
    others: pa.Table
    bad: tuple[BadLine, ...]
    count: int


def read_lines(path: Path, relative: str, engine: str) -> Lines:
    """Every whole line of a samples.jsonl. Never raises for what stands in a line; a torn last line is left out.

    engine: whose schema; one that SCHEMAS has not is read as `rendezvous`.
    """
    schema = SCHEMAS.get(engine, SCHEMAS["rendezvous"])
    whole: list[Lines] = []
    parts: list[Lines] = []
    before = 0
    with path.open("rb") as source:
        for lines in _on_each_cpu(pieces_of(source, _PIECE_BYTES), relative, schema):
            parts.append(_shifted(lines, before))
            before += lines.count
            if len(parts) == _PIECES_TOGETHER:
                whole.append(_joined(parts))
                parts.clear()
    return _joined([*whole, *parts]) if whole or parts else no_lines(engine)


def no_lines(engine: str) -> Lines:
    """What a file without lines gives: the columns, and no rows."""
    schema = SCHEMAS.get(engine, SCHEMAS["rendezvous"])
    return _split(pa.RecordBatch.from_pylist([], schema=schema), np.array([], dtype=np.int32), ())


def _on_each_cpu(pieces: Iterator[Piece], file: str, schema: pa.Schema) -> Iterator[Lines]:
    """Each piece read, in order, several at a time, its lines counted from 1: Arrow works outside Python's lock."""
    threads = min(_MOST_THREADS, len(os.sched_getaffinity(0)))
    waiting: deque[Future[Lines]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for piece in pieces:
            waiting.append(pool.submit(_read, piece, file, schema))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _shifted(lines: Lines, before: int) -> Lines:
    """The lines with their numbers in the file, of which `before` lines were read already."""
    samples, others = (_renumbered(table, before) for table in (lines.samples, lines.others))
    return replace(
        lines, samples=samples, others=others, bad=tuple(replace(b, line=b.line + before) for b in lines.bad)
    )


def _renumbered(table: pa.Table, before: int) -> pa.Table:
    at = table.schema.get_field_index("line")
    return table.set_column(at, "line", pc.add(table["line"], pa.scalar(before, pa.int32())))


def _read(piece: Piece, file: str, schema: pa.Schema) -> Lines:
    for attempt in (_as_cells, _as_json):
        try:
            return attempt(piece, file, schema)
        except (pa.ArrowException, OverflowError):
            continue
    return _line_by_line(piece, file, schema)


def _as_cells(piece: Piece, file: str, schema: pa.Schema) -> Lines:
    """Cut at commas; raises ArrowInvalid where the lines are not flat and alike."""
    form = _form(piece)
    if form is None:
        raise pa.ArrowInvalid("no flat sample")
    cut = cut_lines(_buffer(piece), form, schema)
    count = cut.rows + len(cut.odd)
    if count != np.count_nonzero(np.frombuffer(piece.text, np.uint8, piece.size) == ord("\n")):
        raise pa.ArrowInvalid("lines that are no lines of JSON")
    odd = _odd(cut.odd, file, schema)
    mine = np.ones(count, dtype=np.bool_)
    mine[[number - 1 for number in cut.odd]] = False
    numbers = np.flatnonzero(mine).astype(np.int32) + np.int32(1)
    columns = {
        name: column for field in _kept(schema) for name, column in _flat(field, cut.columns.get(field.name), cut.rows)
    }
    samples = pa.Table.from_pydict({**columns, "line": pa.array(numbers)})
    if odd.samples.num_rows:
        samples = pa.concat_tables([samples, odd.samples]).unify_dictionaries().combine_chunks()
        samples = samples.take(pc.sort_indices(samples["line"]))
    return Lines(samples, odd.others, odd.bad, count)


def _form(piece: Piece) -> Form | None:
    """The form of the first sample line."""
    start = 0
    for _ in range(_LINES_FOR_FORM):
        end = piece.text.find(b"\n", start, piece.size) + 1
        form = form_of(piece.text[start:end]) if end else None
        if form is not None or not end:
            return form
        start = end
    return None


def _odd(texts: Mapping[int, bytes], file: str, schema: pa.Schema) -> Lines:
    """The lines of a piece that are no cells: a block line after each pass, and failed samples."""
    numbers = np.fromiter(texts, np.int32, len(texts))
    try:
        return _parsed(pa.py_buffer(b"".join(text + b"\n" for text in texts.values())), schema, numbers)
    except (pa.ArrowException, OverflowError):
        return _rows(texts, file, schema)


def _as_json(piece: Piece, file: str, schema: pa.Schema) -> Lines:
    """Arrow's parser; raises ArrowInvalid when any line of `file` has not the form of the schema."""
    count = piece.text.count(b"\n", 0, piece.size)
    return _parsed(_buffer(piece), schema, np.arange(1, 1 + count, dtype=np.int32))


def _parsed(text: pa.Buffer, schema: pa.Schema, numbers: npt.NDArray[np.int32]) -> Lines:
    table = pj.read_json(
        pa.BufferReader(text),
        read_options=pj.ReadOptions(use_threads=False, block_size=text.size + 1),
        parse_options=pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
    )
    if table.num_rows != numbers.size:
        raise pa.ArrowInvalid("an empty line, or two values on one")
    return _split(table.combine_chunks().to_batches()[0], numbers, ())


def _line_by_line(piece: Piece, file: str, schema: pa.Schema) -> Lines:
    """With Python's own parser; what does not fit the schema is named and left out."""
    return _rows(dict(enumerate(io.BytesIO(_buffer(piece)), start=1)), file, schema)


def _rows(texts: Mapping[int, bytes], file: str, schema: pa.Schema) -> Lines:
    """Some lines of a piece, by their number in it."""
    rows: list[dict[str, Any]] = []
    numbers: list[int] = []
    bad: list[BadLine] = []
    for number, text in sorted(texts.items()):
        value, problem = row_of(text, schema)
        if value is None:
            bad.append(BadLine(file, number, problem))
        else:
            rows.append(value)
            numbers.append(number)
    batch = pa.RecordBatch.from_pylist(rows, schema=schema)
    return _split(batch, np.array(numbers, dtype=np.int32), tuple(bad))


def _buffer(piece: Piece) -> pa.Buffer:
    """A piece's lines, not copied."""
    return pa.py_buffer(piece.text).slice(0, piece.size)


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
    return Lines(samples, others.select(["block", *_OTHER_LINES, "line"]), bad, batch.num_rows + len(bad))


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
    bad = tuple(line for part in parts for line in part.bad)
    return Lines(samples, others, bad, sum(part.count for part in parts))
