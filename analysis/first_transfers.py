"""The first transfer of each arm in each pair, with its wire-up: kept, and shown apart from the warm figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from analysis.numbers import Source
from analysis.study import Study

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FirstTransfers:
    """One arm's first transfers, one element a pair, nanoseconds and bytes."""

    arm: str
    sizes: npt.NDArray[np.int64]
    wireup_ns: Floats
    total_ns: Floats
    sources: tuple[Source, ...]

    def of(self, column: str) -> tuple[Source, ...]:
        """The sources of a number made from one column of these transfers."""
        return tuple(replace(source, column=column) for source in self.sources)


def first_transfers(study: Study) -> dict[str, FirstTransfers]:
    """Arm -> its first transfers without an error, over all pairs and runs. Empty for an engine that has none."""
    parts: dict[str, list[tuple[npt.NDArray[np.int64], Floats, Floats, tuple[Source, ...]]]] = {}
    for each in study.runs:
        frame = each.samples.samples
        if "first" not in frame:
            continue
        good = frame["first"].eq(True) & ~frame["has_error"] & frame["wireup_ns"].notna() & frame["total_ns"].notna()
        rows = frame[good.to_numpy(dtype=bool)]
        for arm in study.arms:
            mine = rows[(rows["arm"] == arm).to_numpy(dtype=bool)]
            if mine.empty:
                continue
            cells = sorted({int(cell) for cell in mine["cell"]})
            sources = tuple(Source(each.name, cell, "first", "wireup_ns") for cell in cells)
            columns = (
                mine["size"].to_numpy(dtype=np.int64),
                mine["wireup_ns"].to_numpy(dtype=np.float64),
                mine["total_ns"].to_numpy(dtype=np.float64),
            )
            parts.setdefault(arm, []).append((*columns, sources))
    return {arm: _joined(arm, found) for arm, found in parts.items()}


def _joined(arm: str, parts: list[tuple[npt.NDArray[np.int64], Floats, Floats, tuple[Source, ...]]]) -> FirstTransfers:
    sizes, wireups, totals, sources = zip(*parts, strict=True)
    return FirstTransfers(
        arm,
        np.concatenate(sizes),
        np.concatenate(wireups),
        np.concatenate(totals),
        tuple(source for group in sources for source in group),
    )
