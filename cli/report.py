"""`report RUN...`: renders tables, plots, verdicts and caveats of runs; `--check` renders again and compares bytes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cli.stored import StoreOption
from store.archive import run_folder
from store.errors import Exit
from store.names import default_store, is_archive, reports_folder


def report(
    runs: Annotated[list[str], typer.Argument(metavar="RUN", help="A run, and refinements of it.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="The report's folder; default: reports/ beside the runs."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Render again; fail on any byte that differs from the stored report.")
    ] = False,
    store: StoreOption = None,
) -> int:
    """Render the report of one or several runs. stdout carries the path of report.md, stderr the answers."""
    from reports.render import check_report, render_report

    folder = default_store(store)
    paths = [run_folder(run, folder) for run in runs]
    if out is not None:
        place = out
    elif is_archive(Path(runs[0])):
        place = Path(runs[0]).absolute().parent / "reports" / paths[0].name
    else:
        place = report_place(paths, folder)
    if check:
        found = check_report(paths, place)
        for difference in found:
            print(difference, file=sys.stderr)
        if not found:
            print(f"{place}: the same bytes, rendered again", file=sys.stderr)
        return int(Exit.FAILED if found else Exit.DONE)
    result = render_report(paths, place)
    for answer in result.answers:
        print(f"answer    {answer}", file=sys.stderr)
    for caveat in result.caveats:
        print(f"caveat    {caveat}", file=sys.stderr)
    print(result.path)
    return int(Exit.DONE)


def report_place(paths: list[Path], store: Path) -> Path:
    """reports/<run>, or reports/<run>+<id of each further run>; published runs have their reports in the checkout."""
    from store.names import PUBLISHED, ROOT

    first, *others = paths
    if first.parent == PUBLISHED:
        return ROOT / "reports" / "published" / first.name
    name = "+".join([first.name, *(path.name.rsplit("-", 1)[-1] for path in others)])
    return reports_folder(store if first.parent == store else first.parent) / name
