"""The tables of runs as files, in the formats asked for. Used by `cli tables`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from analysis.numbers import plain
from analysis.published import reviewed
from analysis.report_tables import all_tables
from analysis.study import Study
from analysis.tables import Table, to_csv, to_json, to_markdown, to_parquet
from store.figures import is_figures, open_figures


def table_files(runs: Sequence[Path], formats: Sequence[str]) -> dict[str, bytes]:
    """File name -> bytes: one file for md and json, one per table for csv and parquet."""
    tables = _tables(runs)
    files: dict[str, bytes] = {}
    for word in formats:
        if word == "md":
            parts = [f"## {table.title}\n\n{plain(to_markdown(table))}\n{plain(table.note)}\n" for table in tables]
            files["tables.md"] = "\n".join(parts).encode()
        elif word == "json":
            files["tables.json"] = to_json(tables).encode()
        elif word == "csv":
            files |= {f"{table.id}.csv": to_csv(table).encode() for table in tables}
        else:
            files |= {f"{table.id}.parquet": to_parquet(table) for table in tables}
    return files


def _tables(runs: Sequence[Path]) -> Sequence[Table]:
    """The tables of measured runs, or those of one folder of figures of others."""
    if len(runs) == 1 and is_figures(runs[0]):
        return reviewed(open_figures(runs[0])).tables
    return all_tables(Study.of_runs(runs))
