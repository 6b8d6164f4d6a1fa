"""Phrases with numbers in them: a duration, a ratio with its interval, a range of sizes. For verdicts and caveats.

Every number made here goes through the study's ledger, so that the text can be traced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis import units
from analysis.cells import Key
from analysis.comparison import Comparison
from analysis.numbers import Number, Source
from analysis.study import Study


@dataclass(frozen=True)
class Basis:
    """What numbers of one sentence have in common: where their ids begin, how many samples and which."""

    study: Study
    name: str
    n: int | None
    sources: tuple[Source, ...]

    def number(self, part: str, value: float, printed: str, unit: str, formula: str) -> Number:
        """Any number; `part` ends its id."""
        name = f"{self.name}/{part}"
        return self.study.ledger.add(name, value, printed, unit=unit, formula=formula, n=self.n, sources=self.sources)

    def duration(self, part: str, ns: float, formula: str) -> str:
        """`12.3 us`, in the unit that reads best."""
        scale, unit = units.duration_unit(ns)
        value = ns / scale
        return f"{self.number(part, value, units.significant(value), unit, f'{formula}, in {unit}')} {unit}"

    def share(self, part: str, fraction: float, formula: str, digits: int = 3) -> str:
        """`25.6 %`."""
        value = 100 * fraction
        return f"{self.number(part, value, units.significant(value, digits), '%', formula)} %"

    def rate(self, part: str, bytes_per_ns: float, formula: str) -> str:
        """`3.02 GB/s`."""
        return f"{self.number(part, bytes_per_ns, units.significant(bytes_per_ns), 'GB/s', formula)} GB/s"

    def count(self, part: str, value: int, unit: str, formula: str) -> str:
        """`19`."""
        return str(self.number(part, value, str(value), unit, formula))


def basis(study: Study, name: str, *keys: Key, column: str = "value") -> Basis:
    """The basis of numbers made from all warm samples of some cells."""
    sources = tuple(source for key in keys for source in study.cells[key].of(column))
    return Basis(study, name, sum(study.cells[key].n for key in keys), sources)


def times(study: Study, comparison: Comparison) -> str:
    """`1.42x (95 % interval 1.38..1.46)`, or without the interval and the reason."""
    ratio = ratio_number(study, comparison)
    if comparison.interval is None:
        return f"{ratio}x (no interval: too few samples)"
    low, high = interval_numbers(study, comparison)
    return f"{ratio}x ({units.level(comparison.interval.level)} interval {low}..{high})"


def ratio_number(study: Study, comparison: Comparison) -> Number:
    """The ratio of medians of a comparison."""
    return study.ledger.add(
        f"{comparison.id}/ratio",
        comparison.ratio.ratio,
        units.significant(comparison.ratio.ratio),
        unit="x",
        formula=f"median of {comparison.over.arm} / median of {comparison.of.arm}: {comparison.ratio.method}",
        n=comparison.ratio.n,
        sources=_both(study, comparison),
    )


def interval_numbers(study: Study, comparison: Comparison) -> tuple[Number, Number]:
    """Both ends of the interval of a comparison that has one."""
    interval = comparison.interval
    assert interval is not None, "the caller looked"
    percent = f"{100 * interval.level:g}"

    def end(name: str, value: float) -> Number:
        return study.ledger.add(
            f"{comparison.id}/{name}{'' if interval.level == 0.95 else percent}",
            value,
            units.significant(value),
            unit="x",
            formula=f"{name} end of the {percent} % interval: {comparison.ratio.method}",
            n=comparison.ratio.n,
            sources=_both(study, comparison),
        )

    return end("low", interval.low), end("high", interval.high)


def _both(study: Study, comparison: Comparison) -> tuple[Source, ...]:
    return study.cells[comparison.over].of("value") + study.cells[comparison.of].of("value")


def key_id(key: Key) -> str:
    """A cell in a number's id."""
    return f"{key.arm}/{key.size}" + (f"/w{key.window}" if key.window else "")


def size_list(sizes: Sequence[int], measured: Sequence[int]) -> str:
    """Sizes in words, runs of neighbours among the measured ones as ranges: `4 KiB to 32 KiB and 1 MiB`."""
    runs: list[list[int]] = []
    for size in sorted(sizes):
        if runs and measured.index(size) == measured.index(runs[-1][-1]) + 1:
            runs[-1].append(size)
        else:
            runs.append([size])
    parts = []
    for run in runs:
        if len(run) > 2:
            parts.append(f"{units.size(run[0])} to {units.size(run[-1])}")
        else:
            parts += [units.size(size) for size in run]
    return join(parts)


def join(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
