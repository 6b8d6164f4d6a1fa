"""The statistics of the project: pure functions over arrays, each with its source, its assumptions and its tests.

Where scipy has the method it is used. Nothing here knows runs, arms or files; `analysis.cells` brings the arrays.
"""

from analysis.statistics.estimates import Estimate, Interval
from analysis.statistics.hypothesis import holm, mann_whitney, tost
from analysis.statistics.medians import (
    bootstrap_median,
    median_interval,
    median_of_pairs,
    n_for_quantile,
    quantile_interval,
)
from analysis.statistics.order import Drift, drift, mad_outliers, noise_floor
from analysis.statistics.rates import CostModel, fixed_plus_marginal, harmonic_mean, rate_from_median
from analysis.statistics.ratios import LogRatio, ratio_of_medians
from analysis.statistics.shift import hodges_lehmann
from analysis.statistics.variance import PairVariance, pair_variance

__all__ = [
    "CostModel",
    "Drift",
    "Estimate",
    "Interval",
    "LogRatio",
    "PairVariance",
    "bootstrap_median",
    "drift",
    "fixed_plus_marginal",
    "harmonic_mean",
    "hodges_lehmann",
    "holm",
    "mad_outliers",
    "mann_whitney",
    "median_interval",
    "median_of_pairs",
    "n_for_quantile",
    "noise_floor",
    "pair_variance",
    "quantile_interval",
    "rate_from_median",
    "ratio_of_medians",
    "tost",
]
