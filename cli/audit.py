"""`audit [RUN|DIR ...]`: is each record still what was sealed, how complete is it, what is its lane's evidence."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from cli.stored import StoreOption
from store.audit import AuditRow, audit_run
from store.errors import Exit, LabError
from store.figures import is_figures, open_figures
from store.names import default_store, find_run, is_run, run_names

COLUMNS = ("run", "integrity", "blocks", "lane", "staging", "notes")


def audit(
    what: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN|DIR]...", help="Runs or folders of runs; default: the store.")
    ] = None,
    store: StoreOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="The rows as JSON.")] = False,
) -> int:
    """Audit runs: integrity, completeness, lane evidence. Exit 1 when a record is not what it claims to be."""
    rows = [_row(path) for path in runs_of(what or [], default_store(store))]
    if as_json:
        print(json.dumps({"runs": [row.as_json() for row in rows]}, indent=1))
    else:
        print(table(rows))
    broken = [row for row in rows if not row.holds]
    for row in broken:
        print(f"{row.run}: {row.integrity.text or '; '.join(row.notes)}", file=sys.stderr)
    return Exit.FAILED if broken else Exit.DONE


def _row(path: Path) -> AuditRow:
    """The record's own row; figures of others also say what their review found."""
    row = audit_run(path)
    if not is_figures(path) or row.state == "unreadable":
        return row
    from analysis.published import reviewed

    review = reviewed(open_figures(path))
    return replace(row, lane=review.lane, staging=review.staging, notes=(*row.notes, *review.audit_notes()))


def runs_of(what: Sequence[str], store: Path) -> list[Path]:
    """The run folders that the words name: a run each, or every run of a folder; no word means the whole store."""
    if not what:
        return [store / name for name in run_names(store)]
    paths: list[Path] = []
    for word in what:
        folder = Path(word)
        if folder.is_dir() and not is_run(folder):
            inside = [folder / name for name in run_names(folder)]
            if not inside:
                raise LabError(f"{word} holds no runs", exit_code=Exit.USAGE)
            paths += inside
        else:
            paths.append(find_run(word, store))
    return paths


def table(rows: Sequence[AuditRow]) -> str:
    """The rows as aligned text; a broken one says so in capitals."""
    if not rows:
        return "no runs"
    cells = [
        (
            row.run,
            row.integrity.status if row.holds else row.integrity.status.upper(),
            row.complete,
            row.lane,
            row.staging,
            "; ".join(row.notes),
        )
        for row in rows
    ]
    widths = [max(len(line[column]) for line in [COLUMNS, *cells]) for column in range(len(COLUMNS))]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in [COLUMNS, *cells]
    ]
    return "\n".join(lines)
