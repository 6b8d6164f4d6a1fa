"""Rates, and the line through times over sizes: what a transfer costs at least, and what each byte adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.statistics.estimates import LEVEL, Floats, Interval, as_floats


def rate_from_median(byte_count: int, median_ns: float) -> float:
    """Bytes per second of a transfer of `byte_count` that takes the median time. Never a mean of rates."""
    if median_ns <= 0:
        raise ValueError(f"a median of {median_ns} ns has no rate")
    return byte_count * 1e9 / median_ns


def harmonic_mean(rates: npt.ArrayLike) -> float:
    """The mean of rates over equal work: total work through total time. ValueError for a rate of 0 or less."""
    x = as_floats(rates)
    if np.any(x <= 0):
        raise ValueError("rates must be above 0")
    return float(x.size / np.sum(1 / x))


@dataclass(frozen=True)
class CostModel:
    """time = fixed_ns + size / bytes_per_ns, and how far each size lies off it (relative, in the sizes' order)."""

    fixed_ns: float
    fixed_interval: Interval
    bytes_per_ns: float
    rate_interval: Interval | None
    residuals: tuple[float, ...]
    n: int


def fixed_plus_marginal(
    sizes: Sequence[int], medians_ns: Sequence[float], draws_ns: Floats, level: float = LEVEL
) -> CostModel:
    """Least squares of relative errors: minimises sum(((fixed + slope size - t) / t)^2) over the sizes' medians t.

    draws_ns: shape (B, sizes), bootstrap medians per size; the intervals are the percentiles of the B refits. Three
    sizes or more. The rate's interval is None where a refit's slope is not above 0: then size does not show in time.
    """
    s = as_floats(sizes)
    if s.size < 3 or draws_ns.ndim != 2 or draws_ns.shape[1] != s.size or len(medians_ns) != s.size:
        raise ValueError("a cost model needs three or more sizes, a median and draws for each")
    t = as_floats(medians_ns)
    fixed, slope = (float(part[0]) for part in _fit(s, t[None, :]))
    fixed_draws, slope_draws = _fit(s, draws_ns)
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(fixed_draws, tails)
    slope_low, slope_high = np.quantile(slope_draws, tails)
    rate = None
    if slope_low > 0:
        rate = Interval(float(1 / slope_high), float(1 / slope_low), level, level)
    residuals = tuple(float(value) for value in (t - (fixed + slope * s)) / t)
    bytes_per_ns = 1 / slope if slope > 0 else float("inf")
    return CostModel(fixed, Interval(float(low), float(high), level, level), bytes_per_ns, rate, residuals, s.size)


def _fit(s: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Weighted normal equations for all rows of t at once, weights 1 / t^2. Returns fixed and slope, of shape (B,)."""
    w = 1 / t**2
    sw, sws, swt = w.sum(axis=1), (w * s).sum(axis=1), (w * t).sum(axis=1)
    swss, swst = (w * s * s).sum(axis=1), (w * s * t).sum(axis=1)
    slope = (sw * swst - sws * swt) / (sw * swss - sws * sws)
    return (swt - slope * sws) / sw, slope
