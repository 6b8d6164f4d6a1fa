"""From a number's source to the sample lines behind it: which lines of which files, and their values.

Used by `reports.trace`. The sources come from numbers.json, so that a report leads to its samples without being made
again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.frame import Samples
from store.errors import LabError


@dataclass(frozen=True)
class LinesBehind:
    """One file's lines of one source, in file order; `values` has the source's column, NaN where a line has none.

    Of a column of lists (`latency_ns`) each line's value is their median.
    """

    run: str
    file: str
    lines: tuple[int, ...]
    column: str
    values: tuple[float, ...]

    @property
    def text(self) -> str:
        """`pairs/0/samples.jsonl:12,57-60`."""
        return f"{self.file}:{ranges(self.lines)}"


def lines_behind(source: Mapping[str, Any], samples: Samples) -> list[LinesBehind]:
    """The lines of one source of numbers.json, by file. A source that is a fact, or a count of all, has none."""
    if source.get("cell") is None:
        return []
    frame = samples.samples
    chosen = frame[_rows(frame, int(source["cell"]), source.get("use"))]
    column = str(source.get("column", "total_ns"))
    found = []
    for pair, rows in chosen.sort_values("line").groupby("launched"):
        values = _values(rows, column)
        lines = tuple(int(line) for line in rows["line"])
        file = f"pairs/{pair}/samples.jsonl"
        found.append(LinesBehind(str(source["run"]), file, lines, column, tuple(float(value) for value in values)))
    return found


def _rows(frame: pd.DataFrame, cell: int, use: str | None) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    rows = (frame["cell"] == cell).to_numpy(dtype=bool)
    if use == "first":
        return np.asarray(rows & (frame["first"].eq(True) & ~frame["has_error"]).to_numpy(dtype=bool))
    if use is not None:
        rows = rows & (frame["use"] == use).to_numpy(dtype=bool)
    return np.asarray(rows)


def _values(rows: pd.DataFrame, column: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    if column == "latency_ns" and column in rows:
        return np.array([np.nan if each is None else np.median(each) for each in rows[column]], dtype=np.float64)
    if column in rows:
        return np.asarray(rows[column].to_numpy(dtype=np.float64))
    if column == "elapsed_ns / messages":
        return np.asarray(rows["value"].to_numpy(dtype=np.float64))
    raise LabError(f"samples have no column {column!r}; this report was made by another version")


def ranges(numbers: tuple[int, ...]) -> str:
    """Ascending numbers with neighbours joined: 3, 4, 5, 9 gives `3-5,9`."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in parts)
