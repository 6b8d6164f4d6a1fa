"""The ratio of two arms' medians with an interval, paired by block where the arms were interleaved.

Everything happens on the log scale: log(median a) - log(median b), one per pair of processes, averaged over the pairs.
Its standard error comes from a bootstrap that resamples pairs first and blocks (or samples) inside them second, and
its reference is Student's t with K - 1 degrees of freedom for K pairs, or n - 1 for one pair with n blocks. One
estimate, its error and its degrees of freedom give the interval at any level, the p-value and the equivalence test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from analysis.statistics.estimates import LEVEL, RESAMPLES, Floats, Interval, as_floats
from analysis.statistics.medians import bootstrap_medians, standard_error_of_pairs

MOST_PAIRED_BLOCKS = 500
"""Above this, resampling blocks costs more than it tells: the arms are resampled apart, which is never narrower when
their noise rises and falls together."""


@dataclass(frozen=True)
class LogRatio:
    """log(a / b), its standard error and degrees of freedom. n: blocks (or samples of the smaller arm); pairs: K."""

    log: float
    error: float
    freedom: int
    n: int
    pairs: int
    method: str

    @property
    def ratio(self) -> float:
        """a / b."""
        return math.exp(self.log)

    def interval(self, level: float = LEVEL) -> Interval | None:
        """The interval of the ratio; None with fewer than two blocks."""
        if self.freedom < 1:
            return None
        reach = float(stats.t.ppf((1 + level) / 2, self.freedom)) * self.error
        return Interval(math.exp(self.log - reach), math.exp(self.log + reach), level, level)

    def p_below(self, log_limit: float) -> float:
        """One-sided p-value against the hypothesis log(a / b) >= log_limit."""
        return float(stats.t.cdf(self._t(log_limit), self.freedom))

    def p_above(self, log_limit: float) -> float:
        """One-sided p-value against the hypothesis log(a / b) <= log_limit."""
        return float(stats.t.sf(self._t(log_limit), self.freedom))

    def p_equal(self) -> float:
        """Two-sided p-value against a ratio of 1."""
        return min(1.0, 2 * min(self.p_below(0.0), self.p_above(0.0)))

    def _t(self, log_limit: float) -> float:
        distance = self.log - log_limit
        if self.error == 0:
            return 0.0 if distance == 0 else math.copysign(math.inf, distance)
        return distance / self.error


def ratio_of_medians(
    a: Sequence[npt.ArrayLike],
    b: Sequence[npt.ArrayLike],
    *,
    paired: bool,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> LogRatio:
    """median(a) / median(b), where a[k] and b[k] are the positive samples of pair k.

    paired: element i of a[k] and b[k] come from the same block, and blocks are resampled; else arms are, apart.
    ValueError when the pairs do not correspond, or paired arrays differ in length.
    """
    if not a or len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} pairs do not correspond")
    left = [as_floats(group) for group in a]
    right = [as_floats(group) for group in b]
    if paired and any(x.size != y.size for x, y in zip(left, right, strict=True)):
        raise ValueError("arms paired by block must have the same blocks")
    k = len(left)
    by_block = paired and max(x.size for x in left) <= MOST_PAIRED_BLOCKS
    random = np.random.default_rng(seed)
    centres = np.array([np.log(np.median(x) / np.median(y)) for x, y in zip(left, right, strict=True)])
    draw = _block_ratios if by_block else _apart_ratios
    within = np.stack([draw(x, y, resamples, random) for x, y in zip(left, right, strict=True)])
    if k == 1:
        error = float(within[0].std(ddof=1))
        freedom = min(left[0].size, right[0].size) - 1
    else:
        error = standard_error_of_pairs(centres, within, random)
        freedom = k - 1
    counted = sum(min(x.size, y.size) for x, y in zip(left, right, strict=True))
    how = "blocks resampled" if by_block else "arms resampled apart"
    method = f"ratio of medians, {how}" if k == 1 else f"ratio of medians, {k} pairs resampled, {how} inside them"
    return LogRatio(float(centres.mean()), error, freedom, counted, k, method)


def _block_ratios(x: Floats, y: Floats, count: int, random: np.random.Generator) -> Floats:
    blocks = random.integers(0, x.size, (count, x.size))
    return np.asarray(np.log(np.median(x[blocks], axis=1) / np.median(y[blocks], axis=1)))


def _apart_ratios(x: Floats, y: Floats, count: int, random: np.random.Generator) -> Floats:
    return np.log(bootstrap_medians(np.sort(x), count, random) / bootstrap_medians(np.sort(y), count, random))
