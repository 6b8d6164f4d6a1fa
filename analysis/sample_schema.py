"""Which columns are read from a samples.jsonl, by engine, and what a value of each must be.

`row_of` is the judge: a line becomes a row or a problem in words. The fast readers (`analysis.sample_cells` and Arrow's
JSON parser) may refuse whatever they do not like; what they accept must be what `row_of` accepts.
"""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

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


def row_of(text: bytes, schema: pa.Schema) -> tuple[dict[str, Any] | None, str]:
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
        problem = misfit(column, value.get(column.name))
        if problem:
            return None, problem
    return {name: value.get(name) for name in schema.names}, ""


def misfit(column: pa.Field, value: object) -> str | None:
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
