"""Which of an experiment's conclusions a run's record allows, and which it forbids and why. Used by `cli audit`.

Deep: the samples are read, every caveat is looked for and every verdict computed. Otherwise only what the plan, the
setup and the processes' own records say, which is a tenth of the time: for audits of many runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from analysis.caveats import RULES, Caveat
from analysis.caveats.sample_rules import RULES as SAMPLE_RULES
from analysis.engines import read_engines
from analysis.frame import Samples, load_samples
from analysis.study import Measured, Study
from analysis.verdicts import Verdict, answer_all
from store.json_file import JsonObject
from store.run import Run, open_run

_ALREADY_AUDITED = frozenset({"changed_after_the_run"})
_NEED_SAMPLES = frozenset({rule.id for rule in SAMPLE_RULES}) | {
    *("rep_0_only", "too_few_reps", "one_pair", "nic_not_registered"),
    *("clocks_apart", "wall_time", "counters_differ", "counts_differ"),
}
_BLOCKS_ALL = "any conclusion"
_BLOCKS = MappingProxyType({
    "emulated_get": ("line_rate_fraction",),
    "emulated_nic": ("line_rate_fraction",),
    "unaccelerated": ("line_rate_fraction",),
})  # fmt: skip
"""Caveat -> the kinds of verdict that it leaves without meaning; the others hold within the verdict's own scope."""


@dataclass(frozen=True)
class Conclusions:
    """allows: kinds of verdict in words; forbids: what must not be concluded, each with the caveat's id or the reason.

    inconclusive: (kind, subject, because) of each verdict that the samples do not decide; empty unless deep.
    """

    allows: tuple[str, ...]
    forbids: tuple[str, ...]
    inconclusive: tuple[tuple[str, str, str], ...] = ()


def conclusions_of(path: Path, *, deep: bool) -> Conclusions:
    """What the record of a run folder allows; its integrity is taken for granted. LabError when it cannot be read."""
    study = Study.of_runs([path]) if deep else _without_samples(path)
    caveats = [caveat for rule in RULES if _judged(rule.id, deep=deep) and (caveat := rule.apply(study)) is not None]
    verdicts = answer_all(study) if deep else []
    undecided = [verdict for verdict in verdicts if verdict.inconclusive_because is not None]
    return Conclusions(
        allows=tuple(_allowed(study, caveats, verdicts, deep=deep)),
        forbids=(
            *(f"{caveat.forbids} ({caveat.id})" for caveat in caveats),
            *(f"{_words(verdict.kind)} of {verdict.subject} (inconclusive)" for verdict in undecided),
        ),
        inconclusive=tuple((each.kind, each.subject, each.inconclusive_because or "") for each in undecided),
    )


def _judged(rule: str, *, deep: bool) -> bool:
    return rule not in _ALREADY_AUDITED and (deep or rule not in _NEED_SAMPLES)


def _without_samples(path: Path) -> Study:
    run = open_run(path, lenient=True)
    none = _no_samples(str(run.plan.get("engine", "rendezvous")))
    return Study((Measured(run.name, run.plan, none, run, read_engines(run)),))


@cache
def _no_samples(engine: str) -> Samples:
    """The frames of a run that has none: the same for each, and slower to make than all else of a quick audit."""
    plan: JsonObject = {"engine": engine, "arms": [], "cells": [], "blocks": []}
    return load_samples(Run(Path(), "", plan, "", None, None, {}, None, None, ()))


def _allowed(study: Study, caveats: list[Caveat], verdicts: list[Verdict], *, deep: bool) -> Iterator[str]:
    """The kinds asked for, in the plan's order, that are neither blocked by a caveat nor left open by the samples."""
    if any(caveat.forbids.startswith(_BLOCKS_ALL) for caveat in caveats):
        return
    run = study.runs[0].run
    if run is None or not run.finished_blocks:
        return
    blocked = {kind for caveat in caveats for kind in _BLOCKS.get(caveat.id, ())}
    decided = {verdict.kind for verdict in verdicts if verdict.inconclusive_because is None}
    asked = dict.fromkeys(kind for each in study.plan.get("verdicts", []) for kind in each)
    for kind in asked:
        if kind not in blocked and (kind in decided or not deep):
            yield _words(kind)


def _words(kind: str) -> str:
    return kind.replace("_", " ")
