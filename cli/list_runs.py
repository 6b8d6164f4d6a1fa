"""`list --runs [KEY=VALUE ...]`: the stored runs, from the disposable index, filtered by column or any setup fact."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from store.index import Filter, IndexRow, RunIndex

COLUMNS = ("run", "status", "experiment", "site/lane", "blocks", "samples", "failed")


def list_runs(store: Path, filters: Sequence[str], *, as_json: bool) -> None:
    """Print the runs of a store that fit every filter, oldest first. LabError (exit 2) for what is no filter."""
    wanted = [Filter.parse(text) for text in filters]
    with RunIndex.open(store) as index:
        index.refresh()
        rows = index.rows(wanted)
    if as_json:
        print(json.dumps({"runs": [{k: v for k, v in asdict(row).items() if k != "stamp"} for row in rows]}, indent=1))
    else:
        print(_table(rows))


def _table(rows: Sequence[IndexRow]) -> str:
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
        )
        for row in rows
    ]
    widths = [max(len(line[column]) for line in (COLUMNS, *cells)) for column in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in (COLUMNS, *cells)
    )
