"""All samples of a run as one table, CSV or Parquet: a row per sample, the units in the column names, nothing left out.

`use` says what a sample counts for (only `warm` ones stand in medians), `file` and `line` where it stands in the run.
"""

from __future__ import annotations

import io
import json
from typing import IO

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from analysis.exporters.exported import Exported
from analysis.sample_schema import BLOCK_NUMBERS, SCHEMAS

_UNITS = {"size": "size_bytes", "bytes": "moved_bytes", "chunk": "chunk_bytes", "value": "time_per_operation_ns"}
_NOT_OF_SAMPLES = ("kind", *(name for name in BLOCK_NUMBERS if name != "samples"), "samples", "wait_ns", "clock", "use")
_LISTS = ("sub_windows", "latency_ns")


def table(exported: Exported) -> pd.DataFrame:
    """The rows in the order they ran. Whole numbers stay whole where values are missing (pandas' Int64)."""
    frame = exported.samples
    whole = {
        column.name
        for schema in SCHEMAS.values()
        for column in schema
        if pa.types.is_integer(column.type) and column.name in frame
    }
    columns: dict[str, object] = {
        "run": pd.Series([exported.run.name] * len(frame), dtype="string"),
        "file": "pairs/" + frame["launched"].astype("string") + "/samples.jsonl",
        "line": frame["line"],
        "use": frame["use"].astype("string"),
    }
    for name in frame.columns:
        if name in columns or name in _NOT_OF_SAMPLES or name == "launched":
            continue
        columns[_UNITS.get(name, name)] = frame[name].astype("Int64") if name in whole else _plain(frame[name])
    return pd.DataFrame(columns)


def _plain(column: pd.Series) -> pd.Series:
    """Texts as texts, not as the categories that save memory; lists as they are."""
    return column.astype("string") if isinstance(column.dtype, pd.CategoricalDtype) else column


def write_csv(exported: Exported, out: IO[bytes]) -> None:
    """RFC 4180 with \\n line ends; an empty field is a missing value, a list is JSON."""
    rows = table(exported)
    for name in _LISTS:
        if name in rows:
            rows[name] = [None if value is None else json.dumps(_lists(value)) for value in rows[name]]
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    rows.to_csv(text, index=False, lineterminator="\n")
    text.detach()


def _lists(value: object) -> object:
    """Arrow's arrays of a cell as plain lists and objects."""
    return value.tolist() if hasattr(value, "tolist") else value


def write_parquet(exported: Exported, out: IO[bytes]) -> None:
    """One file; the same bytes for the same run and the same version of Arrow."""
    rows = pa.Table.from_pandas(table(exported), preserve_index=False).replace_schema_metadata(None)
    pq.write_table(rows, out, compression="zstd", store_schema=False)
