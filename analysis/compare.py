"""Compares two runs: verdicts first (then and now), then cell by cell the change with its interval and significance.

Used by `cli compare`. Refuses runs whose identity facts differ in anything that was not named; a change counts only
above the noise floor, after correction over the cells, and with two pairs of processes or more in each run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis import statistics
from analysis.cells import Cell, Key
from analysis.factors import differing_factors
from analysis.numbers import plain
from analysis.setup_difference import Change, identity_differences, unnamed
from analysis.statistics.change import change_between_runs
from analysis.statistics.estimates import LEVEL, Interval
from analysis.study import Study, seed_of
from analysis.units import plural
from analysis.verdicts import answer_all
from store.errors import Exit, LabError

_SHOWN = 8


@dataclass(frozen=True)
class VerdictChange:
    """One verdict that both plans ask for, as plain text; `same` when both came to the same data."""

    kind: str
    subject: str
    before: str
    after: str


@dataclass(frozen=True)
class CellChange:
    """ratio: time now / time then, below 1 is faster. `changed` None: no claim is made, `why` says why not."""

    key: Key
    ratio: float
    interval: Interval | None
    p_holm: float | None
    changed: str | None
    why: str


@dataclass(frozen=True)
class RunComparison:
    """noise_floor: the factor that two runs of one thing differ by; attribution: what a change may be laid to."""

    before: str
    after: str
    differences: tuple[Change, ...]
    attribution: str
    verdicts: tuple[VerdictChange, ...]
    cells: tuple[CellChange, ...]
    noise_floor: float
    only_in_one: tuple[Key, ...]


def compare_runs(before: Study, after: Study, across: Sequence[str] = (), level: float = LEVEL) -> RunComparison:
    """The comparison. LabError (exit 2) when the setups differ in what `across` does not name, or no cell is shared."""
    changes = identity_differences(before.runs[0], after.runs[0])
    hidden = unnamed(changes, across)
    if hidden:
        listed = "; ".join(f"{each.key}: {each.before} -> {each.after}" for each in hidden[:_SHOWN])
        more = f"; and {len(hidden) - _SHOWN} more" if len(hidden) > _SHOWN else ""
        raise LabError(
            f"these runs differ in {plural(len(hidden), 'identity fact')} that --across does not name: {listed}{more}",
            advice=f"--across {','.join([*across, *sorted({each.key for each in hidden[:_SHOWN]})])}",
            exit_code=Exit.USAGE,
        )
    shared = [key for key in before.cells if key in after.cells and before.cells[key].n and after.cells[key].n]
    if not shared:
        raise LabError("these runs share no cell that both measured", exit_code=Exit.USAGE)
    floor = max(noise_floor_of(before), noise_floor_of(after))
    only = [key for key in (*before.cells, *after.cells) if key not in before.cells or key not in after.cells]
    return RunComparison(
        before=before.runs[0].name,
        after=after.runs[0].name,
        differences=tuple(changes),
        attribution=_attribution(changes, across),
        verdicts=tuple(_verdict_changes(before, after)),
        cells=tuple(_cell_changes(before, after, shared, floor, level)),
        noise_floor=floor,
        only_in_one=tuple(sorted(only)),
    )


def _attribution(changes: Sequence[Change], across: Sequence[str]) -> str:
    if not changes:
        return "the setups are the same: a change is not explained by them"
    if len(across) == 1:
        return f"a change goes with {across[0]}, the one factor named"
    return f"changed together: {', '.join(across)}; a change is not attributable to one of them"


def noise_floor_of(study: Study) -> float:
    """The factor by which one and the same thing differs from itself: between two arms that differ in nothing where
    the plan has such, else between the odd and the even blocks of each cell; its median over the cells.
    """
    twins = [
        (one, other)
        for at, one in enumerate(study.arms)
        for other in list(study.arms)[at + 1 :]
        if not differing_factors(study.arms[one], study.arms[other])
    ]
    logs = [
        ratio.log
        for one, other in twins
        for key in study.keys(one)
        if Key(other, key.size, key.window) in study.cells
        and (ratio := study.ratio(key, Key(other, key.size, key.window))) is not None
    ]
    if not logs:
        logs = [log for cell in study.cells.values() if (log := _halves(cell)) is not None]
    return math.exp(float(np.median(np.abs(logs)))) if logs else 1.0


def _halves(cell: Cell) -> float | None:
    odd = [value for group in cell.groups for value in group.values[1::2]]
    even = [value for group in cell.groups for value in group.values[::2]]
    return float(np.log(np.median(odd) / np.median(even))) if odd and even else None


def _verdict_changes(before: Study, after: Study) -> list[VerdictChange]:
    now = {(each.kind, each.subject): each for each in answer_all(after)}
    return [
        VerdictChange(each.kind, each.subject, plain(each.statement), plain(other.statement))
        for each in answer_all(before)
        if (other := now.get((each.kind, each.subject))) is not None
    ]


def _cell_changes(before: Study, after: Study, shared: Sequence[Key], floor: float, level: float) -> list[CellChange]:
    ratios = []
    for key in shared:
        one, other = ([group.values for group in study.cells[key].groups] for study in (before, after))
        ratios.append(change_between_runs(one, other, seed=seed_of(key), resamples=before.resamples))
    tested = [ratio.p_equal() if ratio.freedom else None for ratio in ratios]
    corrected = iter(statistics.holm([p for p in tested if p is not None]))
    result = []
    for key, ratio, p in zip(shared, ratios, tested, strict=True):
        p_holm = next(corrected) if p is not None else None
        interval = ratio.interval(level)
        changed, why = _claim(ratio.ratio, interval, p_holm, floor, 1 - level)
        result.append(CellChange(key, ratio.ratio, interval, p_holm, changed, why))
    return result


def _claim(
    ratio: float, interval: Interval | None, p_holm: float | None, floor: float, alpha: float
) -> tuple[str | None, str]:
    """What may be said of a cell, and why no more."""
    if interval is None or p_holm is None:
        return None, "one pair of processes in a run: pairs differ by themselves"
    if interval.contains(1.0) or p_holm > alpha:
        return None, "no difference is shown"
    if max(ratio, 1 / ratio) <= floor:
        return None, "below the noise floor"
    return ("slower" if ratio > 1 else "faster"), ""
