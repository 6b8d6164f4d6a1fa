"""What the order of samples and their outliers say: drift over the run, noise floor of an A/A pair, MAD outliers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from analysis.statistics.estimates import Floats, as_floats

_MAD_TO_SIGMA = 1.4826
_OUTLIER_SCORE = 3.5
_MOST_SLOPES = 600
"""Both methods look at every pair of points; more points than this are first replaced by medians of equal stretches."""


@dataclass(frozen=True)
class Drift:
    """A trend over the run: `change` is the relative change from first to last sample, p the chance of such a trend
    where there is none (Kendall's tau)."""

    change: float
    p: float
    n: int


def drift(relative: npt.ArrayLike) -> Drift | None:
    """The trend of samples in their order of execution, each divided by its cell's median beforehand.

    Size from Theil and Sen's slope, significance from Kendall's tau (Mann, 1945), both from scipy; neither assumes a
    distribution, but samples must be independent but for the trend. None below 10 samples.
    """
    y = as_floats(relative)
    if y.size < 10 or np.ptp(y) == 0:
        return None
    folded = _folded(y)
    at = np.arange(folded.size)
    slope = float(stats.theilslopes(folded, at)[0])
    p = float(stats.kendalltau(at, folded).pvalue)
    return Drift(change=slope * (folded.size - 1), p=p, n=y.size)


def _folded(y: Floats) -> Floats:
    if y.size <= _MOST_SLOPES:
        return y
    return np.array([np.median(part) for part in np.array_split(y, _MOST_SLOPES)])


def noise_floor(log_ratios: npt.ArrayLike) -> float:
    """The factor by which two runs of one and the same thing differ: exp of the largest |log ratio| that was seen.

    From an A/A experiment (or two halves of each cell), one log ratio per size. No claim should be below it.
    """
    return math.exp(float(np.max(np.abs(as_floats(log_ratios)))))


def mad_outliers(values: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Which samples lie far out: |x - median| above 3.5 scaled median absolute deviations (Iglewicz and Hoaglin, 1993).

    They are flagged and kept. Where more than half of the samples are one value nothing is flagged.
    """
    x = as_floats(values)
    distance = np.abs(x - np.median(x))
    spread = _MAD_TO_SIGMA * float(np.median(distance))
    if spread == 0:
        return np.zeros(x.size, dtype=np.bool_)
    return np.asarray(distance > _OUTLIER_SCORE * spread)
