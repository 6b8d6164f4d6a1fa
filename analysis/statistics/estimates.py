"""An estimate with its uncertainty: value, interval with the level that it really reaches, n, and the method's name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

LEVEL = 0.95
"""The level of every interval that says no other."""

RESAMPLES = 2000
"""Bootstrap resamples: their own error on a standard error is 1/sqrt(2 * 2000), 1.6 %."""


@dataclass(frozen=True)
class Interval:
    """`low` and `high` in the unit of the estimate; `level` is what was asked, `achieved` what the method reaches."""

    low: float
    high: float
    level: float
    achieved: float

    def contains(self, value: float) -> bool:
        """Whether `value` lies inside, ends included."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Estimate:
    """A value from `n` samples of `pairs` pairs. Where n is too small, `interval` is None and `needs` says the n."""

    value: float
    n: int
    method: str
    interval: Interval | None = None
    pairs: int = 1
    needs: int | None = None


def as_floats(values: npt.ArrayLike) -> Floats:
    """A one-dimensional array of finite floats; ValueError for anything else or nothing."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"samples must be a non-empty list of numbers, not shape {array.shape}")
    if not np.all(np.isfinite(array)):
        raise ValueError("samples hold nan or infinite values")
    return array
