"""The tables of a report, made from a study: every number in them is in the study's ledger. One file per table."""

from analysis.report_tables.registry import all_tables, summary_table

__all__ = ["all_tables", "summary_table"]
