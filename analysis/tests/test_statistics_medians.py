"""Medians and percentiles against values worked out here another way."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from analysis.statistics import (
    bootstrap_median,
    median_interval,
    median_of_pairs,
    n_for_quantile,
    pair_variance,
    quantile_interval,
)
from analysis.statistics.medians import bootstrap_medians


def exact_level(n: int, k: int) -> float:
    """P(x(k) <= median <= x(n+1-k)) by counting the 2^n equally likely patterns of below and above."""
    below = [math.comb(n, count) for count in range(n + 1)]
    return 1.0 - 2.0 * sum(below[:k]) / float(2**n)


@pytest.mark.parametrize(("n", "k"), [(6, 1), (8, 1), (9, 2), (10, 2), (15, 4), (20, 6), (31, 10)])
def test_median_interval_takes_the_narrowest_order_statistics_of_the_level(n: int, k: int) -> None:
    values = np.arange(1.0, n + 1)
    found = median_interval(np.random.default_rng(1).permutation(values))
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (k, n + 1 - k)
    assert found.interval.achieved == pytest.approx(exact_level(n, k), abs=1e-12)
    assert found.interval.achieved >= 0.95 > exact_level(n, k + 1)
    assert found.value == (n + 1) / 2


def test_median_of_five_samples_has_no_interval_and_says_the_n_it_needs() -> None:
    found = median_interval([3.0, 1.0, 2.0, 5.0, 4.0])
    assert (found.value, found.interval, found.needs) == (3.0, None, 6)


@pytest.mark.parametrize(("p", "level", "n"), [(0.5, 0.95, 6), (0.9, 0.95, 29), (0.99, 0.95, 299), (0.5, 0.99, 8)])
def test_n_for_quantile_is_the_first_whose_range_reaches_the_level(p: float, level: float, n: int) -> None:
    def miss(count: int) -> float:
        return float(p**count + (1 - p) ** count)

    assert n_for_quantile(p, level) == n
    assert 1 - miss(n) >= level > 1 - miss(n - 1)


def test_p99_of_63_samples_is_not_carried() -> None:
    found = quantile_interval(np.arange(63.0), 0.99)
    assert found.interval is None
    assert found.needs == 299


def test_quantile_interval_covers_with_the_level_that_it_states() -> None:
    random = np.random.default_rng(7)
    found = [quantile_interval(random.random(300), 0.9).interval for _ in range(2000)]
    intervals = [each for each in found if each is not None]
    assert len(intervals) == 2000
    level = intervals[0].achieved
    assert level >= 0.95
    covered = sum(each.contains(0.9) for each in intervals)
    assert covered / 2000 == pytest.approx(level, abs=3 * math.sqrt(0.05 * 0.95 / 2000))


@pytest.mark.parametrize("n", [3, 4])
def test_bootstrap_medians_have_the_distribution_of_real_resampling(n: int) -> None:
    values = np.array([1.0, 2.0, 4.0, 8.0][:n])
    every = [float(np.median(draw)) for draw in itertools.product(values, repeat=n)]
    drawn = bootstrap_medians(values, 200_000, np.random.default_rng(3))
    for value in sorted(set(every)):
        expected = every.count(value) / len(every)
        assert np.mean(drawn == value) == pytest.approx(expected, abs=4 * math.sqrt(expected / 200_000) + 1e-4)


def test_bootstrap_median_repeats_with_its_seed_and_differs_with_another() -> None:
    values = np.random.default_rng(5).normal(10, 1, 40)
    one, same, other = (bootstrap_median(values, seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert one.interval != other.interval
    assert one.interval is not None
    assert one.interval.contains(one.value)


def test_median_of_pairs_is_the_geometric_mean_with_students_t_over_the_pairs() -> None:
    groups = [np.full(10, value) for value in (90.0, 100.0, 110.0)]
    found = median_of_pairs(groups)
    logs = [math.log(value) for value in (90, 100, 110)]
    mean = sum(logs) / 3
    error = math.sqrt(sum((value - mean) ** 2 for value in logs) / 2 / 3)
    assert found.interval is not None
    assert found.value == pytest.approx(math.exp(mean))
    # 4.302653 is Student's t at 97.5 % with 2 degrees of freedom; pairs without inner noise leave nothing to add.
    assert found.interval.low == pytest.approx(math.exp(mean - 4.302653 * error), rel=1e-5)
    assert found.interval.high == pytest.approx(math.exp(mean + 4.302653 * error), rel=1e-5)
    assert found.pairs == 3


def test_median_of_one_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="two or more"):
        median_of_pairs([[1.0, 2.0]])


@pytest.mark.parametrize("bad", [[], [1.0, float("nan")], [1.0, float("inf")]])
def test_no_samples_and_no_numbers_are_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="samples"):
        median_interval(bad)


def test_pair_variance_separates_pairs_from_repetitions() -> None:
    random = np.random.default_rng(11)
    groups = [np.exp(random.normal(0, 0.05) + random.normal(0, 0.01, 200)) for _ in range(400)]
    found = pair_variance(groups)
    assert found.within == pytest.approx(0.01, rel=0.05)
    assert found.between == pytest.approx(0.05, rel=0.15)
    alike = pair_variance([np.exp(random.normal(0, 0.01, 200)) for _ in range(400)])
    assert alike.between < 0.0005
