"""What follows a sealed run, in `run` and `resume` alike: what was verified, the report, how to go on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from cli.report import report_place
from cli.run_lines import ended_line, verified_line
from experiments.progress import step
from store.errors import Exit, LabError
from store.records import Manifest
from store.run import open_run


def conclude(
    path: Path,
    manifest: Manifest,
    *,
    report: bool = True,
    as_json: bool = False,
    refined: Path | None = None,
    show_folder: bool = True,
) -> int:
    """Tell how the run ended, render its report where it has one to give, print the folder; return the exit code.

    `refined` is the parent of a child run: the report reads both.
    """
    if manifest.counts.blocks_done:
        step("verified", verified_line(open_run(path)))
    if report and worth_a_report(manifest):
        _report([path] if refined is None else [refined, path])
    if manifest.exit != Exit.DONE:
        step("ended", ended_line(manifest))
    if manifest.counts.blocks_done < manifest.counts.blocks_planned and manifest.exit != Exit.WRONG_LANE:
        step("resume", f"./rdmalab resume {path.name}   runs the missing blocks")
    if as_json:
        sys.stdout.write(manifest.model_copy(update={"files": {}}).model_dump_json() + "\n")
    if show_folder:
        print(shown(path), flush=True)
    return manifest.exit


def worth_a_report(manifest: Manifest) -> bool:
    """A complete run is, also with failed samples in it; a wrong lane never, it could be taken for the right one."""
    complete = manifest.counts.blocks_done == manifest.counts.blocks_planned
    return complete and manifest.exit in (Exit.DONE, Exit.FAILED, Exit.PEER_LOST)


def shown(path: Path) -> str:
    """A path for people: relative where it lies below the working folder."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _report(paths: Sequence[Path]) -> None:
    """Render the report; a failure to render is told and does not undo the run."""
    from reports.render import render_report

    try:
        result = render_report(paths, report_place(list(paths), paths[0].parent))
    except LabError as error:
        step("report", f"not rendered: {error}")
        return
    for answer in result.answers:
        step("answer", str(answer))
    for caveat in result.caveats:
        step("caveats", str(caveat))
    step("report", shown(result.path))
