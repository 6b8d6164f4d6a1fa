"""Which tables a report has, in order. A new table is one file here and one entry in MAKERS."""

from __future__ import annotations

from collections.abc import Callable

from analysis.report_tables.advantage import advantage_table
from analysis.report_tables.excluded import excluded_table
from analysis.report_tables.first import first_table
from analysis.report_tables.latency import latency_table
from analysis.report_tables.pairs import pair_table
from analysis.report_tables.percentiles import percentile_table
from analysis.report_tables.summary import summary_table
from analysis.study import Study
from analysis.tables import Table

MAKERS: tuple[Callable[[Study], Table], ...] = (
    latency_table,
    advantage_table,
    first_table,
    percentile_table,
    pair_table,
    excluded_table,
)


def all_tables(study: Study) -> list[Table]:
    """Every table that has rows. The summary of the first screen is not among them: it repeats their numbers."""
    return [table for make in MAKERS if (table := make(study)).rows]


__all__ = ["MAKERS", "all_tables", "summary_table"]
