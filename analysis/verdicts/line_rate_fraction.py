"""line_rate_fraction {arm}: the share of the bound that an arm reaches, and which bound that is."""

from __future__ import annotations

from analysis import units
from analysis.scope import scope_of
from analysis.statistics import rate_from_median
from analysis.study import Study
from analysis.verdicts.verdict import Asked, Verdict, inconclusive
from analysis.wording import Basis, key_id


def line_rate_fraction(study: Study, asked: Asked) -> Verdict:
    """The best size's rate against the lowest bound that the setup record knows; inconclusive where it knows none."""
    arm = str(asked["arm"])
    scope = scope_of(study)
    bound = study.bound(arm)
    if bound is None:
        because = "the setup record has no port rate, PCIe rate or memory copy rate that bounds this lane"
        return inconclusive("line_rate_fraction", arm, scope, because)
    keys = study.keys(arm)
    if not keys:
        return inconclusive("line_rate_fraction", arm, scope, "the smallest window has no valid sample of it")
    rates = {key: rate_from_median(key.size, each.value) for key in keys if (each := study.median(key)) is not None}
    best = max(rates, key=lambda key: rates[key])
    fraction = rates[best] / bound.bytes_per_second
    cell = study.cells[best]
    based = Basis(study, f"line_rate_fraction/{key_id(best)}", cell.n, cell.of("value") + bound.sources)
    text = based.share("share", fraction, f"payload / median of value / {bound.text}")
    statement = f"{arm} reaches {text} of {bound.text} at {units.size(best.size)}"
    data = {
        "arm": arm,
        "bound": bound.name,
        "bound_bytes_per_second": bound.bytes_per_second,
        "sizes": [{"size": key.size, "fraction": rate / bound.bytes_per_second} for key, rate in rates.items()],
    }
    if fraction > 1:
        because = f"{text} of {bound.text} cannot be: the bound or the rows are wrong"
        return Verdict("line_rate_fraction", arm, scope, f"{arm}: inconclusive, because {because}", data, because)
    return Verdict("line_rate_fraction", arm, scope, statement, data)
