"""Numbers about one cell, ready for a table: each gets its id, its formula and its samples."""

from __future__ import annotations

from dataclasses import dataclass

from analysis import statistics, units
from analysis.cells import Key
from analysis.numbers import Number
from analysis.statistics.estimates import Estimate
from analysis.study import Study
from analysis.tables import Label, Span
from analysis.wording import key_id

US = 1e3
DIGITS = 4


def size_label(size: int) -> Label:
    """A size as a table's label."""
    return Label(size, units.size(size))


def labels(key: Key) -> dict[str, Label]:
    """What a row about one cell starts with."""
    found = {"payload": size_label(key.size), "arm": Label(key.arm, key.arm)}
    return found | ({"window": Label(key.window, str(key.window))} if key.window else {})


@dataclass(frozen=True)
class CellNumbers:
    """Makes the numbers of one cell; `table` is the first part of their ids."""

    study: Study
    key: Key
    table: str

    def us(self, column: str, ns: float, formula: str, source: str = "value", n: int | None = None) -> Number:
        """A duration in microseconds; `n` where it is not of the cell's samples but of so many values in them."""
        printed = units.significant(ns / US, DIGITS)
        return self._add(column, ns / US, printed, unit="us", formula=formula, source=source, n=n)

    def count(self) -> Number:
        """How many warm samples the cell has; the same number in every table."""
        n = self.study.cells[self.key].n
        return CellNumbers(self.study, self.key, "cell").whole("n", n, "samples", "count of warm samples")

    def whole(self, column: str, value: int, unit: str, formula: str) -> Number:
        """A count of something."""
        return self._add(column, value, str(value), unit=unit, formula=formula)

    def scaled(self, column: str, value: float, unit: str, formula: str) -> Number:
        """Any other number, three significant digits."""
        return self._add(column, value, units.significant(value), unit=unit, formula=formula)

    def span(self, estimate: Estimate, what: str) -> Span | None:
        """The interval of an estimate in nanoseconds, as microseconds."""
        if estimate.interval is None:
            return None
        reached = f"level {100 * estimate.interval.achieved:.2f} % ({estimate.method})"
        low = self.us("low", estimate.interval.low, f"low end of the interval of the {what}, {reached}")
        return Span(low, self.us("high", estimate.interval.high, f"high end of the interval of the {what}, {reached}"))

    def _add(
        self,
        column: str,
        value: float,
        printed: str,
        *,
        unit: str,
        formula: str,
        source: str = "value",
        n: int | None = None,
    ) -> Number:
        cell = self.study.cells[self.key]
        name = f"{self.table}/{key_id(self.key)}/{column}"
        sources, of = cell.of(source), cell.n if n is None else n
        return self.study.ledger.add(name, value, printed, unit=unit, formula=formula, n=of, sources=sources)


def needed_n() -> int:
    """The n from which a median has its interval."""
    return statistics.n_for_quantile()
