"""`list --runs [KEY=VALUE ...]`: the stored runs, from the disposable index, filtered by column or any setup fact.

Which of them are withdrawn is looked up beside the runs each time: it is no part of what the index keeps.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from store.annotations import withdrawals
from store.index import Filter, IndexRow, RunIndex

COLUMNS = ("run", "status", "experiment", "site/lane", "blocks", "samples", "failed", "withdrawn")


def list_runs(store: Path, filters: Sequence[str], *, as_json: bool) -> None:
    """Print the runs of a store that fit every filter, oldest first. LabError (exit 2) for what is no filter."""
    wanted = [Filter.parse(text) for text in filters]
    with RunIndex.open(store) as index:
        index.refresh()
        rows = index.rows(wanted)
    withdrawn = withdrawals(store)
    if as_json:
        listed = [
            {key: value for key, value in asdict(row).items() if key != "stamp"}
            | {"withdrawn": withdrawn.get(row.name)}
            for row in rows
        ]
        print(json.dumps({"runs": listed}, indent=1))
    else:
        print(_table(rows, withdrawn))


def _table(rows: Sequence[IndexRow], withdrawn: Mapping[str, str]) -> str:
    if not rows:
        return "no runs"
    cells = [
        (
            row.name,
            row.status,
            row.experiment,
            f"{row.site}/{row.lane}",
            f"{row.blocks_done}/{row.blocks_planned}",
            str(row.samples),
            str(row.failed),
            withdrawn.get(row.name, ""),
        )
        for row in rows
    ]
    shown = len(COLUMNS) if any(line[-1] for line in cells) else len(COLUMNS) - 1
    widths = [max(len(line[column]) for line in (COLUMNS, *cells)) for column in range(shown)]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=False)).rstrip()
        for line in (COLUMNS, *cells)
    )
