"""Reads a samples.jsonl into Arrow tables, one row per line: fast where the file is sound, line by line where not.

`analysis.frame` calls `read_lines` for each file of a run. A row knows its line number, so that any number of a report
leads back to the lines behind it. A line that cannot be read is a `BadLine`, and the others are still used.
A million samples are 700 MB of text: they are read in batches, and each batch is made small at once.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

_BLOCK_BYTES = 1 << 20
_BATCHES_TOGETHER = 128

SMALL = ("pair", "block", "rep", "order", "cell", "depth", "chunks", "minor_faults", "registrations", "window")
"""Whole numbers that fit 32 bits in any run that ends: half the memory for a million samples."""

ERROR_FIELDS = ("phase", "code", "text")
WAIT_FIELDS = ("stage", "barrier")
BLOCK_NUMBERS = ("samples", "failed", "verified_bytes", "wall_ns", "utc_ns")

_COMMON: dict[str, pa.DataType] = {
    "kind": pa.string(),
    **dict.fromkeys(("pair", "block", "rep", "order", "cell", "size", "bytes"), pa.int64()),
    **dict.fromkeys(("arm", "op"), pa.string()),
    **dict.fromkeys(("warmup", "verified"), pa.bool_()),
    "error": pa.struct([(name, pa.string()) for name in ERROR_FIELDS]),
    **dict.fromkeys(BLOCK_NUMBERS, pa.int64()),
    "wait_ns": pa.struct([(name, pa.int64()) for name in WAIT_FIELDS]),
    "clock": pa.struct([("name", pa.string()), ("resolution_ns", pa.float64()), ("overhead_ns", pa.float64())]),
}
_TIMES = ("wireup_ns", "acquire_ns", "transfer_ns", "copy_ns", "release_ns", "total_ns")
_RENDEZVOUS: dict[str, pa.DataType] = {
    **dict.fromkeys(("start_ns", "start_utc_ns", *_TIMES, "min_bytes", "chunk", "depth"), pa.int64()),
    **dict.fromkeys(("chunks", "piece_bytes", "minor_faults", "registrations"), pa.int64()),
    **dict.fromkeys(("path", "path_asked", "reason", "refusal", "read", "via"), pa.string()),
    **dict.fromkeys(("staging", "staging_asked", "staging_reason", "md_map"), pa.string()),
    **dict.fromkeys(("first", "nic_registered"), pa.bool_()),
}
_OPERATIONS: dict[str, pa.DataType] = {
    **dict.fromkeys(("window", "messages", "elapsed_ns", "recv_depth", "working_set_bytes"), pa.int64()),
    **dict.fromkeys(("mode", "backend", "memory"), pa.string()),
    "sub_windows": pa.list_(pa.struct([("ns", pa.int64()), ("messages", pa.int64())])),
    "latency_ns": pa.list_(pa.int64()),
}
SCHEMAS = {
    "rendezvous": pa.schema(list({**_COMMON, **_RENDEZVOUS}.items())),
    "operations": pa.schema(list({**_COMMON, **_OPERATIONS}.items())),
}
"""The columns that are read, by engine; other keys of a line are left where they are."""

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


class _WholeLines(io.RawIOBase):
    """A file without what follows its last newline (a crash's torn line), counting its lines while it is read."""

    def __init__(self, source: BinaryIO) -> None:
        super().__init__()
        self._source = source
        self._kept = b""
        self.lines = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while True:
            chunk = self._source.read(_BLOCK_BYTES if size < 0 else size)
            if not chunk:
                return b""
            whole, newline, rest = chunk.rpartition(b"\n")
            if newline:
                ready, self._kept = self._kept + whole + newline, rest
                self.lines += ready.count(b"\n")
                return ready
            self._kept += chunk


def read_lines(path: Path, relative: str, engine: str) -> Lines:
    """Every whole line of a samples.jsonl. Never raises for what stands in a line; a torn last line is left out.

    engine: whose schema; one that SCHEMAS has not is read as `rendezvous`.
    """
    schema = SCHEMAS.get(engine, SCHEMAS["rendezvous"])
    try:
        if path.stat().st_size == 0:
            return _careful(path, relative, schema)
        return _fast(path, schema)
    except (pa.ArrowException, OverflowError):
        return _careful(path, relative, schema)


def no_lines(engine: str) -> Lines:
    """What a file without lines gives: the columns, and no rows."""
    schema = SCHEMAS.get(engine, SCHEMAS["rendezvous"])
    return _joined([_split(pa.RecordBatch.from_pylist([], schema=schema), np.array([], dtype=np.int32))], ())


def _fast(path: Path, schema: pa.Schema) -> Lines:
    """Arrow's streaming parser; raises ArrowInvalid when any line has not the form of the schema."""
    with path.open("rb") as file:
        source = _WholeLines(file)
        reader = pj.open_json(
            source,
            read_options=pj.ReadOptions(use_threads=True, block_size=_BLOCK_BYTES),
            parse_options=pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
        )
        parts: list[tuple[pa.RecordBatch, pa.RecordBatch]] = []
        whole: list[Lines] = []
        read = 0
        for batch in reader:
            parts.append(_split(batch, np.arange(read + 1, read + 1 + batch.num_rows, dtype=np.int32)))
            read += batch.num_rows
            if len(parts) == _BATCHES_TOGETHER:
                whole.append(_joined(parts, ()))
                parts.clear()
        if read != source.lines:
            raise pa.ArrowInvalid("an empty line, or two values on one")
    if parts or not whole:
        whole.append(_joined(parts, ()))
    samples, others = ([getattr(each, name) for each in whole] for name in ("samples", "others"))
    return Lines(pa.concat_tables(samples).unify_dictionaries(), pa.concat_tables(others), ())


def _split(batch: pa.RecordBatch, numbers: npt.NDArray[np.int32]) -> tuple[pa.RecordBatch, pa.RecordBatch]:
    """A batch's sample lines, made small, and its other lines. Raises ArrowInvalid for a small number that is none.

    Texts become dictionaries and small numbers 32 bits: a million samples name a handful of arms, paths and reasons.
    """
    is_sample = pc.fill_null(pc.equal(batch["kind"], "sample"), False)
    columns: dict[str, pa.Array] = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if name in _OTHER_LINES:
            continue
        if name == "error":
            columns |= {f"error_{part}": pc.struct_field(column, part).dictionary_encode() for part in ERROR_FIELDS}
            columns["has_error"] = pc.is_valid(column)
        elif pa.types.is_string(column.type):
            columns[name] = column.dictionary_encode()
        else:
            columns[name] = column.cast(pa.int32()) if name in SMALL else column
    columns["line"] = pa.array(numbers)
    samples = pa.RecordBatch.from_pydict(columns).filter(is_sample)
    others = batch.append_column("line", pa.array(numbers)).filter(pc.invert(is_sample))
    return samples, others.select(["block", *_OTHER_LINES, "line"])


def _joined(parts: list[tuple[pa.RecordBatch, pa.RecordBatch]], bad: tuple[BadLine, ...]) -> Lines:
    """One chunk per column: large enough for the C library to give it back to the system when it is dropped."""
    samples = pa.Table.from_batches([part[0] for part in parts]).unify_dictionaries().combine_chunks()
    return Lines(samples, pa.Table.from_batches([part[1] for part in parts]), bad)


def _careful(path: Path, relative: str, schema: pa.Schema) -> Lines:
    """Line by line with Python's own parser; what does not fit the schema is named and left out."""
    rows: list[dict[str, Any]] = []
    numbers: list[int] = []
    bad: list[BadLine] = []
    with path.open("rb") as source:
        for number, text in enumerate(source, start=1):
            if not text.endswith(b"\n"):
                break
            value, problem = _row(text, schema)
            if value is None:
                bad.append(BadLine(relative, number, problem))
            else:
                rows.append(value)
                numbers.append(number)
    batch = pa.RecordBatch.from_pylist(rows, schema=schema)
    return _joined([_split(batch, np.array(numbers, dtype=np.int32))], tuple(bad))


def _row(text: bytes, schema: pa.Schema) -> tuple[dict[str, Any] | None, str]:
    """A line as a row of the schema, or None and what is wrong with it."""
    if not text.strip():
        return None, "an empty line"
    try:
        value = json.loads(text)
    except ValueError as error:
        return None, f"not JSON: {error}"
    if not isinstance(value, dict):
        return None, "not a JSON object"
    for column in schema:
        problem = _misfit(column, value.get(column.name))
        if problem:
            return None, problem
    return {name: value.get(name) for name in schema.names}, ""


def _misfit(column: pa.Field, value: object) -> str | None:
    """What is wrong with one value of a line, or None."""
    name, kind = column.name, column.type
    if value is None:
        return None
    if pa.types.is_boolean(kind):
        fits, wanted = isinstance(value, bool), "true or false"
    elif pa.types.is_string(kind):
        fits, wanted = isinstance(value, str), "a text"
    elif pa.types.is_integer(kind):
        limit = 2 ** (31 if name in SMALL else 63)
        fits = isinstance(value, int) and not isinstance(value, bool) and -limit <= value < limit
        wanted = "a whole number"
    else:
        fits, wanted = _converts(value, kind), str(kind)
    return None if fits else f"{name} is {value!r}, not {wanted}"


def _converts(value: object, kind: pa.DataType) -> bool:
    try:
        pa.array([value], type=kind)
    except (pa.ArrowException, TypeError, OverflowError):
        return False
    return True
