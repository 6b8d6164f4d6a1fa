"""How much pairs of processes differ, beside how much repetitions inside a pair do. Empty with one pair."""

from __future__ import annotations

from analysis import statistics
from analysis.report_tables.cell_numbers import CellNumbers, labels
from analysis.study import Study
from analysis.tables import Cell, Column, Table


def pair_table(study: Study) -> Table:
    """One row per cell that two or more warm pairs measured."""
    columns = (
        Column("payload", "payload", data_unit="bytes"),
        Column("arm", "arm"),
        *([Column("window", "window")] if study.windows != [0] else []),
        Column("pairs", "pairs"),
        Column("n", "n"),
        Column("between", "between pairs", "%"),
        Column("within", "within a pair", "%"),
    )
    rows = []
    for key, cell in study.cells.items():
        if study.cold or len(cell.groups) < 2:
            continue
        found = statistics.pair_variance([group.values for group in cell.groups])
        make = CellNumbers(study, key, "pairs")
        row: dict[str, Cell] = {
            **labels(key),
            "pairs": make.whole("pairs", found.pairs, "pairs", "count of launched pairs"),
            "n": make.count(),
            "between": make.scaled("between", 100 * found.between, "%", "standard deviation between pairs' medians"),
            "within": make.scaled("within", 100 * found.within, "%", "scaled MAD of samples within a pair"),
        }
        rows.append(row)
    note = "Standard deviations relative to the median; what repetitions alone explain is taken off between pairs."
    return Table("pairs", "Differences between pairs and within them", columns, tuple(rows), note)
