"""Every sample of a run as a table, CSV or Parquet, with units in the column names; warm or not stands in `use`."""

from __future__ import annotations

import io

import pandas as pd

from analysis.study import Study

_UNITS = {"size": "size_bytes", "bytes": "moved_bytes", "chunk": "chunk_bytes", "value": "value_ns"}
_LEFT_OUT = ("sub_windows", "latency_ns")
"""Lists inside a cell: the run's own samples.jsonl has them."""


def sample_frame(study: Study) -> pd.DataFrame:
    """All samples of all runs, in the order of runs, pairs and lines; texts as plain texts, missing values as None."""
    parts = []
    for each in study.runs:
        frame = each.samples.samples.drop(columns=[name for name in _LEFT_OUT if name in each.samples.samples])
        frame = frame.sort_values(["launched", "line"]).rename(columns=_UNITS)
        frame.insert(0, "run", each.name)
        parts.append(frame)
    table = pd.concat(parts, ignore_index=True)
    for name in table.columns:
        if isinstance(table[name].dtype, pd.CategoricalDtype):
            table[name] = table[name].astype("string")
    return table


def sample_csv(study: Study) -> bytes:
    """RFC 4180 with \\n line ends; an empty field is a missing value."""
    return sample_frame(study).to_csv(index=False, lineterminator="\n").encode()


def sample_parquet(study: Study) -> bytes:
    """Zstandard-compressed Parquet without pandas' own metadata, which would carry its version."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(sample_frame(study), preserve_index=False).replace_schema_metadata(None)
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd", store_schema=False)
    return out.getvalue()
