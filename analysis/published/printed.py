"""Printed decimals: a figure with its last place, what it may have been before rounding, text in the same digits."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DECIMAL = re.compile(r"[+-]?\d+(?:\.(\d+))?", re.ASCII)


@dataclass(frozen=True)
class Printed:
    """A printed figure: its text, its value, and half of its last place; the true value lies in low..high.

    `places` may be more than the text shows where a table drops trailing zeros (3.9 in a column of two places).
    """

    text: str
    value: float
    places: int

    @property
    def low(self) -> float:
        """The least value that rounds to the text."""
        return self.value - 0.5 * 10.0**-self.places

    @property
    def high(self) -> float:
        """The largest value that rounds to the text."""
        return self.value + 0.5 * 10.0**-self.places


def printed(text: str, places: int | None = None) -> Printed | None:
    """A decimal as printed, or None for an empty cell, nan or a word. `places`: of the column, where it has more."""
    found = _DECIMAL.fullmatch(text.strip())
    if not found:
        return None
    own = len(found.group(1) or "")
    return Printed(text.strip(), float(text), own if places is None else max(own, places))


def column_places(texts: list[str]) -> int:
    """The most decimal places in a column; a table that drops trailing zeros has them in every cell all the same."""
    shown = [printed(text) for text in texts]
    return max((one.places for one in shown if one is not None), default=0)


def same_digits(value: float, like: str) -> str:
    """`value` with as many decimal places as the text `like` shows."""
    one = printed(like)
    return f"{value:.{one.places if one else 0}f}"


def overlap(low: float, high: float, one: Printed) -> bool:
    """Whether the range low..high, worked out from rounded figures, can have been printed as `one`.

    The bounds themselves belong to it, within a billionth for the arithmetic.
    """
    slack = 1e-9 * max(abs(low), abs(high), abs(one.value))
    return high + slack >= one.low and low - slack <= one.high


def ratio_range(above: Printed, below: Printed) -> tuple[float, float]:
    """The least and largest ratio of two rounded figures, both above 0."""
    return above.low / below.high, above.high / below.low
