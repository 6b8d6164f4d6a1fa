"""Reads sample lines as a table of text cells, cut at the commas: several times as fast as parsing them as JSON.

The engine writes each sample of a rendezvous with the same keys in the same order, and hardly ever a comma inside a
value: such a line is a row of cells `"key":value`, which Arrow's CSV reader cuts and encodes column by column. Nothing
is believed: each cell must begin with its key (inside a JSON string its quotes would be escaped, so no text can pose as
one), and its value must be what `sample_schema` wants. Lines with another number of cells (a block line, a failed
sample's error) come back as text for a JSON parser; anything else that does not fit raises ArrowInvalid.

Called by `analysis.sample_reader` with a few MiB of whole lines at a time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv

from analysis.sample_schema import misfit

_MANY_VALUES = frozenset((
    *("block", "rep", "order", "start_ns", "start_utc_ns"),
    *("acquire_ns", "transfer_ns", "copy_ns", "release_ns", "total_ns"),
))  # fmt: skip
"""Columns that hold nearly as many values as samples; of all others each different text is looked at once."""

_DICTIONARY = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True)
class Form:
    """What a file's sample lines look like: the beginning of each cell, up to and with its colon, by key."""

    starts: Mapping[str, str]

    @property
    def last(self) -> str:
        """The key whose cell ends with the line's brace."""
        return list(self.starts)[-1]


def form_of(line: bytes) -> Form | None:
    """The form of a sample line; None for one that is not flat, or is no sample."""
    try:
        value = json.loads(line)
        cells = line.decode().strip().split(",")
    except ValueError:
        return None
    if not isinstance(value, dict) or value.get("kind") != "sample" or len(cells) != len(value):
        return None
    starts = {key: cell[: cell.find(":") + 1] for key, cell in zip(value, cells, strict=True)}
    if any(start.lstrip("{ ") != f"{json.dumps(key)}:" for key, start in starts.items()):
        return None
    return Form(starts)


@dataclass(frozen=True)
class Cut:
    """columns: of the lines of the form, by key of the schema; odd: the other lines, by their number from 1."""

    columns: dict[str, pa.Array]
    odd: dict[int, bytes]
    rows: int


def cut_lines(text: pa.Buffer, form: Form, schema: pa.Schema) -> Cut:
    """Whole lines as columns of the schema's types; texts are dictionary-encoded, absent columns None.

    Raises ArrowInvalid when a line of as many cells as the form has differs from it in anything.
    """
    odd: dict[int, bytes] = {}

    def aside(row: pv.InvalidRow) -> str:
        odd[row.number] = row.text.encode()
        return "skip"

    table = pv.read_csv(
        pa.BufferReader(text),
        # Only a reader without threads knows the numbers of the rows that it leaves out.
        read_options=pv.ReadOptions(column_names=list(form.starts), use_threads=False, block_size=text.size + 1),
        parse_options=pv.ParseOptions(
            delimiter=",", quote_char=False, double_quote=False, ignore_empty_lines=False, invalid_row_handler=aside
        ),
        convert_options=pv.ConvertOptions(
            column_types={key: pa.string() if key in _MANY_VALUES else _DICTIONARY for key in form.starts},
            strings_can_be_null=False,
        ),
    ).combine_chunks()
    columns = {}
    for key, start in form.starts.items():
        field = schema.field(key) if key in schema.names else None
        cells = table[key].chunk(0) if table[key].num_chunks else pa.array([], table[key].type)
        end = "}" if key == form.last else ""
        made = _numbers(cells, start, end) if key in _MANY_VALUES else _few(cells, start, end, field)
        if field is not None:
            columns[key] = made.cast(field.type) if key in _MANY_VALUES else made
    if columns["kind"].dictionary.to_pylist() not in ([], ["sample"]):
        raise pa.ArrowInvalid("another kind of line with a sample's keys")
    return Cut(columns, odd, table.num_rows)


def _numbers(cells: pa.Array, start: str, end: str) -> pa.Array:
    """Whole numbers, or null, of cells that have many different ones."""
    if not pc.all(pc.starts_with(cells, start)).as_py() or (end and not pc.all(pc.ends_with(cells, end)).as_py()):
        raise pa.ArrowInvalid(f"a cell that is not {start}")
    stop = -len(end) if end else None
    texts = pc.utf8_slice_codeunits(cells, len(start), stop)
    absent = pc.equal(texts, "null")
    if pc.any(absent).as_py():
        texts = pc.if_else(absent, pa.scalar(None, pa.string()), texts)
    return texts.cast(pa.int64())


def _few(cells: pa.DictionaryArray, start: str, end: str, field: pa.Field | None) -> pa.Array:
    """Values of cells that have few different ones: each is parsed as JSON and judged once."""
    values = [_value(text, start, end, field) for text in cells.dictionary.to_pylist()]
    if field is None:
        return None
    if not pa.types.is_string(field.type):
        return pa.array(values, field.type).take(cells.indices)
    texts = sorted({value for value in values if value is not None}, key=values.index)
    place = pa.array([None if value is None else texts.index(value) for value in values], pa.int32())
    return pa.DictionaryArray.from_arrays(place.take(cells.indices), pa.array(texts, pa.string()))


def _value(text: str, start: str, end: str, field: pa.Field | None) -> object:
    if not text.startswith(start) or not text.endswith(end):
        raise pa.ArrowInvalid(f"a cell that is not {start}")
    try:
        value = json.loads(text[len(start) : len(text) - len(end)])
    except ValueError as error:
        raise pa.ArrowInvalid(f"not JSON: {text}") from error
    problem = None if field is None else misfit(field, value)
    if problem:
        raise pa.ArrowInvalid(problem)
    return value
