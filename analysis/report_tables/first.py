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
        Column("wireup_max", "wire-up max", "us"),
        Column("total", "first transfer median", "us"),
        Column("payloads", "payloads", data=False),
    )
    rows = tuple(_row(study, found) for found in first_transfers(study).values())
    note = "The first transfer of an arm in a pair of processes, wire-up included. It stands in no warm figure."
    if study.cold:
        note = "In a cold run every sample is a first transfer, and its total holds the wire-up."
    return Table("first", "First transfers", columns, rows, note)


def _row(study: Study, found: FirstTransfers) -> dict[str, Cell]:
    n = int(found.wireup_ns.size)

    def us(column: str, source: str, ns: float, formula: str) -> Number:
        return study.ledger.add(
            f"first/{found.arm}/{column}",
            ns / US,
            units.significant(ns / US, DIGITS),
            unit="us",
            formula=formula,
            n=n,
            sources=found.of(source),
        )

    count = study.ledger.add(
        f"first/{found.arm}/n",
        n,
        str(n),
        unit="samples",
        formula="count of first transfers",
        n=n,
        sources=found.sources,
    )
    return {
        "arm": Label(found.arm, found.arm),
        "n": count,
        "wireup": us(
            "wireup", "wireup_ns", float(np.median(found.wireup_ns)), "median of wireup_ns of first transfers"
        ),
        "wireup_max": us(
            "wireup_max", "wireup_ns", float(found.wireup_ns.max()), "maximum of wireup_ns of first transfers"
        ),
        "total": us("total", "total_ns", float(np.median(found.total_ns)), "median of total_ns of first transfers"),
        "payloads": ", ".join(units.size(int(size)) for size in np.unique(found.sizes)),
    }
