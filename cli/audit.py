"""`audit [RUN|DIR|ARCHIVE ...]`: is each record what was sealed, what proves its lane, what it allows to conclude."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from cli.audit_rows import row_of
from cli.stored import StoreOption
from store.audit import AuditRow
from store.errors import Exit, LabError
from store.names import ARCHIVE_SUFFIX, default_store, find_run, is_archive, is_run, run_names

COLUMNS = ("run", "integrity", "blocks", "lane", "staging", "allows", "forbids", "notes")
SHOWN = 5
"""So many numbers of a report that do not hold are named; `--json` has all."""
DEEP_RUNS = 100
"""Up to so many runs the samples are read and reports computed again, unless the command line says otherwise."""


def audit(
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN|DIR|ARCHIVE", help="Runs, folders of runs, archives; default: the store."),
    ] = None,
    store: StoreOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="The rows as JSON.")] = False,
    deep: Annotated[
        bool | None,
        typer.Option("--deep/--quick", help=f"Also samples, verdicts, reports; default: up to {DEEP_RUNS} runs."),
    ] = None,
) -> int:
    """Audit runs: integrity, completeness, lane, conclusions, reports. Exit 1 when one does not hold."""
    folder = default_store(store)
    places = places_of(what or [], folder)
    thorough = len(places) <= DEEP_RUNS if deep is None else deep
    if not thorough:
        print(f"{len(places)} runs: by their records; `audit --deep` also reads samples and reports", file=sys.stderr)
    rows = [row_of(place, folder, deep=thorough) for place in places]
    if as_json:
        print(json.dumps({"runs": [row.as_json() for row in rows]}, indent=1))
    else:
        print(table(rows))
    broken = [row for row in rows if not row.holds]
    for row in broken:
        print(f"{row.run}: {'; '.join(filter(None, (row.integrity.text, *_wrong(row))))}", file=sys.stderr)
    return Exit.FAILED if broken else Exit.DONE


def places_of(what: Sequence[str], store: Path) -> list[Path]:
    """Folders and archives that the words name: a run each, or all runs of a folder; no word means the whole store."""
    if not what:
        return [store / name for name in run_names(store)]
    places: list[Path] = []
    for word in what:
        place = Path(word)
        if is_archive(place):
            places.append(place)
        elif place.is_dir() and not is_run(place):
            inside = [place / name for name in run_names(place)] + sorted(place.glob(f"*{ARCHIVE_SUFFIX}"))
            if not inside:
                raise LabError(f"{word} holds no runs", exit_code=Exit.USAGE)
            places += inside
        else:
            places.append(find_run(word, store))
    return places


def table(rows: Sequence[AuditRow]) -> str:
    """The rows as aligned text; one that does not hold says so in capitals."""
    if not rows:
        return "no runs"
    cells = [
        (
            row.run,
            _integrity(row),
            row.complete,
            row.lane,
            row.staging,
            ", ".join(row.allows) or "nothing",
            ", ".join(row.forbids) or "-",
            "; ".join((*_wrong(row), *row.notes)),
        )
        for row in rows
    ]
    widths = [max(len(line[column]) for line in [COLUMNS, *cells]) for column in range(len(COLUMNS))]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in [COLUMNS, *cells]
    ]
    return "\n".join(lines)


def _wrong(row: AuditRow) -> list[str]:
    """What does not hold in its reports, the first of it where it is much."""
    more = [f"and {len(row.wrong) - SHOWN} more"] if len(row.wrong) > SHOWN else []
    return [*row.wrong[:SHOWN], *more]


def _integrity(row: AuditRow) -> str:
    if row.holds:
        return row.integrity.status
    if row.integrity.status not in ("ok", "unsealed") or not row.wrong:
        return row.integrity.status.upper()
    return "UNREADABLE" if row.state == "unreadable" else "REPORT"
