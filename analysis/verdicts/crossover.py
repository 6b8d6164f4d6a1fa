"""crossover {of, over, within}: from which size one arm beats another, as a bracket between two measured sizes.

A crossover is never told more exactly than the neighbouring sizes at which the two outcomes were shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from analysis import units
from analysis.comparison import Comparison, Outcome, compare_arms
from analysis.scope import scope_of
from analysis.study import Study
from analysis.verdicts.verdict import Asked, Verdict, inconclusive
from analysis.wording import join, size_list, times


@dataclass(frozen=True)
class Bracket:
    """`of` is shown to be on one side at `low` and on the other at `high`, in bytes; nothing is shown in between."""

    low: int
    high: int
    becomes: Outcome

    @property
    def factor(self) -> float:
        """How wide it is."""
        return self.high / self.low


def brackets(compared: Sequence[Comparison]) -> list[Bracket]:
    """Each change from shown slower to shown faster or back, between the nearest sizes that show it, by size."""
    shown = [each for each in compared if each.outcome is not Outcome.NOT_SHOWN]
    return [
        Bracket(low.size, high.size, high.outcome) for low, high in pairwise(shown) if low.outcome is not high.outcome
    ]


def crossover(study: Study, asked: Asked) -> Verdict:
    """None, one or several crossovers, each as a bracket; one that is wider than `within` says so."""
    of, over = str(asked["of"]), str(asked["over"])
    within = float(asked.get("within", 2.0))
    compared = compare_arms(study, of, over, float(asked.get("confidence", 0.95)))
    subject, scope = f"{of} over {over}", scope_of(study)
    if not compared:
        return inconclusive("crossover", subject, scope, "no size has warm samples of both arms")
    measured = [each.size for each in compared]
    found = brackets(compared)
    data = {"of": of, "over": over, "within": within, "brackets": [_as_data(each) for each in found]}
    outcomes = {each.outcome for each in compared}
    if found:
        statement = _crossings(of, over, found, within)
        return Verdict("crossover", subject, scope, statement, data)
    if outcomes == {Outcome.NOT_SHOWN}:
        because = f"no measured size shows a difference between {of} and {over}"
        return Verdict("crossover", subject, scope, f"{subject}: inconclusive, because {because}", data, because)
    return _one_sided(study, compared, measured, data)


def _crossings(of: str, over: str, found: Sequence[Bracket], within: float) -> str:
    told = []
    for each in found:
        verb = "beats" if each.becomes is Outcome.FASTER else "loses to"
        text = (
            f"{of} {verb} {over} from {units.size(each.high)} (bracket {units.size(each.low)}..{units.size(each.high)}"
        )
        text += f", no tighter than a factor of {f'{each.factor:.3g}'}"
        text += f"; wider than the {f'{within:g}'} asked for, run --refine)" if _wide(each, within) else ")"
        told.append(text)
    return told[0] if len(told) == 1 else f"{len(told)} crossovers: {join(told)}"


def _wide(bracket: Bracket, within: float) -> bool:
    return bracket.factor > within * (1 + 1e-9)


def _one_sided(study: Study, compared: Sequence[Comparison], measured: list[int], data: dict[str, object]) -> Verdict:
    """All differences that are shown go one way: no crossover between shown sides. What is open below is said."""
    of, over = compared[0].of.arm, compared[0].over.arm
    shown = [each for each in compared if each.outcome is not Outcome.NOT_SHOWN]
    silent = [each for each in compared if each.outcome is Outcome.NOT_SHOWN]
    verb = "beats" if shown[0].outcome is Outcome.FASTER else "loses to"
    if not silent:
        ends = [f"{times(study, each)} at {units.size(each.size)}" for each in dict.fromkeys((shown[0], shown[-1]))]
        where = f"at every measured size from {units.size(measured[0])} to {units.size(measured[-1])}"
        edge = f"none is claimed below {units.size(measured[0])}" if verb == "beats" else "none is claimed above"
        statement = f"{of} {verb} {over} {where} ({', '.join(ends)}); no crossover in the range, so {edge}"
    else:
        held = size_list([each.size for each in shown], measured)
        first = shown[0]
        statement = (
            f"{of} {verb} {over} from {units.size(first.size)}"
            if _is_tail(shown, compared)
            else (f"{of} {verb} {over} at {held}")
        )
        statement += f" ({times(study, first)} there); no difference is shown at "
        statement += f"{size_list([each.size for each in silent], measured)}, so no bracket has two shown sides"
    data["one_sided"] = shown[0].outcome.value
    data["first_shown"] = shown[0].size
    return Verdict("crossover", f"{of} over {over}", scope_of(study), statement, data)


def _is_tail(shown: Sequence[Comparison], compared: Sequence[Comparison]) -> bool:
    return list(shown) == list(compared[-len(shown) :])


def _as_data(bracket: Bracket) -> dict[str, object]:
    return {
        "low_bytes": bracket.low,
        "high_bytes": bracket.high,
        "factor": bracket.factor,
        "becomes": bracket.becomes.value,
    }
