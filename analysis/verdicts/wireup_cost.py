"""wireup_cost {of, over}: what the first transfer pays once, and after how many transfers that is paid back."""

from __future__ import annotations

import math

import numpy as np

from analysis import statistics, units
from analysis.comparison import Comparison, Outcome, compare_arms
from analysis.first_transfers import first_transfers
from analysis.scope import scope_of
from analysis.statistics.estimates import Estimate
from analysis.study import Study
from analysis.verdicts.verdict import Asked, Verdict, inconclusive
from analysis.wording import Basis


def wireup_cost(study: Study, asked: Asked) -> Verdict:
    """The median wire-up over the pairs' first transfers; paid back where a later transfer is shown to save time."""
    of, over = str(asked["of"]), str(asked["over"]) if asked.get("over") else None
    level = float(asked.get("confidence", 0.95))
    scope, subject = scope_of(study), of if not asked.get("over") else f"{of} over {asked['over']}"
    firsts = first_transfers(study)
    mine = firsts.get(of)
    if mine is None or not mine.wireup_ns.size:
        return inconclusive("wireup_cost", subject, scope, f"no first transfer of {of} was recorded")
    estimate = statistics.median_interval(mine.wireup_ns, level)
    based = Basis(study, f"wireup/{of}", estimate.n, mine.sources)
    cost = based.duration("median", estimate.value, "median of wireup_ns over the first transfers of the pairs")
    count = based.count("n", estimate.n, "pairs", "count of first transfers")
    statement = (
        f"the first transfer of {of} pays {cost} of wire-up once per pair (n {count}{_between(based, estimate)})"
    )
    data: dict[str, object] = {"of": of, "over": over, "wireup_ns": estimate.value, "n": estimate.n, "paid_back": []}
    if over is None:
        return Verdict("wireup_cost", subject, scope, statement, data)
    theirs = firsts.get(over)
    extra = estimate.value - (float(np.median(theirs.wireup_ns)) if theirs is not None else 0.0)
    compared = [each for each in _warm_comparisons(study, of, over, level) if each.outcome is Outcome.FASTER]
    paid = [(each.size, after) for each in compared if (after := _transfers(study, each, extra)) is not None]
    data["paid_back"] = [{"size": size, "transfers": count} for size, count in paid]
    if extra <= 0:
        return Verdict("wireup_cost", subject, scope, f"{statement}, no more than {over} does", data)
    if study.cold:
        statement += "; each pair made one transfer, so a later one's saving was not measured here"
    elif not paid:
        statement += f"; it is not paid back at any measured size, because {of} is at none shown to be faster"
    else:
        formula = "wire-up above the other arm's / (median of the other arm - median), rounded up"
        told = []
        for size, transfers in dict.fromkeys((min(paid, key=_second), max(paid, key=_second))):
            number = based.count(f"paid_back~{over}/{size}", transfers, "transfers", formula)
            told.append(f"{number} transfers of {units.size(size)}")
        statement += f"; paid back after {', at the latest after '.join(told)}"
    return Verdict("wireup_cost", subject, scope, statement, data)


def _warm_comparisons(study: Study, of: str, over: str, level: float) -> list[Comparison]:
    """In a cold run every total holds a wire-up: what a later transfer would save is not in it."""
    return [] if study.cold else compare_arms(study, of, over, level)


def _transfers(study: Study, each: Comparison, extra_ns: float) -> int | None:
    """None where the medians themselves show no saving: the ratio leaves out pairs that only one of the arms has."""
    slow, fast = study.median(each.over), study.median(each.of)
    assert slow is not None and fast is not None, "compared cells have medians"
    saved = slow.value - fast.value
    return math.ceil(extra_ns / saved) if saved > 0 else None


def _second(pair: tuple[int, int]) -> int:
    return pair[1]


def _between(based: Basis, estimate: Estimate) -> str:
    if estimate.interval is None:
        return ""
    low = based.duration("low", estimate.interval.low, "low end of the interval of the median: order statistics")
    high = based.duration("high", estimate.interval.high, "high end of the interval of the median: order statistics")
    return f", {low} to {high}"
