"""The list of all rules, in the order in which caveats are shown: what weighs most stands first."""

from __future__ import annotations

from analysis.caveats import (
    annotation_rules,
    design_rules,
    lane_rules,
    operation_rules,
    record_rules,
    sample_rules,
    setup_rules,
)
from analysis.caveats.caveat import Caveat, Rule
from analysis.study import Study

RULES: tuple[Rule, ...] = (
    *annotation_rules.RULES,
    *lane_rules.RULES,
    *record_rules.RULES,
    *sample_rules.RULES,
    *operation_rules.RULES,
    *design_rules.RULES,
    *setup_rules.RULES,
)


def find_caveats(study: Study) -> list[Caveat]:
    """Every caveat that holds for the study."""
    return [caveat for rule in RULES if (caveat := rule.apply(study)) is not None]
