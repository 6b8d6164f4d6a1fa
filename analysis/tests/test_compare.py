"""Comparing two runs: what may differ, what is claimed, and what never is."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analysis.compare import RunComparison, compare_runs, noise_floor_of
from analysis.setup_difference import Change, unnamed
from analysis.statistics.change import change_between_runs
from analysis.study import Study
from analysis.tests.synthetic import CHUNKED, RDMA, Arm, Recipe, make_study
from analysis.tests.synthetic_run import make_run
from store.errors import LabError
from store.facts import Fact

OF = {"of": "rdma", "over": "chunked"}
VERDICTS = ({"crossover": OF}, {"threshold_advice": OF})
BASE = Recipe(sizes=(4096, 32768, 131072), reps=11, pairs=5, pair_effect=0.01, noise=0.02, verdicts=VERDICTS)
FASTER = replace(BASE, arms=(CHUNKED, replace(RDMA, fixed_ns=30_000, bytes_per_ns=6.0)), seed=2)


def compared(tmp_path: Path, one: Recipe, other: Recipe, *across: str) -> RunComparison:
    paths = [make_run(tmp_path / "runs", recipe) for recipe in (one, other)]
    before, after = (Study.of_runs([path]) for path in paths)
    return compare_runs(before, after, across)


def kernel(release: str) -> dict[str, Fact]:
    return {"kernel.release": Fact(release, None, "uname")}


def test_a_change_is_found_where_it_is_and_not_where_it_is_not(tmp_path: Path) -> None:
    found = compared(tmp_path, BASE, FASTER)
    by_arm = {(each.key.arm, each.key.size): each for each in found.cells}
    assert all(by_arm["rdma", size].changed == "faster" for size in BASE.sizes)
    assert all(by_arm["chunked", size].changed is None for size in BASE.sizes)
    expected = (30_000 + 32768 / 6) / (60_000 + 32768 / 3)
    interval = by_arm["rdma", 32768].interval
    assert interval is not None
    assert interval.low * 0.98 <= expected <= interval.high * 1.02


def test_verdicts_stand_then_and_now(tmp_path: Path) -> None:
    found = compared(tmp_path, BASE, FASTER)
    advice = next(each for each in found.verdicts if each.kind == "threshold_advice")
    assert "set min_bytes to 128 KiB" in advice.before
    assert "set min_bytes to 32 KiB" in advice.after


def test_one_pair_in_either_run_claims_no_change(tmp_path: Path) -> None:
    found = compared(tmp_path, replace(BASE, pairs=1), FASTER)
    assert all(each.changed is None and "one pair" in each.why for each in found.cells)


def test_identity_facts_that_differ_are_refused_by_name_unless_told(tmp_path: Path) -> None:
    other = replace(FASTER, facts=kernel("6.2.0"))
    with pytest.raises(LabError, match=r"node1\.kernel\.release: 6\.1\.0 -> 6\.2\.0") as refused:
        compared(tmp_path / "a", BASE, other)
    assert "--across node1.kernel.release" in str(refused.value.advice)
    found = compared(tmp_path / "b", BASE, other, "kernel")
    assert [each.key for each in found.differences] == ["node1.kernel.release"]
    assert found.attribution == "a change goes with kernel, the one factor named"


def test_several_changed_facts_are_not_attributed_to_one(tmp_path: Path) -> None:
    facts = {**kernel("6.2.0"), "cpu.model": Fact("Another", None, "/proc/cpuinfo")}
    found = compared(tmp_path, BASE, replace(FASTER, facts=facts), "kernel", "cpu")
    assert "not attributable to one of them" in found.attribution


def test_another_plan_is_a_difference_but_more_repetitions_are_not(tmp_path: Path) -> None:
    compared(tmp_path / "a", BASE, replace(FASTER, reps=13, pairs=4))
    arms = (CHUNKED, replace(RDMA, extra={"via": "tcp"}))
    with pytest.raises(LabError, match=r"plan\.arm\.rdma\.via: am -> tcp"):
        compared(tmp_path / "b", BASE, replace(BASE, arms=arms))
    with pytest.raises(LabError, match=r"plan\.lane"):
        compared(tmp_path / "c", BASE, replace(BASE, lane="shm"))


def test_runs_without_a_shared_cell_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="share no cell"):
        compared(tmp_path, BASE, replace(BASE, sizes=(8192,)))


def test_cells_of_one_run_only_are_counted(tmp_path: Path) -> None:
    found = compared(tmp_path, BASE, replace(FASTER, sizes=(32768, 131072, 2 << 20)))
    assert {key.size for key in found.only_in_one} == {4096, 2 << 20}


def test_a_change_below_the_noise_floor_is_not_claimed(tmp_path: Path) -> None:
    twins = (Arm("a", 50_000, 1.0), Arm("b", 56_000, 1.0))
    slower = tuple(replace(arm, fixed_ns=arm.fixed_ns * 1.02) for arm in twins)
    noise = replace(BASE, arms=twins, sizes=(4096,), verdicts=(), noise=0.001, pair_effect=0.0)
    found = compared(tmp_path, noise, replace(noise, arms=slower, seed=3))
    assert found.noise_floor == pytest.approx(1.11, abs=0.02)
    assert all(each.changed is None and each.why == "below the noise floor" for each in found.cells)


def test_without_twins_the_noise_floor_comes_from_halves_of_the_cells() -> None:
    floor = noise_floor_of(make_study(replace(BASE, noise=0.05)))
    assert 1.0 < floor < 1.03


@pytest.mark.parametrize(
    ("word", "named"),
    [
        ("nic.firmware", True),
        ("nic", True),
        ("node1", True),
        ("firmware.nic", False),
        ("kernel", False),
        ("nic.x", False),
    ],
)
def test_across_names_keys_by_their_parts_in_order(word: str, named: bool) -> None:
    changes = [Change("node1.nic.mlx5_0.firmware", 1, 2)]
    assert (unnamed(changes, [word]) == []) is named


def test_change_between_runs_is_welchs_t_over_pairs() -> None:
    before = [np.full(5, value) for value in (100.0, 101.0, 99.0)]
    after = [np.full(5, value) for value in (120.0, 126.0, 114.0, 120.0)]
    found = change_between_runs(before, after)
    one, other = (np.log([group[0] for group in groups]) for groups in (before, after))
    variances = one.var(ddof=1) / 3, other.var(ddof=1) / 4
    freedom = sum(variances) ** 2 / (variances[0] ** 2 / 2 + variances[1] ** 2 / 3)
    assert found.log == pytest.approx(other.mean() - one.mean())
    assert found.error == pytest.approx(math.sqrt(sum(variances)), rel=0.25)
    assert found.error >= math.sqrt(sum(variances)) * (1 - 1e-12)
    assert found.freedom in (math.floor(freedom), math.floor(freedom) + 1)
    assert change_between_runs(before[:1], after).interval() is None


def test_change_between_equal_runs_is_claimed_at_most_at_its_level() -> None:
    wrong = 0
    for seed in range(400):
        random = np.random.default_rng(seed)
        sides = [[np.exp(random.normal(0, 0.05) + random.normal(0, 0.03, 10)) for _ in range(3)] for _ in range(2)]
        interval = change_between_runs(*sides, seed=seed, resamples=200).interval()
        assert interval is not None
        wrong += not interval.contains(1.0)
    assert wrong / 400 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)
