"""Caveats about the samples themselves: failed, fallen back, void, not as asked, too fast, drifting, too coarse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pandas as pd

from analysis import statistics, units
from analysis.caveats.caveat import Rule
from analysis.frame import USES
from analysis.study import Measured, Study
from analysis.units import plural
from analysis.wording import join

RESOLUTION_SHARE = 0.01
DRIFT_SHARE = 0.05
DRIFT_ALPHA = 0.01
_NAMED = 3
"""How many lines or kinds are named before the rest is only counted."""


def _bad_lines(study: Study) -> str | None:
    lines = [line for each in study.runs for line in each.samples.bad_lines]
    if not lines:
        return None
    more = f" and {len(lines) - _NAMED} more" if len(lines) > _NAMED else ""
    return f"{plural(len(lines), 'line')} cannot be read: {'; '.join(str(line) for line in lines[:_NAMED])}{more}"


def _complaints(*kinds: str) -> Callable[[Study], str | None]:
    def find(study: Study) -> str | None:
        told = []
        for each in study.runs:
            for complaint in each.samples.complaints:
                if complaint.kind in kinds:
                    where = _place(each, int(complaint.rows[0]))
                    told.append(f"{complaint.text} in {plural(complaint.rows.size, 'sample')} (first {where})")
        return "; ".join(told) or None

    return find


def _place(each: Measured, row: int) -> str:
    """`pairs/0/samples.jsonl:17`, where a row of the frame stands."""
    at = each.samples.samples.iloc[row]
    return f"pairs/{at['launched']}/samples.jsonl:{at['line']}"


def _with_use(study: Study, use: str) -> list[tuple[Measured, pd.DataFrame]]:
    """The samples of one use, run by run, where there are any."""
    code = USES.index(use)
    found = []
    for each in study.runs:
        frame = each.samples.samples
        chosen = frame["use"].cat.codes.to_numpy() == code
        if chosen.any():
            found.append((each, frame[chosen]))
    return found


def _fell_back(study: Study) -> str | None:
    """Counted by reason, and excluded from the arm's medians; the figure with them is in the table of excluded ones."""
    counts: Counter[tuple[str, str]] = Counter()
    for _, rows in _with_use(study, "fell_back"):
        reason, refusal = rows["reason"].astype(object), rows["refusal"].astype(object)
        why = reason.where(reason.notna() & (reason != "ok"), refusal)
        counts.update(zip(map(str, rows["arm"]), map(str, why), strict=True))
    if not counts:
        return None
    told = [f"{count} of {arm} ({reason})" for (arm, reason), count in sorted(counts.items())]
    return f"transfers took the other path and are not in the arm's figures: {join(told)}"


def _failed(study: Study) -> str | None:
    counts: Counter[str] = Counter()
    for _, rows in _with_use(study, "failed"):
        counts.update(rows["error_phase"].astype(str) + " " + rows["error_code"].astype(str))
    if not counts:
        return None
    told = [f"{count} in {cause}" for cause, count in sorted(counts.items())]
    return f"{plural(sum(counts.values()), 'sample')} failed: {join(told)}"


def _unverified(study: Study) -> str | None:
    found = _with_use(study, "unverified")
    if not found:
        return None
    count = sum(len(rows) for _, rows in found)
    return f"the bytes of {plural(count, 'sample')} were not verified; they are left out (first {_first(found)})"


def _first(found: list[tuple[Measured, pd.DataFrame]]) -> str:
    return _place(found[0][0], int(found[0][1].index[0]))


def _staging(study: Study) -> str | None:
    counts: Counter[tuple[str, str, str]] = Counter()
    for each in study.runs:
        frame = each.samples.samples
        if "staging" not in frame:
            continue
        asked, got = frame["staging_asked"].astype(object), frame["staging"].astype(object)
        other = frame[((asked != got) & asked.notna() & got.notna() & ~frame["has_error"]).to_numpy(dtype=bool)]
        counts.update(zip(*(map(str, other[name]) for name in ("arm", "staging", "staging_reason")), strict=True))
    if not counts:
        return None
    told = [f"{arm} was staged {had} in {plural(n, 'sample')} ({why})" for (arm, had, why), n in sorted(counts.items())]
    return join(told)


def _registrations(study: Study) -> str | None:
    samples = calls = 0
    for each in study.runs:
        frame = each.samples.samples
        if "registrations" not in frame:
            continue
        inside = frame[(frame["registrations"] > 0) & (frame["use"] == "warm") & (frame["staging_asked"] == "pinned")]
        samples += len(inside)
        calls += int(inside["registrations"].sum())
    return (
        f"{plural(calls, 'registration')} inside the timed part of {plural(samples, 'warm sample')}" if calls else None
    )


def _above_line_rate(study: Study) -> str | None:
    if not study.above_bound:
        return None
    told = []
    for key, bound in list(study.above_bound.items())[:_NAMED]:
        rate = units.significant(key.size / float(np.median(study.cells[key].values())))
        told.append(f"{key.arm} at {units.size(key.size)} with {rate} GB/s over {bound.text}")
    rest = len(study.above_bound) - _NAMED
    more = f" and {rest} more" if rest > 0 else ""
    return f"{plural(len(study.above_bound), 'row')} faster than possible, void: {join(told)}{more}"


def _drift(study: Study) -> str | None:
    """Each arm's samples in run order, each divided by its cell's median, pair by pair; the largest trend is told."""
    worst: tuple[float, str, int] | None = None
    for each in study.runs:
        frame = each.samples.samples
        warm = frame[(frame["use"] == "warm").to_numpy(dtype=bool)]
        if warm.empty:
            continue
        medians = warm.groupby(["launched", "cell"], observed=True)["value"].transform("median")
        relative = warm["value"] / medians
        for pair, rows in warm.groupby("launched"):
            ordered = relative[rows.sort_values("order").index]
            trend = statistics.drift(ordered.to_numpy())
            if trend is None or trend.p > DRIFT_ALPHA or abs(trend.change) < DRIFT_SHARE:
                continue
            if worst is None or abs(trend.change) > abs(worst[0]):
                worst = (trend.change, f"pair {pair}", trend.n)
    if worst is None:
        return None
    change, where, n = worst
    way = "slower" if change > 0 else "faster"
    return f"times became {units.percent(abs(change), 2)} {way} over {where} (n {n}, Kendall's tau at {DRIFT_ALPHA})"


def _resolution(study: Study) -> str | None:
    steps = [float(c["resolution_ns"]) for each in study.runs for c in each.samples.clocks.values() if c]
    medians = [np.median(cell.values()) for cell in study.cells.values() if cell.n]
    if not steps or not medians:
        return None
    step, shortest = max(steps), float(min(medians))
    if step < RESOLUTION_SHARE * shortest:
        return None
    share = units.percent(step / shortest, 2)
    return f"the clock's step of {units.duration(step)} is {share} of the shortest median, {units.duration(shortest)}"


RULES = (
    Rule("unreadable_lines", _bad_lines, forbids="calling the record whole", remedy="the run again, or its archive"),
    Rule(
        "invalid_samples",
        _complaints("missing_field", "negative_time", "zero_time", "unknown_cell"),
        forbids="any use of these samples: they are left out",
        remedy="the run again, with an engine whose samples hold together",
    ),
    Rule(
        "duplicates",
        _complaints("duplicate"),
        forbids="counting a sample twice: the later ones are left out",
        remedy="the run again; a run folder is not to be edited",
    ),
    Rule(
        "above_line_rate",
        _above_line_rate,
        forbids="any use of these rows: they are left out",
        remedy="find which is wrong: the bound in the setup record, the byte count, or the clock",
    ),
    Rule("failed_samples", _failed, forbids="saying that the arm is reliable here", remedy="the causes named"),
    Rule("unverified", _unverified, forbids="any use of these samples", remedy="a run whose transfers all verify"),
    Rule(
        "fell_back",
        _fell_back,
        forbids="leaving the fallback out of what a user of the arm would meet",
        remedy="the reasons named; the table of excluded samples has the figures with them",
    ),
    Rule(
        "staging_not_as_asked",
        _staging,
        forbids="calling these samples what the arm is called",
        remedy="a larger limits.registered_bytes, or smaller sizes",
    ),
    Rule(
        "registration_in_timed_part",
        _registrations,
        forbids="calling these figures pinned",
        remedy="staging before the timed part; an arena that is large enough",
    ),
    Rule(
        "phases_do_not_add_up",
        _complaints("phases_do_not_add_up"),
        forbids="shares of phases in these samples",
        remedy="an engine whose phases sum to the total",
    ),
    Rule(
        "drift",
        _drift,
        forbids="comparing early samples with late ones",
        remedy="a quiet machine with a fixed clock frequency; interleaved arms cancel most of it",
    ),
    Rule(
        "resolution",
        _resolution,
        forbids="differences below the clock's step",
        remedy="a finer clock, or more work per sample",
    ),
)
