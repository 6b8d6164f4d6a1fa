"""Per size and arm: n, median with interval, extremes, the phases' medians, the rate and its share of the bound."""

from __future__ import annotations

import numpy as np

from analysis import statistics, units
from analysis.cells import Key
from analysis.frame import PHASES
from analysis.report_tables.cell_numbers import CellNumbers, labels, needed_n
from analysis.study import Study
from analysis.tables import Cell, Column, Table

_SHOWN_PHASES = PHASES[1:]
"""Wire-up is in the table of first transfers: in warm samples it is 0."""


def latency_table(study: Study) -> Table:
    """One row for each planned cell, also for those without a warm sample, whose remark says so."""
    phases = _SHOWN_PHASES if has_phases(study) else ()
    columns = (
        Column("payload", "payload", data_unit="bytes"),
        Column("arm", "arm"),
        *([Column("window", "window")] if study.windows != [0] else []),
        Column("n", "n"),
        Column("median", "median", "us"),
        Column("interval", "95 % interval", "us"),
        Column("min", "min", "us"),
        Column("max", "max", "us"),
        *(Column(name.removesuffix("_ns"), name.removesuffix("_ns"), "us") for name in phases),
        Column("rate", "rate", "GB/s"),
        *(() if has_phases(study) else (Column("mops", "mops", "10^6/s"), Column("gib", "rate", "GiB/s"))),
        *([Column("bound", "of the bound", "%")] if any(study.bound(arm) for arm in study.arms) else []),
        Column("outliers", "outliers"),
        Column("remark", "remark"),
    )
    rank = {arm: at for at, arm in enumerate(study.arms)}
    ordered = sorted(study.cells, key=lambda key: (key.size, key.window, rank[key.arm]))
    title = "Time of a get, by payload and arm" if phases else "Time of an operation, by payload and arm"
    return Table("latency", title, columns, tuple(_row(study, key, phases) for key in ordered), _note(study, phases))


def has_phases(study: Study) -> bool:
    """Whether the samples tell the phases of a get."""
    return any(np.isfinite(cell.phase("acquire_ns")).any() for cell in study.cells.values() if cell.n)


def _note(study: Study, phases: tuple[str, ...]) -> str:
    methods = {estimate.method for key in study.cells if (estimate := study.median(key)) is not None}
    notes = [f"Median and interval: {'; '.join(sorted(methods))}."] if methods else []
    if phases:
        notes.append("Phases have medians of their own, which need not add up to that of the total.")
    notes.append("Outliers lie more than 3.5 scaled median absolute deviations from the median; they are kept.")
    return " ".join(notes)


def _row(study: Study, key: Key, phases: tuple[str, ...]) -> dict[str, Cell]:
    cell = study.cells[key]
    row: dict[str, Cell] = {**labels(key), "remark": remark(study, key)}
    estimate = study.median(key)
    if estimate is None:
        return row
    make = CellNumbers(study, key, "latency")
    values = cell.values()
    row |= {
        "n": make.count(),
        "median": make.us("median", estimate.value, f"median of value: {estimate.method}"),
        "interval": make.span(estimate, "median"),
        "min": make.us("min", float(values.min()), "minimum of value"),
        "max": make.us("max", float(values.max()), "maximum of value"),
        "outliers": make.whole(
            "outliers", int(statistics.mad_outliers(values).sum()), "samples", "count of MAD outliers"
        ),
    }
    for name in phases:
        phase = cell.phase(name)
        if np.isfinite(phase).all():
            short = name.removesuffix("_ns")
            row[short] = make.us(short, float(np.median(phase)), f"median of {name}", name)
    rate = statistics.rate_from_median(key.size, estimate.value) / 1e9
    row["rate"] = make.scaled("rate", rate, "GB/s", "payload / median of value")
    if not has_phases(study):
        row["mops"] = make.scaled("mops", 1e3 / estimate.value, "10^6/s", "1 / median of value")
        row["gib"] = make.scaled("gib", rate * 1e9 / units.KIB**3, "GiB/s", "payload / median of value")
    bound = study.bound(key.arm)
    if bound is not None:
        share = 100e9 * rate / bound.bytes_per_second
        row["bound"] = make.scaled("bound", share, "%", f"payload / median of value / {bound.text}")
    return row


def remark(study: Study, key: Key) -> str:
    """What a reader of this row must know; "" for a sound one."""
    cell = study.cells[key]
    if not cell.n:
        return "no warm sample"
    if key in study.above_bound:
        return "void: faster than the bound"
    if cell.n < needed_n() and (study.cold or len(cell.groups) == 1):
        return f"an interval needs n {needed_n()}"
    return "all samples are equal" if cell.n > 1 and np.ptp(cell.values()) == 0 else ""
