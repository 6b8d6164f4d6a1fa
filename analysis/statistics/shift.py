"""The shift between two samples: Hodges and Lehmann's median of pairwise differences, with its rank-sum interval."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import stats

from analysis.statistics.estimates import LEVEL, Estimate, Floats, Interval, as_floats

_DIRECT = 1_000_000
"""Up to this many differences all are formed and sorted; above, the wanted ones are found by counting."""


def hodges_lehmann(a: npt.ArrayLike, b: npt.ArrayLike, level: float = LEVEL) -> Estimate:
    """How much `b` lies above `a`: the median of all b_j - a_i (Hodges and Lehmann, 1963), in the samples' unit.

    The interval is that of the rank-sum test (Hollander and Wolfe, 1999, 4.3) with the normal quantile of its null
    distribution, rounded outwards; None where n is too small for the level. Assumes that the two distributions differ
    by a shift only.
    """
    x, y = np.sort(as_floats(a)), np.sort(as_floats(b))
    total = x.size * y.size
    pick = _sorted_differences(x, y) if total <= _DIRECT else None

    def kth(k: int) -> float:
        return float(pick[k - 1]) if pick is not None else _kth_difference(x, y, k)

    value = kth((total + 1) // 2) if total % 2 else 0.5 * (kth(total // 2) + kth(total // 2 + 1))
    spread = math.sqrt(total * (x.size + y.size + 1) / 12)
    k = math.floor(total / 2 - float(stats.norm.ppf((1 + level) / 2)) * spread)
    n = min(x.size, y.size)
    if k < 1:
        return Estimate(value, n, "Hodges-Lehmann", needs=4)
    interval = Interval(kth(k), kth(total + 1 - k), level, level)
    return Estimate(value, n, "Hodges-Lehmann", interval)


def _sorted_differences(x: Floats, y: Floats) -> Floats:
    return np.sort((y[:, None] - x[None, :]).ravel())


def _kth_difference(x: Floats, y: Floats, k: int) -> float:
    """The k-th smallest y_j - x_i of sorted arrays, by bisection on the count of differences at or below a value."""
    low, high = float(y[0] - x[-1]), float(y[-1] - x[0])
    while True:
        middle = low + (high - low) / 2
        if middle in (low, high):
            break
        count = int(np.searchsorted(y, x + middle, side="right").sum())
        if count >= k:
            high = middle
        else:
            low = middle
    # The bisection ends next to the difference; the nearest real one is it.
    at = np.minimum(np.searchsorted(y, x + high), y.size - 1)
    near = np.concatenate([y[at] - x, y[np.maximum(at - 1, 0)] - x])
    return float(near[np.argmin(np.abs(near - high))])
