"""The sizes that narrow a wide crossover bracket. Pure; used by `run --refine` for the plan of its child run."""

from __future__ import annotations

import math
from collections.abc import Iterable

STEP_BYTES = 64  # a cache line: nothing between two of them says more


def sizes_between(brackets: Iterable[tuple[int, int]], within: float) -> list[int]:
    """Sizes strictly inside the (low, high) brackets so that no two neighbours differ by more than `within`, rising.

    The ends are part of the parent's run and are not measured again. A bracket that is narrow enough adds nothing.
    """
    if within <= 1.0:
        raise ValueError(f"a bracket cannot be narrowed to a factor of {within}")
    found: set[int] = set()
    for low, high in brackets:
        parts = math.ceil(math.log(high / low) / math.log(within) - 1e-9)
        ratio = (high / low) ** (1 / parts) if parts > 1 else 1.0
        for index in range(1, parts):
            size = round(low * ratio**index / STEP_BYTES) * STEP_BYTES
            if low < size < high:
                found.add(size)
    return sorted(found)
