"""copy_share {arm}: how much of a get is its copy, at the largest size and over the sizes."""

from __future__ import annotations

import numpy as np

from analysis import statistics, units
from analysis.scope import scope_of
from analysis.study import Study
from analysis.verdicts.verdict import Asked, Verdict, inconclusive
from analysis.wording import basis, key_id


def copy_share(study: Study, asked: Asked) -> Verdict:
    """The median over the samples of copy_ns / total_ns per size, with the order-statistic interval in the details."""
    arm, level = str(asked["arm"]), float(asked.get("confidence", 0.95))
    scope = scope_of(study)
    keys = study.keys(arm)
    if not keys:
        return inconclusive("copy_share", arm, scope, "the smallest window has no valid sample of it")
    found = []
    for key in keys:
        cell = study.cells[key]
        shares = cell.phase("copy_ns") / cell.values()
        if not np.all(np.isfinite(shares)):
            return inconclusive("copy_share", arm, scope, f"copy times are missing at {units.size(key.size)}")
        found.append((key, statistics.median_interval(shares, level)))
    data = {"arm": arm, "sizes": [{"size": key.size, "share": each.value, "n": each.n} for key, each in found]}
    texts, details = {}, []
    for key, each in found:
        based = basis(study, f"copy_share/{key_id(key)}", key, column="copy_ns")
        texts[key] = based.share("share", each.value, "median over the samples of copy_ns / total_ns")
        between = ""
        if each.interval is not None:
            low = based.share("low", each.interval.low, "low end of the interval of the share: order statistics")
            high = based.share("high", each.interval.high, "high end of the interval of the share: order statistics")
            between = f", {units.level(level)} interval {low} to {high}"
        count = based.count("n", each.n, "samples", "count of warm samples")
        details.append(f"{units.size(key.size)}: {texts[key]} (n {count}{between})")
    last, first = keys[-1], keys[0]
    statement = f"{texts[last]} of a {units.size(last.size)} {arm} is its copy"
    if first != last:
        statement += f", {texts[first]} at {units.size(first.size)}"
    return Verdict("copy_share", arm, scope, statement, data, details=tuple(details))
