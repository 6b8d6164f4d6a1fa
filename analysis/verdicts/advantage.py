"""advantage {of, over}: how many times faster one arm is than another, size by size, with intervals."""

from __future__ import annotations

from analysis.comparison import Comparison, Outcome, compare_arms
from analysis.scope import scope_of
from analysis.study import Study
from analysis.verdicts.verdict import Asked, Verdict, inconclusive
from analysis.wording import size_list, times


def advantage(study: Study, asked: Asked) -> Verdict:
    """Faster, slower or not shown per size; the statement tells the ends of each stretch of sizes."""
    of, over = str(asked["of"]), str(asked["over"])
    level = float(asked.get("confidence", 0.95))
    compared = compare_arms(study, of, over, level)
    subject, scope = f"{of} over {over}", scope_of(study)
    if not compared:
        return inconclusive("advantage", subject, scope, "no size has warm samples of both arms")
    data = {"of": of, "over": over, "sizes": [_as_data(each) for each in compared]}
    details = tuple(_line(study, each, of, over) for each in compared)
    measured = [each.size for each in compared]
    shown = [each for each in compared if each.outcome is not Outcome.NOT_SHOWN]
    if not shown:
        because = f"no size shows a difference from {over} that stands after correction for {len(compared)} sizes"
        widest = max(compared, key=lambda each: abs(each.ratio.log))
        because += f"; the largest seen is {times(study, widest)} at {size_list([widest.size], measured)}"
        return Verdict("advantage", subject, scope, f"{of}: inconclusive, because {because}", data, because, details)
    sentences = [
        f"{of} is {outcome.value} than {over} {_stretch(study, part, measured)}"
        for outcome in (Outcome.FASTER, Outcome.SLOWER)
        if (part := [each for each in compared if each.outcome is outcome])
    ]
    silent = [each.size for each in compared if each.outcome is Outcome.NOT_SHOWN]
    if silent:
        sentences.append(f"no difference is shown at {size_list(silent, measured)}")
    return Verdict("advantage", subject, scope, "; ".join(sentences), data, details=details)


def _stretch(study: Study, part: list[Comparison], measured: list[int]) -> str:
    """`at 4 KiB to 4 MiB: 1.4x (...) at 4 KiB, 5.0x (...) at 4 MiB`; slower is told as a factor below 1."""
    sizes = size_list([each.size for each in part], measured)
    if len(part) == 1:
        return f"at {sizes}: {times(study, part[0])}"
    ends = ", ".join(f"{times(study, each)} at {size_list([each.size], measured)}" for each in (part[0], part[-1]))
    return f"at {sizes}: {ends}"


def _line(study: Study, each: Comparison, of: str, over: str) -> str:
    size = size_list([each.size], [each.size])
    return f"{size}: {times(study, each)}, {each.outcome.value}: {of} against {over}"


def _as_data(each: Comparison) -> dict[str, object]:
    interval = each.interval
    return {
        "size": each.size,
        "ratio": each.ratio.ratio,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "n": each.ratio.n,
        "pairs": each.ratio.pairs,
        "p_holm": each.p_holm,
        "outcome": each.outcome.value,
    }
