"""Percentiles where n carries them; where it does not, the n that would.

Of single operations where each was timed, of samples otherwise.
"""

from __future__ import annotations

from analysis import statistics
from analysis.cells import Floats, Key
from analysis.numbers import Number
from analysis.report_tables.cell_numbers import CellNumbers, labels
from analysis.study import Study
from analysis.tables import Cell, Column, Table

PERCENTILES = (0.9, 0.99, 0.999)
OF_OPERATIONS = (0.5, *PERCENTILES)
"""A sample's time is the mean of its operations, so their median stands here and nowhere else."""


def percentile_table(study: Study) -> Table:
    """One row per cell with warm samples; no rows at all where no cell carries the lowest percentile."""
    of_operations = any(cell.latencies().size for cell in study.cells.values())
    percentiles = OF_OPERATIONS if of_operations else PERCENTILES
    columns = (
        Column("payload", "payload", data_unit="bytes"),
        Column("arm", "arm"),
        *([Column("window", "window")] if study.windows != [0] else []),
        Column("n", "n"),
        *(Column(_name(p), _name(p), "us") for p in percentiles),
    )
    largest = max((max(cell.n, cell.latencies().size) for cell in study.cells.values()), default=0)
    if largest < statistics.n_for_quantile(PERCENTILES[0]):
        return Table("percentiles", "Percentiles", columns, ())
    rows = [_row(study, key, percentiles) for key, cell in study.cells.items() if cell.n]
    note = "A percentile is printed where n is enough for an interval around it."
    if of_operations:
        note += " Where operations were timed one by one, n and percentiles are of single operations."
    return Table("percentiles", "Percentiles", columns, tuple(rows), note)


def _row(study: Study, key: Key, percentiles: tuple[float, ...]) -> dict[str, Cell]:
    cell = study.cells[key]
    make = CellNumbers(study, key, "percentiles")
    single = cell.latencies()
    row: dict[str, Cell] = {**labels(key)}
    if single.size:
        row["n"] = make.whole("n", single.size, "operations", "count of operations in warm samples")
        return row | {_name(p): _percentile(make, single, p, "latency_ns") for p in percentiles}
    row["n"] = make.count()
    return row | {_name(p): _percentile(make, cell.values(), p, "value") for p in percentiles}


def _percentile(make: CellNumbers, values: Floats, p: float, source: str) -> Number | str:
    estimate = statistics.quantile_interval(values, p)
    if estimate.needs:
        return f"needs n {estimate.needs}"
    return make.us(_name(p), estimate.value, f"{100 * p:g}th percentile of {source}", source, n=values.size)


def _name(p: float) -> str:
    return f"p{100 * p:g}"
