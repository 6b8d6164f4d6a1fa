"""copy_share {arm}: how much of a get is its copy, at the largest size and over the sizes."""

from __future__ import annotations

import numpy as np

from analysis import statistics, units
from analysis.frame import PHASES
from analysis.scope import scope_of
from analysis.study import Study
from analysis.verdicts.verdict import Asked, Verdict, inconclusive
from analysis.wording import basis, key_id


def copy_share(study: Study, asked: Asked) -> Verdict:
    """The median of copy_ns / total_ns per size, with its interval in the details: as a cell's median has it, so with
    several pairs the pairs are resampled. A share that is never above 0 needs no interval."""
    arm, level = str(asked["arm"]), float(asked.get("confidence", 0.95))
    scope = scope_of(study)
    keys = study.keys(arm)
    if not keys:
        return inconclusive("copy_share", arm, scope, "the smallest window has no valid sample of it")
    found = []
    for key in keys:
        cell = study.cells[key]
        shares = [group.phases[:, PHASES.index("copy_ns")] / group.values for group in cell.groups]
        every = np.concatenate(shares)
        if not np.all(np.isfinite(every)):
            return inconclusive("copy_share", arm, scope, f"copy times are missing at {units.size(key.size)}")
        estimate = (
            study.median_of(cell, shares, level) if np.all(every > 0) else statistics.median_interval(every, level)
        )
        found.append((key, estimate))
    data = {"arm": arm, "sizes": [{"size": key.size, "share": each.value, "n": each.n} for key, each in found]}
    texts, details = {}, []
    for key, each in found:
        based = basis(study, f"copy_share/{key_id(key)}", key, column="copy_ns")
        texts[key] = based.share("share", each.value, f"median of copy_ns / total_ns, {each.method}")
        between = ""
        if each.interval is not None:
            low = based.share("low", each.interval.low, f"low end of the interval of the share, {each.method}")
            high = based.share("high", each.interval.high, f"high end of the interval of the share, {each.method}")
            between = f", {units.level(level)} interval {low} to {high}"
        count = based.count("n", each.n, "samples", "count of warm samples")
        details.append(f"{units.size(key.size)}: {texts[key]} (n {count}{between})")
    last, first = keys[-1], keys[0]
    statement = f"{texts[last]} of a {units.size(last.size)} {arm} is its copy"
    if first != last:
        statement += f", {texts[first]} at {units.size(first.size)}"
    return Verdict("copy_share", arm, scope, statement, data, details=tuple(details))
