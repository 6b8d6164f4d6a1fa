"""Two arms size by size: the ratio of their medians, its interval, and whether a difference is shown.

Verdicts, tables and plots share these results. A difference counts as shown only when the interval leaves out 1 and
the test of difference still holds after Holm's correction over the sizes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from analysis import statistics
from analysis.cells import Key
from analysis.statistics.estimates import LEVEL, Interval
from analysis.statistics.ratios import LogRatio
from analysis.study import Study


class Outcome(StrEnum):
    """What the samples show of `of` against `over` at one size."""

    FASTER = "faster"
    SLOWER = "slower"
    NOT_SHOWN = "not shown"


@dataclass(frozen=True)
class Comparison:
    """`ratio`: time of `over` / time of `of`. p: before, p_holm: after correction; None where nothing can be tested."""

    of: Key
    over: Key
    ratio: LogRatio
    interval: Interval | None
    p: float | None
    p_holm: float | None
    test: str
    outcome: Outcome

    @property
    def size(self) -> int:
        """The size that both cells measure, in bytes."""
        return self.of.size

    @property
    def id(self) -> str:
        """Where this comparison's numbers stand in the ledger."""
        window = f"/w{self.of.window}" if self.of.window else ""
        return f"advantage/{self.of.arm}~{self.over.arm}/{self.size}{window}"


def compared_arms(study: Study) -> Iterator[tuple[str, str]]:
    """Each (of, over) that a verdict of the plan compares, in its order, once, of arms that the plan has."""
    seen = set()
    for each in study.plan.get("verdicts", []):
        for asked in each.values():
            pair = (asked.get("of"), asked.get("over"))
            if pair not in seen and pair[0] in study.arms and pair[1] in study.arms:
                seen.add(pair)
                yield str(pair[0]), str(pair[1])


def compare_arms(study: Study, of: str, over: str, level: float = LEVEL, window: int | None = None) -> list[Comparison]:
    """One comparison for each size at which both arms have warm samples, by size. Computed once per study."""
    chosen = study.windows[0] if window is None else window
    return study.once(("compare", of, over, level, chosen), lambda: _compare(study, of, over, level, chosen))


def _compare(study: Study, of: str, over: str, level: float, window: int) -> list[Comparison]:
    rows: list[tuple[Key, Key, LogRatio, float | None, str]] = []
    others = {key.size: key for key in study.keys(over, window)}
    for key in study.keys(of, window):
        other = others.get(key.size)
        ratio = study.ratio(other, key) if other is not None else None
        if other is None or ratio is None:
            continue
        p, test = _difference(study, key, other, ratio)
        rows.append((key, other, ratio, p, test))
    tested = [p for *_, p, _ in rows if p is not None]
    corrected = iter(statistics.holm(tested))
    result = []
    for key, other, ratio, p, test in rows:
        p_holm = next(corrected) if p is not None else None
        interval = ratio.interval(level)
        outcome = _outcome(interval, p_holm, 1 - level)
        result.append(Comparison(key, other, ratio, interval, p, p_holm, test, outcome))
    return result


def _difference(study: Study, of: Key, over: Key, ratio: LogRatio) -> tuple[float | None, str]:
    """With several pairs samples of one pair are not independent: then only the pairs count."""
    if ratio.pairs > 1:
        return ratio.p_equal(), f"Student's t over {ratio.pairs} pairs"
    one, other = study.cells[of].values(), study.cells[over].values()
    if min(one.size, other.size) < 2 or np.ptp(np.concatenate([one, other])) == 0:
        return None, "not testable"
    return statistics.mann_whitney(one, other), "Mann-Whitney"


def _outcome(interval: Interval | None, p_holm: float | None, alpha: float) -> Outcome:
    if interval is None or p_holm is None or p_holm > alpha or interval.contains(1.0):
        return Outcome.NOT_SHOWN
    return Outcome.FASTER if interval.low > 1 else Outcome.SLOWER
