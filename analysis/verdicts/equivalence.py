"""equivalence {of, over, margin}: whether two arms are the same within a stated margin. A test of difference that
finds nothing is never called equality; only two one-sided tests are.
"""

from __future__ import annotations

from analysis import statistics, units
from analysis.comparison import Comparison, compare_arms
from analysis.scope import scope_of
from analysis.study import Study
from analysis.verdicts.verdict import Asked, Verdict, inconclusive
from analysis.wording import basis, size_list, times


def equivalence(study: Study, asked: Asked) -> Verdict:
    """Equal at all sizes (each test holds: no correction is needed for "all"), else which sizes are, Holm-corrected."""
    of, over = str(asked["of"]), str(asked["over"])
    margin, level = float(asked.get("margin", 0.05)), float(asked.get("confidence", 0.95))
    # The interval that belongs to two one-sided tests at alpha is the one of level 1 - 2 alpha.
    compared = compare_arms(study, of, over, 1 - 2 * (1 - level))
    subject, scope = f"{of} and {over}", scope_of(study)
    usable = [each for each in compared if each.interval is not None]
    if not usable:
        return inconclusive("equivalence", subject, scope, "no size has two or more warm samples of both arms")
    p_values = [statistics.tost(each.ratio, margin) for each in usable]
    corrected = statistics.holm(p_values)
    alpha = 1 - level
    measured = [each.size for each in usable]
    everywhere = max(p_values) <= alpha
    equal = measured if everywhere else [s for s, p in zip(measured, corrected, strict=True) if p <= alpha]
    outside = [each.size for each in usable if _outside(each, margin)]
    open_sizes = [size for size in measured if size not in equal and size not in outside]
    within = f"within {units.level(margin)}"
    data = {"of": of, "over": over, "margin": margin, "equal": equal, "different": outside, "open": open_sizes}
    details = tuple(
        f"{units.size(each.size)}: {times(study, each)}, equivalence p {_p(study, each, margin, p)}"
        for each, p in zip(usable, p_values, strict=True)
    )
    parts = []
    if equal:
        parts.append(f"{subject} are equal {within} at {size_list(equal, measured)}")
    if outside:
        who = "they" if parts else subject
        parts.append(f"{who} differ by more than {units.level(margin)} at {size_list(outside, measured)}")
    if open_sizes and parts:
        parts.append(f"undecided at {size_list(open_sizes, measured)}")
    if not parts:
        worst = max(usable, key=lambda each: abs(each.ratio.log))
        because = f"no size shows equality {within}: {times(study, worst)} at {units.size(worst.size)}"
        return Verdict(
            "equivalence", subject, scope, f"{subject}: inconclusive, because {because}", data, because, details
        )
    return Verdict("equivalence", subject, scope, "; ".join(parts), data, details=details)


def _p(study: Study, each: Comparison, margin: float, p: float) -> str:
    based = basis(study, f"equivalence/{each.of.arm}~{each.over.arm}/{each.size}", each.of, each.over)
    formula = f"two one-sided t tests of the log ratio within {units.level(margin)}"
    return str(based.number(f"p{margin:g}", p, units.p_value(p), "", formula))


def _outside(each: Comparison, margin: float) -> bool:
    assert each.interval is not None, "only comparisons with an interval come here"
    return each.interval.low > 1 + margin or each.interval.high < 1 / (1 + margin)
