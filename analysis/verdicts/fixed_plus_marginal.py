"""fixed_plus_marginal {arm}: what a transfer costs at least and what each byte adds, and where that model fails."""

from __future__ import annotations

import numpy as np

from analysis import statistics, units
from analysis.cells import Floats, Key
from analysis.scope import scope_of
from analysis.statistics import CostModel
from analysis.statistics.medians import bootstrap_medians
from analysis.study import Study, seed_of
from analysis.verdicts.verdict import Asked, Verdict, inconclusive
from analysis.wording import Basis, basis, size_list

FITS_WITHIN = 0.10
"""A size whose median lies further from the line than this, relatively, is named."""


def fixed_plus_marginal(study: Study, asked: Asked) -> Verdict:
    """Fits time = fixed + size / rate to the medians; intervals from refits to bootstrapped medians."""
    arm, level = str(asked["arm"]), float(asked.get("confidence", 0.95))
    scope, keys = scope_of(study), study.keys(arm)
    if len(keys) < 3:
        because = f"a line through times needs three sizes or more, and there are {len(keys)}"
        return inconclusive("fixed_plus_marginal", arm, scope, because)
    sizes = [key.size for key in keys]
    draws = np.column_stack([_draws(study, key) for key in keys])
    medians = [estimate.value for key in keys if (estimate := study.median(key)) is not None]
    model = statistics.fixed_plus_marginal(sizes, medians, draws, level)
    off = [size for size, rest in zip(sizes, model.residuals, strict=True) if abs(rest) > FITS_WITHIN]
    data = {
        "arm": arm,
        "fixed_ns": model.fixed_ns,
        "fixed_low_ns": model.fixed_interval.low,
        "fixed_high_ns": model.fixed_interval.high,
        "bytes_per_ns": model.bytes_per_ns if np.isfinite(model.bytes_per_ns) else None,
        "off_sizes": off,
    }
    if model.rate_interval is None:
        because = "the time does not grow with the size beyond its noise"
        return inconclusive("fixed_plus_marginal", arm, scope, because, **data)
    based = basis(study, f"fixed_plus_marginal/{arm}", *keys)
    statement = _statement(based, arm, model, level)
    if off:
        statement += f"; the line misses by more than {units.level(FITS_WITHIN)} at {size_list(off, sizes)}"
    details = tuple(
        f"{units.size(size)}: {'+' if rest > 0 else ''}"
        f"{based.share(f'residual/{size}', rest, 'median against the line', 2)} off the line"
        for size, rest in zip(sizes, model.residuals, strict=True)
    )
    return Verdict("fixed_plus_marginal", arm, scope, statement, data, details=details)


def _statement(based: Basis, arm: str, model: CostModel, level: float) -> str:
    formula = "least squares of relative errors of time = fixed + size / rate over the medians"
    assert model.rate_interval is not None, "the caller looked"
    low = based.duration("fixed_low", model.fixed_interval.low, f"low end of the fixed part: {formula}")
    high = based.duration("fixed_high", model.fixed_interval.high, f"high end of the fixed part: {formula}")
    slow = based.rate("rate_low", model.rate_interval.low, f"low end of the rate: {formula}")
    fast = based.rate("rate_high", model.rate_interval.high, f"high end of the rate: {formula}")
    return (
        f"a transfer of {arm} costs {based.duration('fixed', model.fixed_ns, f'fixed part: {formula}')} "
        f"({units.level(level)} interval {low} to {high}) "
        f"and moves {based.rate('rate', model.bytes_per_ns, f'rate: {formula}')} on top ({slow} to {fast})"
    )


def _draws(study: Study, key: Key) -> Floats:
    """Bootstrap medians of a cell: pairs first, then samples; the mean over the pairs drawn, on the log scale."""
    random = np.random.default_rng(seed_of(key))
    groups = [np.sort(group.values) for group in study.cells[key].groups]
    if study.cold or len(groups) == 1:
        return bootstrap_medians(np.sort(study.cells[key].values()), study.resamples, random)
    per_pair = np.stack([bootstrap_medians(group, study.resamples, random) for group in groups])
    chosen = random.integers(0, len(groups), (len(groups), study.resamples))
    return np.asarray(np.exp(np.log(per_pair[chosen, np.arange(study.resamples)]).mean(axis=0)))
