"""Medians and percentiles with intervals, for one pair and for several.

One pair: order statistics, exact for any continuous distribution (David and Nagaraja, Order Statistics, 2003, 7.1):
the number of samples below the p-quantile is Binomial(n, p). Assumes independent samples of one distribution.
Several pairs: pairs differ more than repetitions do, so pairs are resampled first and repetitions inside them second.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

from analysis.statistics.estimates import LEVEL, RESAMPLES, Estimate, Floats, Interval, as_floats


def n_for_quantile(p: float = 0.5, level: float = LEVEL) -> int:
    """The least n for which minimum and maximum enclose the p-quantile with at least `level`: 6 for a median at 95 %.

    From 1 - p^n - (1 - p)^n >= level. p99 at 95 % needs 299 samples.
    """
    if not 0 < p < 1 or not 0 < level < 1:
        raise ValueError(f"p={p} and level={level} must lie between 0 and 1")
    n = 2
    while 1 - p**n - (1 - p) ** n < level:
        n += 1
    return n


def median_interval(values: npt.ArrayLike, level: float = LEVEL) -> Estimate:
    """The sample median with its symmetric order-statistic interval, whose exact level is never below `level`.

    With x(k) the k-th smallest of n, P(x(k) <= median <= x(n+1-k)) = 1 - 2 P(Binomial(n, 1/2) <= k - 1).
    """
    x = np.sort(as_floats(values))
    n = x.size
    needs = n_for_quantile(0.5, level)
    value = float(np.median(x))
    if n < needs:
        return Estimate(value, n, "order statistics", needs=needs)
    # The largest k whose tail is at most half of what may be missed.
    k = int(stats.binom.ppf((1 - level) / 2, n, 0.5))
    while k > 0 and stats.binom.cdf(k - 1, n, 0.5) > (1 - level) / 2:
        k -= 1
    while stats.binom.cdf(k, n, 0.5) <= (1 - level) / 2:
        k += 1
    achieved = float(1 - 2 * stats.binom.cdf(k - 1, n, 0.5))
    interval = Interval(float(x[k - 1]), float(x[n - k]), level, achieved)
    return Estimate(value, n, "order statistics", interval)


def quantile_interval(values: npt.ArrayLike, p: float, level: float = LEVEL) -> Estimate:
    """The p-quantile (linear between neighbours, numpy's default) with an order-statistic interval of at least `level`.

    Each tail misses at most (1 - level) / 2 where n allows, else the whole range is used if that reaches `level`.
    `interval` is None below `n_for_quantile(p, level)`: then the percentile should not be printed.
    """
    x = np.sort(as_floats(values))
    n = x.size
    needs = n_for_quantile(p, level)
    value = float(np.quantile(x, p))
    if n < needs:
        return Estimate(value, n, "order statistics", needs=needs)
    tail = (1 - level) / 2
    low = int(stats.binom.ppf(tail, n, p))
    while low > 0 and stats.binom.cdf(low - 1, n, p) > tail:
        low -= 1
    high = int(stats.binom.ppf(1 - tail, n, p)) + 1
    while high <= n and stats.binom.sf(high - 1, n, p) > tail:
        high += 1
    low, high = max(low, 1), min(high, n)

    def reached() -> float:
        return float(stats.binom.cdf(high - 1, n, p) - stats.binom.cdf(low - 1, n, p))

    # An end that was cut off at the range takes its missing probability from the other end.
    while reached() < level and low > 1:
        low -= 1
    while reached() < level and high < n:
        high += 1
    return Estimate(value, n, "order statistics", Interval(float(x[low - 1]), float(x[high - 1]), level, reached()))


def bootstrap_medians(sorted_values: Floats, count: int, random: np.random.Generator) -> Floats:
    """`count` medians of bootstrap resamples of a sorted array, drawn exactly without resampling it.

    The m-th smallest of n draws with replacement is the sample at index ceil(n U), U the m-th smallest of n uniforms,
    which is Beta(m, n + 1 - m); for even n the next one up is U + (1 - U) Beta(1, n - m).
    Costs O(count), whatever n is.
    """
    n = sorted_values.size
    m = (n + 1) // 2
    lower = random.beta(m, n + 1 - m, count)
    at = np.minimum((lower * n).astype(np.int64), n - 1)
    if n % 2:
        return sorted_values[at]
    upper = lower + (1 - lower) * random.beta(1, n - m, count)
    above = np.minimum((upper * n).astype(np.int64), n - 1)
    return 0.5 * (sorted_values[at] + sorted_values[above])


def bootstrap_median(
    values: npt.ArrayLike, level: float = LEVEL, seed: int = 0, resamples: int = RESAMPLES
) -> Estimate:
    """The median with a percentile bootstrap interval (Efron and Tibshirani, 1993, chapter 13), seeded.

    The alternative to `median_interval`; its level is approximate, so `achieved` repeats what was asked.
    """
    x = np.sort(as_floats(values))
    drawn = bootstrap_medians(x, resamples, np.random.default_rng(seed))
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    interval = Interval(float(low), float(high), level, level)
    return Estimate(float(np.median(x)), x.size, f"bootstrap, {resamples} resamples, seed {seed}", interval)


def standard_error_of_pairs(centres: Floats, within: Floats, random: np.random.Generator) -> float:
    """The standard error of the mean over K pairs: pairs resampled first, repetitions inside them second.

    centres: shape (K,), each pair's own estimate. within: shape (K, B), B bootstrap estimates of each pair.
    A bootstrap over few pairs is too narrow by sqrt((K - 1) / K), and at K = 3 nearly a fifth; so the result is never
    less than the classical one of K pair means, s / sqrt(K).
    """
    k, resamples = within.shape
    chosen = random.integers(0, k, (resamples, k))
    drawn = within[chosen, random.integers(0, resamples, (resamples, k))].mean(axis=1)
    return max(float(drawn.std(ddof=1)), float(centres.std(ddof=1)) / math.sqrt(k))


def median_of_pairs(
    groups: Sequence[npt.ArrayLike], level: float = LEVEL, seed: int = 0, resamples: int = RESAMPLES
) -> Estimate:
    """The geometric mean of the pairs' medians, with Student's t for K pairs around it, on the log scale.

    groups: one array of positive samples per pair, two or more. The standard error is `standard_error_of_pairs`.
    Assumes that the pairs' medians scatter log-normally around the truth; K - 1 degrees of freedom, so three pairs
    give wide intervals, and rightly.
    """
    arrays = [np.sort(as_floats(group)) for group in groups]
    k = len(arrays)
    if k < 2:
        raise ValueError("median_of_pairs needs two or more pairs; median_interval is for one")
    random = np.random.default_rng(seed)
    centres = np.log([np.median(array) for array in arrays])
    within = np.log(np.stack([bootstrap_medians(array, resamples, random) for array in arrays]))
    error = standard_error_of_pairs(centres, within, random)
    centre = float(centres.mean())
    reach = float(stats.t.ppf((1 + level) / 2, k - 1)) * error
    interval = Interval(math.exp(centre - reach), math.exp(centre + reach), level, level)
    total = sum(array.size for array in arrays)
    return Estimate(math.exp(centre), total, f"geometric mean of {k} pair medians, pairs resampled", interval, k)
