"""The cells of one or several runs as arrays: each pair's warm samples in run order, and what was left out and why.

`analysis.study` builds them once from the frames. A cell is arm x size (x window); a run refined by a child has the
cells of both, and a pair is one launched pair of one run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.frame import PHASES, USES
from analysis.numbers import Source
from store.json_file import JsonObject

Floats: TypeAlias = npt.NDArray[np.float64]
WARM = USES.index("warm")


@dataclass(frozen=True, order=True)
class Key:
    """What a cell measures. `window` is 0 where the engine has none."""

    arm: str
    size: int
    window: int = 0


@dataclass(frozen=True)
class Group:
    """One launched pair's warm samples of one cell, in the order in which they ran; phases has shape (n, 4).

    latencies: of the single operations of all these samples, where each was timed; else empty.
    """

    run: int
    pair: int
    blocks: npt.NDArray[np.int64]
    values: Floats
    phases: Floats
    latencies: Floats = field(default_factory=lambda: np.array([]))


@dataclass(frozen=True)
class Cell:
    """groups: one per pair that has warm samples; sources: the cell in each run's plan, for the numbers' provenance.

    value_name: what `value` is in a sample line (`total_ns`, or `elapsed_ns / messages`).
    """

    key: Key
    groups: tuple[Group, ...]
    sources: tuple[Source, ...]
    value_name: str = "total_ns"

    @property
    def n(self) -> int:
        """How many warm samples there are, over all pairs."""
        return sum(group.values.size for group in self.groups)

    def values(self) -> Floats:
        """All warm samples, pair after pair."""
        return np.concatenate([group.values for group in self.groups]) if self.groups else np.array([])

    def latencies(self) -> Floats:
        """Nanoseconds of each single operation of the warm samples; empty where they were not timed one by one."""
        return np.concatenate([group.latencies for group in self.groups]) if self.groups else np.array([])

    def phase(self, name: str) -> Floats:
        """One phase of all warm samples, pair after pair, in nanoseconds."""
        at = PHASES.index(name)
        return np.concatenate([group.phases[:, at] for group in self.groups]) if self.groups else np.array([])

    def of(self, column: str, use: str = "warm") -> tuple[Source, ...]:
        """The sources of a number made from one column of this cell; `value` goes by its name in the lines."""
        name = self.value_name if column == "value" else column
        return tuple(Source(source.run, source.cell, use, name) for source in self.sources)


def planned_keys(plan: JsonObject) -> list[Key]:
    """The key of each cell of a plan, by cell id."""
    arms = plan["arms"]
    return [Key(str(arms[c["arm"]]["name"]), int(c["size"]), int(c.get("window") or 0)) for c in plan["cells"]]


def group_cells(frame: pd.DataFrame, run: int) -> dict[int, list[Group]]:
    """Cell id -> its warm samples by launched pair, each in run order. One sort, then slices: linear in samples."""
    warm = np.flatnonzero(frame["use"].cat.codes.to_numpy() == WARM)
    columns = {name: frame[name].to_numpy()[warm] for name in ("cell", "launched", "order", "block", "value")}
    phases = np.column_stack([_phase(frame, name)[warm] for name in PHASES])
    at = np.lexsort((columns["order"], columns["launched"], columns["cell"]))
    cell, pair = columns["cell"][at], columns["launched"][at]
    starts = np.flatnonzero(np.r_[True, (np.diff(cell) != 0) | (np.diff(pair) != 0)]) if at.size else np.array([], int)
    ends = np.r_[starts[1:], at.size] if at.size else starts
    groups: dict[int, list[Group]] = {}
    for start, end in zip(starts, ends, strict=True):
        rows = at[start:end]
        group = Group(
            run=run,
            pair=int(pair[start]),
            blocks=columns["block"][rows].astype(np.int64),
            values=columns["value"][rows].astype(np.float64),
            phases=phases[rows],
            latencies=_latencies(frame, warm[rows]),
        )
        groups.setdefault(int(cell[start]), []).append(group)
    return groups


def _latencies(frame: pd.DataFrame, rows: npt.NDArray[np.intp]) -> Floats:
    if "latency_ns" not in frame:
        return np.array([])
    lists = [each for each in frame["latency_ns"].iloc[rows] if each is not None and len(each)]
    return np.concatenate(lists).astype(np.float64) if lists else np.array([])


def _phase(frame: pd.DataFrame, name: str) -> Floats:
    if name not in frame:
        return np.full(len(frame), np.nan)
    return np.asarray(frame[name].to_numpy(dtype=np.float64))
