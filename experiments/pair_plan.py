"""Which pairs to launch for the blocks that are still missing. Pure; the same for a first run, a retry and a resume.

A warm pair's first block is its warm-up: a new pair that continues a planned one runs it again first, so that its
other blocks are warm, and the repetition is told apart by the pair's number.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LaunchedPair:
    """One pair of processes to start: the planned pair it stands for and the block ids that it runs, in order."""

    planned_pair: int
    blocks: tuple[int, ...]
    repeated_warmup: tuple[int, ...] = ()


def pairs_to_launch(plan: Mapping[str, Any], missing: Collection[int]) -> list[LaunchedPair]:
    """The pairs that run every missing block, in planned order; none when nothing is missing."""
    wanted = set(missing)
    by_pair: dict[int, list[int]] = {}
    for block_id, block in enumerate(plan["blocks"]):
        by_pair.setdefault(int(block["pair"]), []).append(block_id)
    launched = []
    for planned_pair, blocks in by_pair.items():
        left = [block for block in blocks if block in wanted]
        if not left:
            continue
        repeated = [
            block
            for block in blocks
            if block < left[0] and block not in wanted and plan["blocks"][block].get("warmup", False)
        ]
        launched.append(LaunchedPair(planned_pair, tuple(repeated + left), tuple(repeated)))
    return launched


def samples_in(plan: Mapping[str, Any], blocks: Collection[int]) -> int:
    """How many samples these blocks have."""
    return sum(len(plan["blocks"][block]["cells"]) for block in blocks)
