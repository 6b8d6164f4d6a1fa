"""`compare A B [--across KEY,...]`: what differs in the verdicts, then in the cells, with statistics."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from cli.stored import AfterArgument, BeforeArgument, StoreOption
from store.archive import run_folder
from store.errors import Exit
from store.names import default_store

if TYPE_CHECKING:
    from analysis.compare import CellChange, RunComparison


def compare(
    before: BeforeArgument,
    after: AfterArgument,
    *,
    across: Annotated[
        str, typer.Option("--across", metavar="KEY,...", help="Identity facts that may differ: nic.firmware, kernel.")
    ] = "",
    store: StoreOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> int:
    """Compare run B with run A. Refuses when their setups differ in anything that --across does not name."""
    from analysis.compare import compare_runs
    from analysis.study import Study

    folder = default_store(store)
    one, other = (Study.of_runs([run_folder(run, folder)]) for run in (before, after))
    named = [word.strip() for word in across.split(",") if word.strip()]
    found = compare_runs(one, other, named)
    print(json.dumps(asdict(found), indent=1) if as_json else text_of(found))
    return int(Exit.DONE)


def text_of(found: RunComparison) -> str:
    """The comparison for a terminal: setup, verdicts, cells."""
    lines = [f"then  {found.before}", f"now   {found.after}", f"setup {found.attribution}"]
    lines += [f"      {each.key}: {each.before} -> {each.after}" for each in found.differences]
    for verdict in found.verdicts:
        lines += ["", f"{verdict.kind} of {verdict.subject}"]
        if verdict.before == verdict.after:
            lines.append(f"  then and now  {verdict.before}")
        else:
            lines += [f"  then  {verdict.before}", f"  now   {verdict.after}"]
    lines += ["", f"cells: time now / time then; noise floor {found.noise_floor:.3f}"]
    lines += [_cell(each) for each in found.cells]
    if found.only_in_one:
        lines.append(f"{len(found.only_in_one)} cells are in one of the runs only")
    return "\n".join(lines)


def _cell(each: CellChange) -> str:
    from analysis import units

    ratio = f"{each.ratio:.3f}"
    if each.interval is not None:
        ratio += f" ({each.interval.low:.3f}..{each.interval.high:.3f})"
    said = each.changed or f"no change claimed: {each.why}"
    window = f" window {each.key.window}" if each.key.window else ""
    return f"  {units.size(each.key.size):>10}{window}  {each.key.arm:<20}  {ratio:<24}  {said}"
