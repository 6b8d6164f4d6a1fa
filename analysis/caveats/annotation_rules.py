"""The caveat that people add: a run that was withdrawn after it was sealed (`annotate RUN --withdrawn WHY`)."""

from __future__ import annotations

from analysis.caveats.caveat import Rule
from analysis.study import Study
from store.annotations import withdrawal

WITHDRAWN = "withdrawn"


def withdrawn(study: Study) -> str | None:
    """Why runs of the study are withdrawn; None when none is."""
    told = []
    for each in study.runs:
        reason = withdrawal(each.run.path) if each.run is not None else None
        if reason is not None:
            told.append(f"{each.name}: {reason}" if len(study.runs) > 1 else reason)
    return "; ".join(told) or None


RULES = (Rule(WITHDRAWN, withdrawn, forbids="any conclusion", remedy="a new run without what was wrong with this one"),)
