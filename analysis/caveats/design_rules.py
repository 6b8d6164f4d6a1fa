"""Caveats about how the experiment was set up: factors, repetitions, pairs, order, verification."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from analysis.caveats.caveat import Rule
from analysis.comparison import compared_arms
from analysis.factors import differing_factors
from analysis.statistics import n_for_quantile
from analysis.study import Study
from analysis.units import plural
from analysis.wording import join


def _two_factors(study: Study) -> str | None:
    told = []
    for of, over in compared_arms(study):
        factors = differing_factors(study.arms[of], study.arms[over])
        if len(factors) > 1:
            told.append(f"{of} and {over} differ in {join(factors)}")
    return "; ".join(told) or None


def _too_few_reps(study: Study) -> str | None:
    needed = n_for_quantile()
    thin = [cell for cell in study.cells.values() if 0 < cell.n < needed]
    if not thin:
        return None
    fewest = min(cell.n for cell in thin)
    cells = plural(len(study.cells), "cell")
    return f"{len(thin)} of {cells} have fewer than {needed} samples (fewest {fewest}), too few for an interval"


def _rep_0_only(study: Study) -> str | None:
    """Cells of which only the first, cold transfer exists: there is no warm figure, and none is made of it."""
    if study.cold:
        return None
    bare = [cell for cell in study.cells.values() if not cell.n]
    warmed = {(each.name, int(cell)) for each in study.runs for cell in _warmup_cells(each.samples.samples)}
    only = [cell for cell in bare if any((source.run, source.cell) in warmed for source in cell.sources)]
    return f"{plural(len(only), 'cell')} have a warm-up repetition and no other" if only else None


def _warmup_cells(frame: pd.DataFrame) -> Iterator[int]:
    yield from frame.loc[(frame["use"] == "warmup").to_numpy(dtype=bool), "cell"].unique()


def _one_pair(study: Study) -> str | None:
    if study.cold or study.pair_count != 1:
        return None
    return "one pair of processes: its intervals say nothing about the next pair, which may differ by some percent"


def _not_interleaved(study: Study) -> str | None:
    if study.plan.get("order") != "sequential" or len(study.arms) < 2:
        return None
    return "the arms ran one after the other in a fixed order: a drift of the machine passes for a difference"


def _unverified_plan(study: Study) -> str | None:
    return None if study.plan.get("verify", True) else "the plan switches verification off: nobody looked at the bytes"


RULES = (
    Rule(
        "two_factors",
        _two_factors,
        forbids="attributing the difference to one of them",
        remedy="arms that differ in one factor, as in threshold_clean (min_bytes above the largest size)",
    ),
    Rule("rep_0_only", _rep_0_only, forbids="warm figures of these cells", remedy="--set reps=10 or more"),
    Rule(
        "too_few_reps",
        _too_few_reps,
        forbids="intervals of these cells",
        remedy=f"at least {n_for_quantile()} warm repetitions per cell (reps)",
    ),
    Rule(
        "one_pair",
        _one_pair,
        forbids="changes between runs",
        remedy="--set pairs=3 or more",
    ),
    Rule(
        "not_interleaved",
        _not_interleaved,
        forbids="small differences between arms",
        remedy="order: interleaved",
    ),
    Rule(
        "verification_off",
        _unverified_plan,
        forbids="saying that the bytes arrived",
        remedy="verify: true",
    ),
)
