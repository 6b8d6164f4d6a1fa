"""One or several runs read for analysis: plan, cells, medians and ratios with intervals, each computed once.

`Study.of_runs` is the way in for reports; tests make a Study from frames. Verdicts, caveats, tables and plots take a
Study and compute nothing twice. Its ledger collects every number that they print.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from analysis import statistics
from analysis.bounds import Bound, lowest_bound
from analysis.cells import Cell, Floats, Group, Key, group_cells, planned_keys
from analysis.engines import Engines, read_engines
from analysis.frame import Samples, load_samples
from analysis.numbers import Ledger, Source
from analysis.statistics.estimates import LEVEL, RESAMPLES, Estimate
from store.errors import Exit, LabError
from store.json_file import JsonObject
from store.run import Run, open_run

T = TypeVar("T")


@dataclass(frozen=True)
class Measured:
    """A run with its samples and what its processes said about themselves. `run` is None in tests without a folder."""

    name: str
    plan: JsonObject
    samples: Samples
    run: Run | None = None
    engines: Engines = field(default_factory=Engines)


@dataclass
class Study:
    """The first run is the one that was asked about; others (its refinements) add cells. All sizes are in bytes."""

    runs: tuple[Measured, ...]
    resamples: int = RESAMPLES
    ledger: Ledger = field(default_factory=Ledger)
    _remembered: dict[Hashable, Any] = field(default_factory=dict)
    _medians: dict[tuple[Key, float], Estimate | None] = field(default_factory=dict)
    _ratios: dict[tuple[Key, Key], statistics.LogRatio | None] = field(default_factory=dict)

    @classmethod
    def of_runs(cls, paths: Sequence[Path]) -> Study:
        """Open and load run folders. Raises LabError when one is no run, or they measure with different engines."""
        if not paths:
            raise LabError("a report needs a run", exit_code=Exit.USAGE)
        measured = []
        for path in paths:
            run = open_run(path, lenient=True)
            measured.append(Measured(run.name, run.plan, load_samples(run), run, read_engines(run)))
        study = cls(tuple(measured))
        if len({str(each.plan.get("engine")) for each in measured}) > 1:
            raise LabError("these runs measure with different engines and share no report", exit_code=Exit.USAGE)
        return study

    @property
    def plan(self) -> JsonObject:
        """The first run's plan."""
        return self.runs[0].plan

    @property
    def cold(self) -> bool:
        """Whether each repetition has its own pair of processes."""
        return self.plan.get("pair") == "cold"

    @cached_property
    def arms(self) -> dict[str, JsonObject]:
        """Arm name -> the resolved arm, over all runs, in planned order."""
        return {str(arm["name"]): arm for each in self.runs for arm in each.plan["arms"]}

    @cached_property
    def cells(self) -> dict[Key, Cell]:
        """Every planned cell, by arm as planned, then size, then window; also those without a warm sample."""
        groups: dict[Key, list[Group]] = {}
        sources: dict[Key, list[Source]] = {}
        for at, each in enumerate(self.runs):
            found = group_cells(each.samples.samples, at)
            for number, key in enumerate(planned_keys(each.plan)):
                groups.setdefault(key, []).extend(found.get(number, []))
                sources.setdefault(key, []).append(Source(each.name, number))
        rank = {name: at for at, name in enumerate(self.arms)}
        ordered = sorted(groups, key=lambda key: (rank[key.arm], key.size, key.window))
        name = "total_ns" if self.plan.get("engine", "rendezvous") == "rendezvous" else "elapsed_ns / messages"
        return {key: Cell(key, tuple(groups[key]), tuple(sources[key]), name) for key in ordered}

    @cached_property
    def sizes(self) -> list[int]:
        """All planned sizes, ascending."""
        return sorted({key.size for key in self.cells})

    @cached_property
    def windows(self) -> list[int]:
        """All planned windows, ascending; [0] where the engine has none."""
        return sorted({key.window for key in self.cells})

    @cached_property
    def pair_count(self) -> int:
        """The largest number of launched pairs that any cell has warm samples of."""
        return max((len(cell.groups) for cell in self.cells.values()), default=0)

    def keys(self, arm: str, window: int | None = None) -> list[Key]:
        """An arm's cells that have warm samples and are not above their bound, by size."""
        chosen = self.windows[0] if window is None else window
        mine = [key for key, cell in self.cells.items() if key.arm == arm and key.window == chosen and cell.n]
        return [key for key in mine if key not in self.above_bound]

    def bound(self, arm: str) -> Bound | None:
        """The lowest bound of an arm that the first run's setup record knows."""
        return lowest_bound(self.runs[0].run, self.arms[arm])

    @cached_property
    def above_bound(self) -> dict[Key, Bound]:
        """Cells whose median is faster than their bound allows: such rows are void, whatever the reason is."""
        found = {}
        limits = {arm: self.bound(arm) for arm in self.arms}
        for key, cell in self.cells.items():
            limit = limits[key.arm]
            if limit is not None and cell.n and key.size / np.median(cell.values()) * 1e9 > limit.bytes_per_second:
                found[key] = limit
        return found

    def median(self, key: Key, level: float = LEVEL) -> Estimate | None:
        """A cell's median, nanoseconds per operation; None without warm samples.

        One pair, or cold pairs (each sample then has its own): order statistics. Several warm pairs: pairs resampled.
        """
        if (key, level) not in self._medians:
            self._medians[key, level] = self._median(self.cells[key], level)
        return self._medians[key, level]

    def _median(self, cell: Cell, level: float) -> Estimate | None:
        return self.median_of(cell, [group.values for group in cell.groups], level) if cell.n else None

    def median_of(self, cell: Cell, groups: Sequence[Floats], level: float) -> Estimate:
        """The median of something positive that each sample of `cell` has; one array per group of the cell."""
        if self.cold or len(groups) == 1:
            return statistics.median_interval(np.concatenate(groups), level)
        return statistics.median_of_pairs(groups, level, seed_of(cell.key), self.resamples)

    def ratio(self, slow: Key, fast: Key) -> statistics.LogRatio | None:
        """Median time of `slow` over that of `fast`: above 1 when `fast` is faster. None where either has no samples.

        Paired by block where arms are interleaved; pairs of processes that only one of the two has are left out.
        """
        if (slow, fast) not in self._ratios:
            self._ratios[slow, fast] = self._ratio(self.cells[slow], self.cells[fast])
        return self._ratios[slow, fast]

    def _ratio(self, slow: Cell, fast: Cell) -> statistics.LogRatio | None:
        if not slow.n or not fast.n:
            return None
        seed = seed_of(slow.key, fast.key)
        if self.cold:
            one, other = [slow.values()], [fast.values()]
            return statistics.ratio_of_medians(one, other, paired=False, seed=seed, resamples=self.resamples)
        if self._by_rounds:
            one_by_one = _round_by_round(slow, fast, self._round_of)
            if not one_by_one[0].size:
                return None
            left, right = [one_by_one[0]], [one_by_one[1]]
            return statistics.ratio_of_medians(left, right, paired=True, seed=seed, resamples=self.resamples)
        paired = self.plan.get("order") in ("interleaved", "random")
        left, right = [], []
        by_pair = {(group.run, group.pair): group for group in fast.groups}
        for group in slow.groups:
            partner = by_pair.get((group.run, group.pair))
            if partner is None:
                continue
            if not paired:
                left.append(group.values)
                right.append(partner.values)
                continue
            _, at, other_at = np.intersect1d(group.blocks, partner.blocks, return_indices=True)
            if at.size:
                left.append(group.values[at])
                right.append(partner.values[other_at])
        if not left:
            return None
        return statistics.ratio_of_medians(left, right, paired=paired, seed=seed, resamples=self.resamples)

    @cached_property
    def _by_rounds(self) -> bool:
        """Whether arms are measured by pairs of their own that alternate, as beside a peer tool."""
        return any("peer" in block for block in self.plan.get("blocks", ()))

    @cached_property
    def _round_of(self) -> dict[int, int]:
        """Block id -> round, of a plan whose arms alternate."""
        return {number: int(block["rep"]) for number, block in enumerate(self.plan["blocks"])}

    def once(self, name: Hashable, compute: Callable[[], T]) -> T:
        """The result of `compute`, remembered under `name`: verdicts, tables and pictures ask for the same things."""
        if name not in self._remembered:
            self._remembered[name] = compute()
        found: T = self._remembered[name]
        return found

    def counts(self) -> dict[str, int]:
        """How many samples count for what, over all runs; see `frame.USES`."""
        total: dict[str, int] = {}
        for each in self.runs:
            for use, count in each.samples.samples["use"].value_counts(sort=False).items():
                total[str(use)] = total.get(str(use), 0) + int(count)
        return total

    def lane(self) -> dict[str, Any]:
        """The first plan's lane."""
        return dict(self.plan.get("lane") or {})


def _round_by_round(slow: Cell, fast: Cell, round_of: dict[int, int]) -> tuple[Floats, Floats]:
    """The samples of two cells in the rounds that both have, side by side."""
    one, other = (
        {
            (group.run, round_of[int(block)]): value
            for group in cell.groups
            for block, value in zip(group.blocks, group.values, strict=True)
        }
        for cell in (slow, fast)
    )
    shared = sorted(one.keys() & other.keys())
    return np.array([one[key] for key in shared]), np.array([other[key] for key in shared])


def seed_of(*keys: Key) -> int:
    """A seed that depends on the cells alone, so that a number is the same in whatever order it is asked for."""
    return zlib.crc32("|".join(f"{key.arm}/{key.size}/{key.window}" for key in keys).encode())


def factor(one: float, other: float) -> float:
    """How many times the larger is the smaller; 1 or more."""
    return math.exp(abs(math.log(one / other)))
