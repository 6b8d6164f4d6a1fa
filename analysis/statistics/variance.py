"""How much pairs of processes differ, beside how much repetitions inside one pair do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.statistics.estimates import as_floats

_MAD_TO_SIGMA = 1.4826
_MEDIAN_FACTOR = math.pi / 2
"""The variance of a median of n normal samples is pi / 2 times that of their mean, for large n."""


@dataclass(frozen=True)
class PairVariance:
    """Relative standard deviations: of single samples within a pair, and of the pairs' true medians between pairs."""

    within: float
    between: float
    pairs: int


def pair_variance(groups: Sequence[npt.ArrayLike]) -> PairVariance:
    """One-way random effects on the logs, robust inside the pairs (scaled MAD), classical between them.

    The variance of the pairs' medians minus what repetitions alone explain, floored at 0 (Searle, Casella and
    McCulloch, Variance Components, 1992, 3.6). groups: one array of positive samples per pair, two or more.
    """
    arrays = [np.log(as_floats(group)) for group in groups]
    if len(arrays) < 2:
        raise ValueError("variance between pairs needs two or more pairs")
    medians = np.array([np.median(array) for array in arrays])
    residuals = np.concatenate([array - np.median(array) for array in arrays])
    within = _MAD_TO_SIGMA * float(np.median(np.abs(residuals)))
    explained = float(np.mean([_MEDIAN_FACTOR * within**2 / array.size if array.size > 1 else 0.0 for array in arrays]))
    between = math.sqrt(max(0.0, float(medians.var(ddof=1)) - explained))
    return PairVariance(within, between, len(arrays))
