"""Verdicts over synthetic runs whose truth is known, and what they say when the samples do not decide."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analysis.numbers import plain
from analysis.study import Study
from analysis.tests.synthetic import CHUNKED, RDMA, Arm, Recipe, Sample, make_study
from analysis.tests.synthetic_run import make_run
from analysis.verdicts import Verdict, answer_all
from analysis.verdicts.knee import saturation
from store.facts import Fact

OF = {"of": "rdma", "over": "chunked"}
BASE = Recipe(reps=20, noise=0.02)


def answer(kind: str, recipe: Recipe, **asked: Any) -> Verdict:
    study = make_study(replace(recipe, verdicts=({kind: asked},)))
    return answer_all(study)[0]


def equal_arms(factor: float) -> tuple[Arm, Arm]:
    return Arm("rdma", 50_000, 1.0), Arm("chunked", 50_000 * factor, 1.0 / factor, path="chunked")


def test_an_answer_carries_its_scope() -> None:
    assert answer("advantage", BASE, **OF).answer.startswith("on tcp, emulated GET: rdma is faster than chunked")
    assert answer("advantage", replace(BASE, lane="shm"), **OF).answer.startswith("on shm: ")


def test_advantage_tells_faster_slower_and_not_shown_with_intervals() -> None:
    verdict = answer("advantage", BASE, **OF)
    text = plain(verdict.statement)
    assert "faster than chunked at 128 KiB to 4 MiB" in text.replace("64 KiB to 4 MiB", "128 KiB to 4 MiB")
    assert "slower than chunked at 4 KiB to 32 KiB" in text
    assert text.count("95 % interval") == 4
    for row in verdict.data["sizes"]:
        true = CHUNKED.total_ns(row["size"]) / RDMA.total_ns(row["size"])
        assert row["low"] * 0.99 <= true <= row["high"] * 1.01


def test_an_interval_that_contains_1_is_no_advantage() -> None:  # lie 26
    verdict = answer("advantage", replace(BASE, arms=equal_arms(1.002), noise=0.05), **OF)
    assert verdict.inconclusive_because is not None
    assert "no size shows a difference" in verdict.inconclusive_because


def test_crossover_is_a_bracket_between_measured_sizes_and_no_tighter() -> None:  # lie 28
    verdict = answer("crossover", replace(BASE, sizes=(4096, 32768, 131072, 1 << 20)), **OF, within=2.0)
    assert verdict.data["brackets"] == [{"low_bytes": 32768, "high_bytes": 131072, "factor": 4.0, "becomes": "faster"}]
    text = plain(verdict.statement)
    assert "from 128 KiB (bracket 32 KiB..128 KiB, no tighter than a factor of 4" in text
    assert "wider than the 2 asked for, run --refine" in text


def test_no_crossover_in_the_range_is_said_and_none_is_claimed_below_it() -> None:
    verdict = answer("crossover", replace(BASE, sizes=(1 << 20, 2 << 20)), **OF)
    assert "at every measured size from 1 MiB to 2 MiB" in plain(verdict.statement)
    assert "none is claimed below 1 MiB" in plain(verdict.statement)
    assert verdict.data["brackets"] == []


def test_several_crossovers_are_told_one_by_one() -> None:
    def bump(sample: Sample) -> None:
        if sample["arm"] == "rdma" and sample["size"] == 1 << 20:
            sample["transfer_ns"] += 3_000_000
            sample["total_ns"] += 3_000_000

    import tempfile

    recipe = replace(BASE, sizes=(4096, 262144, 1 << 20, 4 << 20), mutate=bump, verdicts=({"crossover": OF},))
    with tempfile.TemporaryDirectory() as folder:
        verdict = answer_all(Study.of_runs([make_run(Path(folder), recipe)]))[0]
    assert plain(verdict.statement).startswith("3 crossovers: rdma beats chunked from 256 KiB")
    assert [each["becomes"] for each in verdict.data["brackets"]] == ["faster", "slower", "faster"]


def test_crossover_without_any_difference_is_inconclusive() -> None:
    verdict = answer("crossover", replace(BASE, arms=equal_arms(1.0)), **OF)
    assert verdict.inconclusive_because is not None


def test_fixed_plus_marginal_finds_cost_and_rate_within_its_intervals() -> None:
    verdict = answer("fixed_plus_marginal", replace(BASE, reps=41), arm="rdma")
    assert verdict.data["fixed_low_ns"] * 0.99 <= RDMA.fixed_ns <= verdict.data["fixed_high_ns"] * 1.01
    assert verdict.data["bytes_per_ns"] == pytest.approx(3.0, rel=0.03)
    assert verdict.data["off_sizes"] == []


def test_fixed_plus_marginal_names_the_sizes_that_the_line_misses() -> None:
    def step(sample: Sample) -> None:
        if sample["size"] == 65536:
            sample["transfer_ns"] *= 2
            sample["total_ns"] = sample["transfer_ns"] + sample["acquire_ns"]

    import tempfile

    recipe = replace(BASE, mutate=step, verdicts=({"fixed_plus_marginal": {"arm": "rdma"}},))
    with tempfile.TemporaryDirectory() as folder:
        verdict = answer_all(Study.of_runs([make_run(Path(folder), recipe)]))[0]
    assert 65536 in verdict.data["off_sizes"]
    assert "the line misses by more than 10 % at" in plain(verdict.statement)


def test_fixed_plus_marginal_needs_three_sizes_and_a_time_that_grows() -> None:
    few = answer("fixed_plus_marginal", replace(BASE, sizes=(4096, 8192)), arm="rdma")
    assert "needs three sizes" in str(few.inconclusive_because)
    flat = (Arm("rdma", 50_000, 1e9), CHUNKED)
    verdict = answer("fixed_plus_marginal", replace(BASE, arms=flat, sizes=(64, 128, 256)), arm="rdma")
    assert "does not grow" in str(verdict.inconclusive_because)


def test_knee_is_where_the_rate_saturates_or_not_seen() -> None:
    verdict = answer("knee", BASE, arm="chunked", within=0.05)
    # size / (20 us + size) reaches 95 % of the rate at 4 MiB where size = 18.4 x 20 us: between 256 and 512 KiB.
    assert verdict.data["size"] == 524288
    growing = answer("knee", replace(BASE, sizes=(4096, 8192, 16384)), arm="rdma")
    assert "still grows at the largest size" in str(growing.inconclusive_because)


@pytest.mark.parametrize(
    ("rates", "at"),
    [([1, 5, 9.8, 10, 9.9], 2), ([10, 10, 10], 0), ([1, 2, 4], None), ([1, 10, 5, 10, 10], 3), ([1, 2, 10, 9.9], 2)],
)
def test_saturation_needs_every_larger_size_to_stay_near_the_best(rates: list[float], at: int | None) -> None:
    assert saturation(rates, 0.05) == at


def test_equivalence_says_equal_only_inside_the_margin() -> None:  # lie 27
    same = answer("equivalence", replace(BASE, arms=equal_arms(1.0)), **OF, margin=0.05)
    assert "are equal within 5 %" in plain(same.statement)
    different = answer("equivalence", replace(BASE, arms=equal_arms(1.3)), **OF, margin=0.05)
    assert different.data["different"] == list(BASE.sizes)
    noisy = answer("equivalence", replace(BASE, arms=equal_arms(1.0), noise=0.4, sizes=(4096,)), **OF, margin=0.05)
    assert noisy.inconclusive_because is not None


def test_line_rate_fraction_names_its_bound_and_is_inconclusive_without_one(tmp_path: Path) -> None:
    asked = ({"line_rate_fraction": {"arm": "rdma"}},)
    assert "no port rate" in str(answer("line_rate_fraction", BASE, arm="rdma").inconclusive_because)
    facts = {
        "port.mlx5_0:1.rate": Fact(40.0, "Gb/s", "sysfs"),
        "port.mlx5_0:1.width": Fact("4X", None, "sysfs"),
        "port.mlx5_0:1.link_layer": Fact("InfiniBand", None, "sysfs"),
        "nic.mlx5_0.pcie.hops": Fact(1, None, "sysfs"),
        "nic.mlx5_0.pcie.hop0.speed": Fact(8.0, "GT/s", "sysfs"),
        "nic.mlx5_0.pcie.hop0.width": Fact(8, "lanes", "sysfs"),
    }
    recipe = replace(BASE, lane="rc_verbs", device="mlx5_0:1", facts=facts, verdicts=asked)
    verdict = answer_all(Study.of_runs([make_run(tmp_path, recipe)]))[0]
    # QDR signals 40 Gb/s and carries 32, below the 63 Gb/s of eight lanes of PCIe 3.
    assert verdict.data["bound"] == "port data rate"
    assert verdict.data["bound_bytes_per_second"] == pytest.approx(4e9)
    assert "of the 32.0 Gb/s data rate of node1's port" in plain(verdict.statement)


def test_wireup_cost_is_paid_back_after_the_transfers_that_save_it() -> None:
    verdict = answer("wireup_cost", replace(BASE, pairs=5, sizes=(1 << 20,)), **OF)
    assert verdict.data["wireup_ns"] == pytest.approx(4e6)
    saved = CHUNKED.total_ns(1 << 20) - RDMA.total_ns(1 << 20)
    assert verdict.data["paid_back"][0]["transfers"] == pytest.approx(4e6 / saved, abs=1.5)


def test_wireup_that_is_never_paid_back_is_said() -> None:
    verdict = answer("wireup_cost", replace(BASE, sizes=(4096, 8192)), **OF)
    assert "not paid back at any measured size" in plain(verdict.statement)


def test_cold_runs_claim_no_saving_of_later_transfers() -> None:
    verdict = answer("wireup_cost", replace(BASE, pair="cold", sizes=(1 << 20,), reps=6), **OF)
    assert "was not measured here" in plain(verdict.statement)


@pytest.mark.parametrize(
    ("recipe", "min_bytes", "lever"),
    [
        (replace(BASE, sizes=(4096, 32768, 131072, 1 << 20)), 131072, True),
        (replace(BASE, sizes=(1 << 20, 2 << 20)), 1 << 20, False),
        (replace(BASE, sizes=(4096, 8192)), 8193, True),
        (replace(BASE, arms=equal_arms(1.0)), None, None),
    ],
    ids=["one crossover", "always faster", "never faster", "no difference"],
)
def test_threshold_advice(recipe: Recipe, min_bytes: int | None, lever: bool | None) -> None:
    verdict = answer("threshold_advice", recipe, **OF)
    assert verdict.data.get("min_bytes") == min_bytes
    assert verdict.data.get("lever") is lever
    assert (verdict.inconclusive_because is None) == (min_bytes is not None)


def test_threshold_advice_refuses_arms_that_differ_in_staging() -> None:
    arms = (replace(CHUNKED, extra={"kill_switch": True}), RDMA)
    verdict = answer("threshold_advice", replace(BASE, arms=arms), **OF)
    assert "differ in staging" in str(verdict.inconclusive_because)


def test_copy_share_is_the_copys_part_of_the_total() -> None:
    arm = Arm("rdma", 10_000, 2.0, read="get", copy_bytes_per_ns=6.0)
    verdict = answer("copy_share", replace(BASE, arms=(arm, CHUNKED)), arm="rdma")
    size = BASE.sizes[-1]
    assert verdict.data["sizes"][-1]["share"] == pytest.approx(arm.copy_ns(size) / arm.total_ns(size), rel=1e-3)
    assert "of a 4 MiB rdma is its copy" in plain(verdict.statement)


def copies_differ_by_pair(sample: Sample) -> None:
    if sample["copy_ns"]:
        copy = int(sample["copy_ns"] * (0.7, 1.0, 1.3)[sample["pair"]])
        sample["total_ns"] += copy - sample["copy_ns"]
        sample["copy_ns"] = copy


def test_the_interval_of_a_copy_share_resamples_pairs_where_they_differ(tmp_path: Path) -> None:
    arm = Arm("rdma", 10_000, 2.0, read="get", copy_bytes_per_ns=6.0)
    size = 4 << 20
    asked = ({"copy_share": {"arm": "rdma"}},)
    recipe = replace(BASE, arms=(arm, CHUNKED), sizes=(size,), pairs=3, mutate=copies_differ_by_pair, verdicts=asked)
    (text,) = answer_all(Study.of_runs([make_run(tmp_path, recipe)]))[0].details
    low, high = (float(end) for end in re.findall(r"interval ([0-9.]+) % to ([0-9.]+) %", plain(text))[0])
    copy, rest = arm.copy_ns(size), arm.total_ns(size) - arm.copy_ns(size)
    assert low < 100 * 0.7 * copy / (0.7 * copy + rest)
    assert high > 100 * 1.3 * copy / (1.3 * copy + rest)


def test_an_arm_without_samples_and_an_unknown_kind_are_inconclusive_not_errors() -> None:
    missing = answer("advantage", BASE, of="rdma", over="nobody")
    assert "nobody has no finished, warm and valid sample" in str(missing.inconclusive_because)
    unknown = answer("prophecy", BASE, arm="rdma")
    assert "knows no verdict of the kind 'prophecy'" in str(unknown.inconclusive_because)


def test_equal_samples_and_single_samples_are_said_not_divided_by(tmp_path: Path) -> None:
    equal = answer("advantage", replace(BASE, noise=0.0, arms=equal_arms(1.0), sizes=(4096,)), **OF)
    assert equal.inconclusive_because is not None
    single = answer("advantage", replace(BASE, reps=2, sizes=(4096,)), **OF)
    assert "too few samples" in plain(single.statement)


@pytest.mark.parametrize("pairs", [1, 3])
def test_every_verdict_speaks_for_every_number_of_pairs(pairs: int) -> None:
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("advantage", OF), ("crossover", OF), ("equivalence", OF), ("threshold_advice", OF), ("wireup_cost", OF),
        ("fixed_plus_marginal", {"arm": "rdma"}), ("knee", {"arm": "rdma"}), ("copy_share", {"arm": "rdma"}),
    ]  # fmt: skip
    for kind, asked in kinds:
        verdict = answer(kind, replace(BASE, pairs=pairs, pair_effect=0.02), **asked)
        assert verdict.kind == kind
        assert verdict.to_json()["statement"]
