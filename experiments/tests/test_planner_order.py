"""The seeded order: a permutation, the same everywhere, fair over seeds, with the arms of a size together."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.planner_order import Passes, cold_blocks, shuffled, warm_blocks


def test_shuffle_is_fixed_for_ever() -> None:
    assert shuffled(range(10), 42) == [7, 8, 1, 3, 2, 5, 6, 9, 4, 0]
    assert shuffled(range(10), 42, 1, 2) == [6, 9, 7, 8, 4, 0, 1, 5, 3, 2]


@given(st.integers(min_value=0, max_value=(1 << 64) - 1), st.integers(min_value=0, max_value=50))
def test_shuffle_is_a_permutation(seed: int, count: int) -> None:
    assert sorted(shuffled(range(count), seed)) == list(range(count))


def test_each_permutation_is_about_equally_likely() -> None:
    seen = Counter(tuple(shuffled("abc", seed)) for seed in range(6000))
    assert len(seen) == 6
    assert all(850 < count < 1150 for count in seen.values())  # 5 sigma around 1000


def test_labels_are_not_confused() -> None:
    assert shuffled(range(30), 1, 11, 1) != shuffled(range(30), 1, 1, 11)


@pytest.mark.parametrize("order", ["sequential", "interleaved", "random"])
def test_every_pass_visits_every_cell_once(order: str) -> None:
    passes = Passes(arms=3, sizes=5, order=order, seed=9)  # type: ignore[arg-type]
    for rep in range(4):
        assert sorted(passes.cells(0, rep)) == list(range(15))


def test_interleaved_keeps_the_arms_of_a_size_together_in_changing_order() -> None:
    passes = Passes(arms=3, sizes=5, order="interleaved", seed=9)
    orders = set()
    for rep in range(20):
        cells = passes.cells(0, rep)
        for at in range(0, 15, 3):
            group = cells[at : at + 3]
            assert len({cell // 3 for cell in group}) == 1
            orders.add(tuple(cell % 3 for cell in group))
    assert len(orders) == 6


def test_passes_differ_between_reps_and_pairs_and_agree_between_calls() -> None:
    passes = Passes(arms=4, sizes=8, order="interleaved", seed=9)
    assert passes.cells(0, 0) == passes.cells(0, 0)
    assert passes.cells(0, 0) != passes.cells(0, 1)
    assert passes.cells(0, 1) != passes.cells(1, 0)
    assert passes.cells(0, 0) != Passes(arms=4, sizes=8, order="interleaved", seed=10).cells(0, 0)


def test_one_cell_is_a_plan_too() -> None:
    passes = Passes(arms=1, sizes=1, order="random", seed=0)
    assert warm_blocks(passes, pairs=1, reps=1) == [{"pair": 0, "rep": 0, "warmup": True, "cells": [0]}]
    assert cold_blocks(passes, reps=1) == [{"pair": 0, "rep": 0, "warmup": False, "cells": [0]}]
