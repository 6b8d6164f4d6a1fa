"""What no sample may be: without a time, below zero, twice, of a cell that the plan has not, or with parts that miss
their sum. `analysis.frame` voids such samples or marks them; `analysis.caveats` tells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from store.json_file import JsonObject

SUM_TOLERANCE_NS = 4.0
"""Four phases are rounded to whole nanoseconds, one by one."""

_REQUIRED = ("pair", "block", "rep", "order", "cell", "size", "bytes", "arm", "warmup")
_TIMES = ("wireup_ns", "acquire_ns", "transfer_ns", "copy_ns", "release_ns", "total_ns", "elapsed_ns")
_RENDEZVOUS_TIMES = ("wireup_ns", "acquire_ns", "transfer_ns", "copy_ns", "total_ns")


@dataclass(frozen=True)
class Complaint:
    """A kind of fault, what was found, the positions of its rows in the frame, and whether it voids them."""

    kind: str
    text: str
    rows: npt.NDArray[np.int64]
    voids: bool = True


def check_samples(frame: pd.DataFrame, plan: JsonObject) -> list[Complaint]:
    """Every fault in the frame of `analysis.frame`, by kind. The frame is not changed."""
    if frame.empty:
        return []
    ok = ~frame["has_error"].to_numpy(dtype=bool)
    rendezvous = "total_ns" in frame
    required_times = _RENDEZVOUS_TIMES if rendezvous else ("elapsed_ns",)
    found: list[Complaint | None] = [
        *(_complaint("missing_field", f"{name} is missing", frame[name].isna()) for name in _REQUIRED),
        *(_complaint("missing_field", f"{name} is missing", frame[name].isna() & ok) for name in required_times),
        *(_complaint("negative_time", f"{name} is negative", frame[name] < 0) for name in _TIMES if name in frame),
        _complaint("zero_time", "the time is 0", (frame["value"] == 0) & ok),
        _unknown_cells(frame, plan),
        _complaint("duplicate", "the same block and cell again", _repeated(frame)),
        _sum(frame) if rendezvous else None,
    ]
    return [complaint for complaint in found if complaint is not None]


def _complaint(kind: str, text: str, where: pd.Series, voids: bool = True) -> Complaint | None:
    rows = np.flatnonzero(where.to_numpy(dtype=bool))
    return Complaint(kind, text, rows, voids) if rows.size else None


def _unknown_cells(frame: pd.DataFrame, plan: JsonObject) -> Complaint | None:
    """Samples whose cell, arm or size is not what the plan says of that cell."""
    cells, arms = plan.get("cells", []), plan.get("arms", [])
    sizes = np.array([cell["size"] for cell in cells] + [-1], dtype=np.int64)
    names = np.array([arms[cell["arm"]]["name"] for cell in cells] + [""], dtype=object)
    ids = frame["cell"].fillna(-1).to_numpy(dtype=np.int64)
    known = np.where((ids >= 0) & (ids < len(cells)), ids, len(cells))
    right_size = sizes[known] == frame["size"].fillna(-2).to_numpy(dtype=np.int64)
    expected = pd.Categorical(names[known], categories=_categories(frame["arm"], names))
    seen = pd.Categorical(frame["arm"], categories=expected.categories)
    wrong = ~right_size | (expected.codes != seen.codes)
    return _complaint("unknown_cell", "cell, arm or size is not the plan's", pd.Series(wrong))


def _categories(arms: pd.Series, names: npt.NDArray[np.object_]) -> list[str]:
    return sorted({str(name) for name in arms.dropna().unique()} | {str(name) for name in names})


def _repeated(frame: pd.DataFrame) -> pd.Series:
    """All but the first of the same block and cell in one launched pair, which runs each cell of a block once."""
    return frame.duplicated(subset=["launched", "block", "cell"], keep="first")


def _sum(frame: pd.DataFrame) -> Complaint | None:
    parts = frame[["wireup_ns", "acquire_ns", "transfer_ns", "copy_ns"]].sum(axis=1, skipna=False)
    off = (parts - frame["total_ns"]).abs() > SUM_TOLERANCE_NS
    return _complaint("phases_do_not_add_up", "the phases do not add up to the total", off, voids=False)
