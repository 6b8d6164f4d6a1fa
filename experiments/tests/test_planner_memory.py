"""The registered memory of a plan's largest block, worked out by hand here."""

from __future__ import annotations

from typing import Any

import pytest

from experiments.planner_memory import check_pinned, pinned_need
from store.errors import LabError

KIB, MIB = 1 << 10, 1 << 20


def arm(name: str, **keys: Any) -> dict[str, Any]:
    return {
        "name": name,
        "read": "get",
        "copy": "after",
        "piece": 256 * KIB,
        "staging": "pinned",
        "kill_switch": False,
        **keys,
    }


def plan(arms: list[dict[str, Any]], sizes: list[int], blocks: list[list[int]], limit: int = 1 << 30) -> dict[str, Any]:
    cells = [{"arm": index, "size": size} for size in sizes for index in range(len(arms))]
    return {
        "arms": arms,
        "cells": cells,
        "blocks": [{"cells": block} for block in blocks],
        "limits": {"registered_bytes": limit},
    }


def test_slots_of_all_cells_of_a_block_are_rounded_to_granules() -> None:
    need = pinned_need(plan([arm("a"), arm("b")], [1, 4096, 4097], [[0, 1, 2, 3, 4, 5]]))
    assert need.owner_by_arm == {"a": 4096 + 4096 + 8192, "b": 16384}
    assert need.owner == 32768


def test_largest_block_counts_not_the_sum_of_blocks() -> None:
    need = pinned_need(plan([arm("a")], [MIB, 2 * MIB], [[0], [1], [0]]))
    assert need.owner == 2 * MIB


def test_plain_and_switched_off_arms_pin_nothing() -> None:
    arms = [arm("plain", staging="plain"), arm("off", kill_switch=True), arm("pinned")]
    assert pinned_need(plan(arms, [MIB], [[0, 1, 2]])).owner_by_arm == {"pinned": MIB}


def test_consumer_needs_its_largest_lease_and_its_largest_buffer() -> None:
    arms = [arm("lease", read="get_pinned"), arm("into", read="get_into"), arm("pieces", copy="overlapped")]
    assert pinned_need(plan(arms, [MIB, 8 * MIB], [[0, 1, 2, 3, 4, 5]])).consumer == 16 * MIB
    assert pinned_need(plan([arm("pieces", copy="overlapped")], [8 * MIB], [[0]])).consumer == 512 * KIB
    assert pinned_need(plan([arm("pieces", copy="overlapped")], [4096], [[0]])).consumer == 4096


def test_limit_is_inclusive() -> None:
    check_pinned(plan([arm("a")], [MIB], [[0]], limit=MIB))
    with pytest.raises(LabError, match="at the owner"):
        check_pinned(plan([arm("a")], [MIB + 1], [[0]], limit=MIB))


def test_consumer_is_checked_too() -> None:
    arms = [arm("into", read="get_into", staging="plain"), arm("lease", staging="plain")]
    with pytest.raises(LabError, match="2MiB of registered memory at the consumer"):
        check_pinned(plan(arms, [MIB], [[0, 1]], limit=MIB))
