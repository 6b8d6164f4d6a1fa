"""threshold_advice {of, over}: what min_bytes should be on this lane, or that the threshold is not the lever."""

from __future__ import annotations

from analysis import units
from analysis.comparison import Comparison, Outcome, compare_arms
from analysis.scope import scope_of
from analysis.study import Study
from analysis.verdicts.crossover import brackets
from analysis.verdicts.verdict import Asked, Verdict, inconclusive


def threshold_advice(study: Study, asked: Asked) -> Verdict:
    """One crossover upwards: its upper end. Faster everywhere: not the lever. Anything else is said as it is."""
    of, over = str(asked["of"]), str(asked["over"])
    compared = compare_arms(study, of, over, float(asked.get("confidence", 0.95)))
    subject, scope = f"{of} over {over}", scope_of(study)
    if not compared:
        return inconclusive("threshold_advice", subject, scope, "no size has warm samples of both arms")
    staging = {str(study.arms[arm].get("staging")) for arm in (of, over)}
    if len(staging) > 1 or any(study.arms[arm].get("kill_switch") for arm in (of, over)):
        because = f"{of} and {over} differ in staging, not only in the path that min_bytes chooses"
        return inconclusive("threshold_advice", subject, scope, because, min_bytes=None)
    open_question = _no_single_threshold(compared)
    if open_question:
        return inconclusive("threshold_advice", subject, scope, open_question, min_bytes=None)
    statement, min_bytes, lever = _advice(of, over, compared)
    data = {"of": of, "over": over, "min_bytes": min_bytes, "lever": lever}
    return Verdict("threshold_advice", subject, scope, statement, data)


def _no_single_threshold(compared: list[Comparison]) -> str | None:
    """Why no one threshold follows from the outcomes, or None where one does."""
    found = brackets(compared)
    outcomes = {each.outcome for each in compared}
    if outcomes == {Outcome.NOT_SHOWN}:
        return "no measured size shows a difference"
    if len(found) > 1:
        return f"there are {len(found)} crossovers, and one threshold serves one"
    if found and found[0].becomes is Outcome.SLOWER:
        return "the advantage is at the small sizes, and min_bytes cuts those off"
    if Outcome.FASTER in outcomes and compared[-1].outcome is Outcome.NOT_SHOWN:
        return "no difference is shown at the largest size"
    return None


def _advice(of: str, over: str, compared: list[Comparison]) -> tuple[str, int, bool]:
    """The statement, min_bytes, and whether the threshold is what decides here."""
    smallest, largest = compared[0].size, compared[-1].size
    outcomes = [each.outcome for each in compared]
    if Outcome.FASTER not in outcomes:
        text = f"set min_bytes above {units.size(largest)}: {of} is at no measured size shown to be faster"
        return text, largest + 1, True
    found = brackets(compared)
    if found:
        low, high = units.size(found[0].low), units.size(found[0].high)
        text = f"set min_bytes to {high}: {of} is shown to be slower than {over} at {low} and faster from {high}"
        return text, found[0].high, True
    first = next(each.size for each in compared if each.outcome is Outcome.FASTER)
    if first == smallest and Outcome.NOT_SHOWN not in outcomes:
        text = (
            f"min_bytes is not the lever: {of} beats {over} at every measured size from {units.size(smallest)}, so any "
        )
        return text + "threshold up to there serves; what the first transfer pays matters more", smallest, False
    text = f"any min_bytes up to {units.size(first)} serves: {of} is at no measured size shown to be slower than {over}"
    return text, first, False
