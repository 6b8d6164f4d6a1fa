"""The kinds of verdicts. A new kind is one file here and one line in KINDS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from analysis.scope import scope_of
from analysis.study import Study
from analysis.verdicts.advantage import advantage
from analysis.verdicts.copy_share import copy_share
from analysis.verdicts.crossover import crossover
from analysis.verdicts.equivalence import equivalence
from analysis.verdicts.fixed_plus_marginal import fixed_plus_marginal
from analysis.verdicts.knee import knee
from analysis.verdicts.line_rate_fraction import line_rate_fraction
from analysis.verdicts.threshold_advice import threshold_advice
from analysis.verdicts.verdict import Asked, Verdict, inconclusive
from analysis.verdicts.wireup_cost import wireup_cost

KINDS: Mapping[str, Callable[[Study, Asked], Verdict]] = MappingProxyType({
    "advantage": advantage,
    "copy_share": copy_share,
    "crossover": crossover,
    "equivalence": equivalence,
    "fixed_plus_marginal": fixed_plus_marginal,
    "knee": knee,
    "line_rate_fraction": line_rate_fraction,
    "threshold_advice": threshold_advice,
    "wireup_cost": wireup_cost,
})  # fmt: skip


def answer_all(study: Study) -> list[Verdict]:
    """One verdict for each that the first run's plan asks for, in its order. A kind of a newer tool is inconclusive."""
    return [_answer(study, kind, asked) for each in study.plan.get("verdicts", []) for kind, asked in each.items()]


def _answer(study: Study, kind: str, asked: Asked) -> Verdict:
    subject = " over ".join(str(asked[role]) for role in ("of", "arm", "over") if asked.get(role))
    if kind not in KINDS:
        because = f"this version of rdmalab knows no verdict of the kind {kind!r}"
        return inconclusive(kind, subject, scope_of(study), because)
    lacking = [str(asked[role]) for role in ("of", "over", "arm") if asked.get(role) and not _has(study, asked[role])]
    if lacking:
        because = f"{' and '.join(lacking)} has no finished, warm and valid sample"
        return inconclusive(kind, subject, scope_of(study), because)
    return KINDS[kind](study, asked)


def _has(study: Study, arm: str) -> bool:
    return any(study.keys(arm, window) for window in study.windows)
