"""Tests of hypotheses: does it differ (Mann-Whitney, Holm over many sizes), is it the same (two one-sided tests).

A test of difference that finds nothing says nothing about equality; only `tost` does, with a stated margin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

from analysis.statistics.estimates import as_floats
from analysis.statistics.ratios import LogRatio


def mann_whitney(a: npt.ArrayLike, b: npt.ArrayLike) -> float | None:
    """Two-sided p-value that samples of `a` are as often above as below those of `b` (Mann and Whitney, 1947).

    scipy's `mannwhitneyu`: exact for small samples without ties, else normal with tie correction. Assumes independent
    samples. None when all samples of both are one value: then there is nothing to rank.
    """
    x, y = as_floats(a), as_floats(b)
    if np.ptp(np.concatenate([x, y])) == 0:
        return None
    return float(stats.mannwhitneyu(x, y, alternative="two-sided").pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (1979) of p-values of one family, in the order given.

    Rejecting where the result is at most alpha keeps the chance of any wrong rejection at most alpha, whatever the
    dependence between the tests.
    """
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted


def tost(ratio: LogRatio, margin: float) -> float:
    """The p-value of equivalence within a factor of 1 + margin either way (two one-sided tests, Schuirmann, 1987).

    The larger of the two one-sided p-values against "a / b is at most 1 / (1 + margin)" and "at least 1 + margin". At
    most alpha exactly when the 1 - 2 alpha interval lies inside the margin. Assumptions are those of `ratio`.
    """
    if margin <= 0:
        raise ValueError(f"an equivalence margin must be above 0, not {margin}")
    limit = math.log1p(margin)
    return max(ratio.p_above(-limit), ratio.p_below(limit))
