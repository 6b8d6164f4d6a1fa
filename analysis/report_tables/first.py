"""The first transfer of each arm in each pair, with its wire-up, apart from the warm figures."""

from __future__ import annotations

import numpy as np

from analysis import units
from analysis.first_transfers import FirstTransfers, first_transfers
from analysis.numbers import Number
from analysis.report_tables.cell_numbers import DIGITS, US
from analysis.study import Study
from analysis.tables import Cell, Column, Label, Table


def first_table(study: Study) -> Table:
    """One row per arm: how many pairs, the wire-up and the whole first transfer, medians and extremes."""
    columns = (
        Column("arm", "arm"),
        Column("n", "n"),
        Column("wireup", "wire-up median", "us"),
        Column("wireup_min", "min", "us"),
        Column("wireup_max", "max", "us"),
        Column("total", "first transfer median", "us"),
        Column("total_min", "min", "us"),
        Column("total_max", "max", "us"),
        Column("payloads", "payloads", data=False),
    )
    rows = tuple(_row(study, found) for found in first_transfers(study).values())
    note = "The first transfer of an arm in a pair of processes, wire-up included. It stands in no warm figure."
    if study.cold:
        note = "In a cold run every sample is a first transfer, and its total holds the wire-up."
    return Table("first", "First transfers", columns, rows, note)


def _row(study: Study, found: FirstTransfers) -> dict[str, Cell]:
    n = int(found.wireup_ns.size)

    def us(column: str, source: str, ns: float, statistic: str) -> Number:
        return study.ledger.add(
            f"first/{found.arm}/{column}",
            ns / US,
            units.significant(ns / US, DIGITS),
            unit="us",
            formula=f"{statistic} of {source} of first transfers",
            n=n,
            sources=found.of(source),
        )

    row: dict[str, Cell] = {
        "arm": Label(found.arm, found.arm),
        "n": study.ledger.add(
            f"first/{found.arm}/n",
            n,
            str(n),
            unit="samples",
            formula="count of first transfers",
            n=n,
            sources=found.sources,
        ),
        "payloads": ", ".join(units.size(int(size)) for size in np.unique(found.sizes)),
    }
    for column, source, ns in (("wireup", "wireup_ns", found.wireup_ns), ("total", "total_ns", found.total_ns)):
        row[column] = us(column, source, float(np.median(ns)), "median")
        row[f"{column}_min"] = us(f"{column}_min", source, float(ns.min()), "minimum")
        row[f"{column}_max"] = us(f"{column}_max", source, float(ns.max()), "maximum")
    return row
