"""The change of a median between two runs, whose pairs of processes have nothing to do with each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from analysis.statistics.estimates import RESAMPLES, as_floats
from analysis.statistics.medians import bootstrap_medians, standard_error_of_pairs
from analysis.statistics.ratios import LogRatio


def change_between_runs(
    before: Sequence[npt.ArrayLike], after: Sequence[npt.ArrayLike], *, seed: int = 0, resamples: int = RESAMPLES
) -> LogRatio:
    """median(after) / median(before), one array of positive samples per pair of processes.

    Each run's log median is the mean over its pairs with the error of `standard_error_of_pairs`; the errors add as of
    independent estimates, with Welch and Satterthwaite's degrees of freedom (Welch, 1947), rounded down. With one
    pair in either run there is no scatter between pairs to learn from: freedom is 0 and the result has no interval.
    """
    random = np.random.default_rng(seed)
    one, error_one, freedom_one = _centre(before, resamples, random)
    other, error_other, freedom_other = _centre(after, resamples, random)
    error = math.hypot(error_one, error_other)
    if min(freedom_one, freedom_other) == 0:
        freedom = 0
    elif error == 0:
        freedom = freedom_one + freedom_other
    else:
        freedom = math.floor(error**4 / (error_one**4 / freedom_one + error_other**4 / freedom_other))
    pairs = min(len(before), len(after))
    n = min(sum(len(as_floats(group)) for group in side) for side in (before, after))
    return LogRatio(other - one, error, freedom, n, pairs, "ratio of medians between runs, Welch's t over pairs")


def _centre(groups: Sequence[npt.ArrayLike], resamples: int, random: np.random.Generator) -> tuple[float, float, int]:
    """A run's log median, its standard error and its degrees of freedom."""
    arrays = [np.sort(as_floats(group)) for group in groups]
    if not arrays:
        raise ValueError("a run without samples has no median")
    centres = np.log([np.median(array) for array in arrays])
    within = np.log(np.stack([bootstrap_medians(array, resamples, random) for array in arrays]))
    if len(arrays) == 1:
        return float(centres[0]), float(within[0].std(ddof=1)), 0
    return float(centres.mean()), standard_error_of_pairs(centres, within, random), len(arrays) - 1
