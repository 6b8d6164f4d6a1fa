"""knee {arm, within}: the size (and the window) from which the rate is saturated, bracketed by measured points."""

from __future__ import annotations

from collections.abc import Sequence

from analysis import units
from analysis.cells import Key
from analysis.scope import scope_of
from analysis.statistics import rate_from_median
from analysis.study import Study
from analysis.verdicts.verdict import Asked, Verdict, inconclusive
from analysis.wording import basis, key_id


def knee(study: Study, asked: Asked) -> Verdict:
    """The smallest size from which every larger one stays within `within` of the best rate; and so for windows."""
    arm, within = str(asked["arm"]), float(asked.get("within", 0.05))
    scope = scope_of(study)
    keys = study.keys(arm, study.windows[-1])
    if len(keys) < 3:
        because = f"a knee needs three sizes or more, and there are {len(keys)}"
        return inconclusive("knee", arm, scope, because)
    at = saturation([_rate(study, key) for key in keys], within)
    data = {"arm": arm, "within": within, "size": None if at is None else keys[at].size}
    parts, window_data = _windows(study, arm, within)
    data |= window_data
    if at is None:
        best = keys[-1]
        because = f"the rate still grows at the largest size: {_rate_text(study, best)} at {units.size(best.size)}"
        return Verdict("knee", arm, scope, f"{arm}: inconclusive, because {because}", data, because)
    if at == 0:
        where = f"at every measured size from {units.size(keys[0].size)}"
    else:
        where = (
            f"from {units.size(keys[at].size)} (bracket {units.size(keys[at - 1].size)}..{units.size(keys[at].size)})"
        )
    best = max(keys, key=lambda key: _rate(study, key))
    statement = f"{arm} is within {units.level(within)} of its best rate {where}; the best is "
    statement += f"{_rate_text(study, best)} at {units.size(best.size)}"
    return Verdict("knee", arm, scope, "; ".join([statement, *parts]), data)


def saturation(rates: Sequence[float], within: float) -> int | None:
    """The first index from which all rates are at least (1 - within) of the best; None when that is only the last.

    With only the last one there the rate may still be growing, and no knee has been seen.
    """
    floor = (1 - within) * max(rates)
    at = len(rates)
    while at > 0 and rates[at - 1] >= floor:
        at -= 1
    return at if at < len(rates) - 1 else None


def _windows(study: Study, arm: str, within: float) -> tuple[list[str], dict[str, object]]:
    """The knee over the windows, at the largest size that all of them measure."""
    if len(study.windows) < 3:
        return [], {}
    shared = set.intersection(*({key.size for key in study.keys(arm, window)} for window in study.windows))
    if not shared:
        return [], {}
    size = max(shared)
    at = saturation([_rate(study, Key(arm, size, window)) for window in study.windows], within)
    if at is None:
        return [f"at {units.size(size)} the rate still grows at window {study.windows[-1]}"], {"window": None}
    return [f"at {units.size(size)} a window of {study.windows[at]} suffices"], {"window": study.windows[at]}


def _rate(study: Study, key: Key) -> float:
    estimate = study.median(key)
    return 0.0 if estimate is None else rate_from_median(key.size, estimate.value)


def _rate_text(study: Study, key: Key) -> str:
    based = basis(study, f"knee/{key_id(key)}", key)
    return based.rate("rate", _rate(study, key) / 1e9, "payload / median of value")
