"""A run in the formats of other tools. A new format is one file here and one entry in FORMATS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from analysis.exporters.go_benchmark import go_benchmark
from analysis.exporters.google_benchmark import google_benchmark
from analysis.exporters.sample_table import sample_csv, sample_parquet
from analysis.study import Study

FORMATS: Mapping[str, tuple[str, Callable[[Study], bytes]]] = MappingProxyType({
    "google-benchmark": ("json", google_benchmark),
    "go-benchmark": ("txt", go_benchmark),
    "csv": ("csv", sample_csv),
    "parquet": ("parquet", sample_parquet),
})  # fmt: skip
"""Name -> the file's ending and the function that gives its bytes, the same for the same run."""

__all__ = ["FORMATS"]
