"""Ratios, tests of hypotheses, shifts, order and rates against values worked out here another way."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from analysis.statistics import (
    drift,
    fixed_plus_marginal,
    harmonic_mean,
    hodges_lehmann,
    holm,
    mad_outliers,
    mann_whitney,
    noise_floor,
    rate_from_median,
    ratio_of_medians,
    tost,
)
from analysis.statistics.ratios import MOST_PAIRED_BLOCKS, LogRatio
from analysis.statistics.shift import _kth_difference

T_975_2 = 4.302653


def test_ratio_is_that_of_the_medians() -> None:
    found = ratio_of_medians([[2.0, 4.0, 6.0]], [[1.0, 2.0, 3.0]], paired=True)
    assert found.ratio == pytest.approx(2.0)
    assert found.n == 3
    # Block by block the arms move together: every resample has the same ratio, so there is no error at all.
    assert found.error == pytest.approx(0.0, abs=1e-12)


def test_pairing_by_block_cancels_what_both_arms_share() -> None:
    random = np.random.default_rng(2)
    shared = np.exp(random.normal(0, 0.2, 30))
    a, b = 3 * shared * np.exp(random.normal(0, 0.01, 30)), shared * np.exp(random.normal(0, 0.01, 30))
    paired = ratio_of_medians([a], [b], paired=True)
    apart = ratio_of_medians([a], [b], paired=False)
    assert paired.error < 0.4 * apart.error
    assert apart.error > 0


def test_several_pairs_have_students_t_over_their_ratios() -> None:
    ratios = (1.9, 2.0, 2.1)
    a, b = [np.full(8, 10 * r) for r in ratios], [np.full(8, 10.0) for _ in ratios]
    found = ratio_of_medians(a, b, paired=True)
    logs = np.log(ratios)
    error = logs.std(ddof=1) / math.sqrt(3)
    assert (found.pairs, found.freedom) == (3, 2)
    assert found.error == pytest.approx(error, rel=1e-9)
    interval = found.interval()
    assert interval is not None
    assert interval.low == pytest.approx(math.exp(logs.mean() - T_975_2 * error), rel=1e-6)


def test_noise_inside_pairs_widens_the_error_beyond_the_scatter_of_three_equal_pairs() -> None:
    random = np.random.default_rng(4)
    noisy = np.exp(random.normal(0, 0.1, 15))
    a = [noisy * 2, noisy * 2, noisy * 2]
    b = [np.exp(np.random.default_rng(seed).permutation(np.log(noisy))) for seed in range(3)]
    assert ratio_of_medians(a, b, paired=True).error > 0.005


def test_one_block_gives_no_interval() -> None:
    assert ratio_of_medians([[2.0]], [[1.0]], paired=True).interval() is None


def test_many_blocks_are_resampled_apart_and_say_so() -> None:
    values = np.exp(np.random.default_rng(1).normal(0, 0.1, MOST_PAIRED_BLOCKS + 1))
    assert "apart" in ratio_of_medians([values], [values], paired=True).method


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [([], [], "pairs"), ([[1.0]], [[1.0], [2.0]], "pairs"), ([[1.0, 2.0]], [[1.0]], "same blocks")],
)
def test_arms_that_do_not_correspond_are_refused(a: list[list[float]], b: list[list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ratio_of_medians(a, b, paired=True)


def test_mann_whitney_is_the_share_of_arrangements_at_least_as_extreme() -> None:
    a, b = [1.0, 2.0, 3.0, 4.0, 9.0], [5.0, 6.0, 7.0, 8.0, 10.0]

    def wins(chosen: tuple[float, ...], rest: list[float]) -> int:
        return sum(x > y for x in chosen for y in rest)

    every = sorted(a + b)
    seen = abs(wins(tuple(a), b) - 12.5)
    counts = [abs(wins(pick, [v for v in every if v not in pick]) - 12.5) for pick in combinations(every, 5)]
    assert mann_whitney(a, b) == pytest.approx(sum(count >= seen for count in counts) / len(counts))


def test_mann_whitney_of_equal_samples_has_nothing_to_rank() -> None:
    assert mann_whitney([5.0, 5.0], [5.0, 5.0]) is None


def test_holm_steps_down_and_stays_monotone() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_tost_agrees_with_its_interval_and_needs_a_margin() -> None:
    ratio = LogRatio(math.log(1.01), 0.01, 20, 21, 1, "made up")
    interval = ratio.interval(0.90)
    assert interval is not None
    for margin in (0.005, 0.02, 0.027, 0.028, 0.03, 0.05):
        inside = interval.high <= 1 + margin and interval.low >= 1 / (1 + margin)
        assert (tost(ratio, margin) <= 0.05) == inside, margin
    with pytest.raises(ValueError, match="margin"):
        tost(ratio, 0.0)


def test_no_error_and_no_difference_is_not_a_division_by_zero() -> None:
    same = LogRatio(0.0, 0.0, 5, 6, 1, "made up")
    assert same.p_equal() == 1.0
    assert LogRatio(0.1, 0.0, 5, 6, 1, "made up").p_equal() == 0.0


def test_hodges_lehmann_is_the_median_of_all_differences() -> None:
    random = np.random.default_rng(9)
    a, b = random.integers(0, 50, 21).astype(float), random.integers(10, 60, 17).astype(float)
    every = np.sort((b[:, None] - a[None, :]).ravel())
    found = hodges_lehmann(a, b)
    assert found.value == np.median(every)
    assert found.interval is not None
    assert found.interval.low in every
    assert found.interval.high in every


def test_hodges_lehmann_counts_to_the_same_place_without_forming_all_differences() -> None:
    random = np.random.default_rng(10)
    a, b = np.sort(random.integers(0, 9000, 300).astype(float)), np.sort(random.integers(0, 9000, 200).astype(float))
    every = np.sort((b[:, None] - a[None, :]).ravel())
    for k in (1, 2, 17, 30_000, 59_999, 60_000):
        assert _kth_difference(a, b, k) == every[k - 1]


def test_drift_finds_a_trend_and_its_size() -> None:
    random = np.random.default_rng(6)
    values = np.linspace(0.95, 1.05, 300) * np.exp(random.normal(0, 0.02, 300))
    found = drift(values)
    assert found is not None
    assert found.change == pytest.approx(0.10, abs=0.02)
    assert found.p < 1e-6
    long = drift(np.repeat(values, 10))
    assert long is not None
    assert long.change == pytest.approx(found.change, abs=0.01)


def test_drift_of_noise_is_rarely_significant() -> None:
    random = np.random.default_rng(12)
    found = [drift(np.exp(random.normal(0, 0.02, 100))) for _ in range(300)]
    assert sum(each is not None and each.p < 0.05 for each in found) <= 300 * 0.05 + 3 * math.sqrt(300 * 0.05 * 0.95)


@pytest.mark.parametrize("values", [[1.0] * 9, [1.0] * 100])
def test_too_few_or_equal_samples_have_no_drift(values: list[float]) -> None:
    assert drift(values) is None


def test_noise_floor_is_the_largest_factor_either_way() -> None:
    assert noise_floor(np.log([1.01, 0.95, 1.02])) == pytest.approx(1 / 0.95)


def test_outliers_are_flagged_by_the_median_deviation() -> None:
    values = [10.0, 11.0, 9.0, 10.5, 9.5, 30.0]
    assert mad_outliers(values).tolist() == [False] * 5 + [True]
    assert not mad_outliers([5.0, 5.0, 5.0, 5.0, 90.0]).any()


def test_rates_are_averaged_over_equal_work() -> None:
    assert rate_from_median(1_000_000, 500_000) == 2e9
    assert harmonic_mean([1.0, 3.0]) == pytest.approx(2 / (1 / 1 + 1 / 3))
    with pytest.raises(ValueError, match="above 0"):
        harmonic_mean([1.0, 0.0])
    with pytest.raises(ValueError, match="no rate"):
        rate_from_median(1, 0)


def test_fixed_plus_marginal_recovers_an_exact_line() -> None:
    sizes = [4096, 65536, 1 << 20]
    times = [5000 + size / 2.5 for size in sizes]
    model = fixed_plus_marginal(sizes, times, np.tile(times, (50, 1)))
    assert model.fixed_ns == pytest.approx(5000)
    assert model.bytes_per_ns == pytest.approx(2.5)
    assert model.rate_interval is not None
    assert model.rate_interval.low == pytest.approx(2.5)
    assert max(abs(rest) for rest in model.residuals) < 1e-9


def test_fixed_plus_marginal_names_the_size_off_the_line_and_a_flat_time_has_no_rate() -> None:
    sizes = [1024, 2048, 4096, 8192]
    bent = fixed_plus_marginal(
        sizes, [1000.0, 1000.0, 1500.0, 1000.0], np.tile([1000.0, 1000.0, 1500.0, 1000.0], (9, 1))
    )
    assert max(range(4), key=lambda at: abs(bent.residuals[at])) == 2
    flat = fixed_plus_marginal(sizes, [1000.0] * 4, np.tile([1000.0] * 4, (9, 1)))
    assert flat.rate_interval is None
    with pytest.raises(ValueError, match="three or more"):
        fixed_plus_marginal(sizes[:2], [1.0, 2.0], np.ones((5, 2)))
