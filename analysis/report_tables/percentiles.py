"""Percentiles where n carries them; where it does not, the n that would."""

from __future__ import annotations

from analysis import statistics
from analysis.report_tables.cell_numbers import CellNumbers, labels
from analysis.study import Study
from analysis.tables import Cell, Column, Table

PERCENTILES = (0.9, 0.99, 0.999)


def percentile_table(study: Study) -> Table:
    """One row per cell with warm samples; no rows at all where no cell carries the lowest percentile."""
    columns = (
        Column("payload", "payload", data_unit="bytes"),
        Column("arm", "arm"),
        *([Column("window", "window")] if study.windows != [0] else []),
        Column("n", "n"),
        *(Column(_name(p), _name(p), "us") for p in PERCENTILES),
    )
    largest = max((cell.n for cell in study.cells.values()), default=0)
    if largest < statistics.n_for_quantile(PERCENTILES[0]):
        return Table("percentiles", "Percentiles", columns, ())
    rows = []
    for key, cell in study.cells.items():
        if not cell.n:
            continue
        make = CellNumbers(study, key, "percentiles")
        row: dict[str, Cell] = {**labels(key), "n": make.count()}
        values = cell.values()
        for p in PERCENTILES:
            estimate = statistics.quantile_interval(values, p)
            name, formula = _name(p), f"{100 * p:g}th percentile of value"
            row[name] = f"needs n {estimate.needs}" if estimate.needs else make.us(name, estimate.value, formula)
        rows.append(row)
    note = "A percentile is printed where n is enough for an interval around it."
    return Table("percentiles", "Percentiles", columns, tuple(rows), note)


def _name(p: float) -> str:
    return f"p{100 * p:g}"
