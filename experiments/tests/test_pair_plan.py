"""Which pairs a first run, a retry and a resume launch."""

from typing import Any

import pytest

from experiments.pair_plan import LaunchedPair, pairs_to_launch, samples_in

WARM: dict[str, Any] = {
    "blocks": [
        {"pair": pair, "rep": rep, "warmup": rep == 0, "cells": [0, 1, 2]} for pair in range(2) for rep in range(3)
    ]
}
COLD: dict[str, Any] = {"blocks": [{"pair": pair, "rep": 0, "warmup": False, "cells": [pair]} for pair in range(3)]}


@pytest.mark.parametrize(
    ("missing", "launched"),
    [
        pytest.param(range(6), [LaunchedPair(0, (0, 1, 2)), LaunchedPair(1, (3, 4, 5))], id="a first run"),
        pytest.param([2, 3, 4, 5], [LaunchedPair(0, (0, 2), (0,)), LaunchedPair(1, (3, 4, 5))], id="lost in pair 0"),
        pytest.param([5], [LaunchedPair(1, (3, 5), (3,))], id="only the last block"),
        pytest.param([], [], id="nothing is missing"),
    ],
)
def test_warm_pairs(missing: range | list[int], launched: list[LaunchedPair]) -> None:
    assert pairs_to_launch(WARM, missing) == launched


def test_a_cold_block_is_a_pair_of_its_own_without_warm_up() -> None:
    assert pairs_to_launch(COLD, [0, 2]) == [LaunchedPair(0, (0,)), LaunchedPair(2, (2,))]


def test_samples_are_counted_by_block() -> None:
    assert samples_in(WARM, [0, 5]) == 6
