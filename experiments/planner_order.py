"""The order of cells and blocks of a plan, from a seed: the same on every machine, Python and day.

Used by experiments.planner. The shuffle is defined here and not taken from `random`, whose sequence is Python's own
matter: Fisher-Yates over 64-bit words of SHA-256(label, seed, pass, counter), without modulo bias.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypedDict, TypeVar

T = TypeVar("T")
Order = Literal["sequential", "interleaved", "random"]
_LABEL: Final = "rdmalab.order.1"
_WORD_RANGE: Final = 1 << 64


class Block(TypedDict):
    """One block of a plan; see docs/formats.md."""

    pair: int
    rep: int
    warmup: bool
    cells: list[int]


def shuffled(items: Sequence[T], seed: int, *labels: int) -> list[T]:
    """A permutation of `items`, each equally likely over the seeds; the same for the same seed and labels."""
    words = _words(seed, labels)
    result = list(items)
    for last in range(len(result) - 1, 0, -1):
        chosen = _below(last + 1, words)
        result[last], result[chosen] = result[chosen], result[last]
    return result


@dataclass(frozen=True, slots=True)
class Passes:
    """How the cells are visited pass by pass; cell id = size index x arms + arm index."""

    arms: int
    sizes: int
    order: Order
    seed: int

    def cells(self, pair: int, rep: int) -> list[int]:
        """The cells of one pass.

        sequential: by cell id. interleaved: sizes shuffled, and within a size all arms next to each other, shuffled,
        so that what is compared is measured close in time and in every order. random: all cells shuffled.
        """
        if self.order == "sequential":
            return list(range(self.arms * self.sizes))
        if self.order == "random":
            return shuffled(range(self.arms * self.sizes), self.seed, pair, rep)
        arms = range(self.arms)
        visited = shuffled(range(self.sizes), self.seed, pair, rep)
        return [size * self.arms + arm for size in visited for arm in shuffled(arms, self.seed, pair, rep, size)]


def warm_blocks(passes: Passes, *, pairs: int, reps: int) -> list[Block]:
    """Per pair `reps` blocks of all cells; the first of a pair is its warm-up."""
    return [
        {"pair": pair, "rep": rep, "warmup": rep == 0, "cells": passes.cells(pair, rep)}
        for pair in range(pairs)
        for rep in range(reps)
    ]


def cold_blocks(passes: Passes, *, reps: int) -> list[Block]:
    """One block, and one planned pair, per cell and rep; the cells of a rep in the order of a pass."""
    blocks: list[Block] = []
    for rep in range(reps):
        for cell in passes.cells(0, rep):
            blocks.append({"pair": len(blocks), "rep": rep, "warmup": False, "cells": [cell]})
    return blocks


def _words(seed: int, labels: Sequence[int]) -> Iterator[int]:
    head = ":".join([_LABEL, str(seed), *map(str, labels)])
    counter = 0
    while True:
        digest = hashlib.sha256(f"{head}:{counter}".encode()).digest()
        yield from (int.from_bytes(digest[at : at + 8], "big") for at in range(0, 32, 8))
        counter += 1


def _below(bound: int, words: Iterator[int]) -> int:
    """A number below `bound`; words of the uneven rest of the range are thrown away."""
    even = _WORD_RANGE - _WORD_RANGE % bound
    return next(word for word in words if word < even) % bound
