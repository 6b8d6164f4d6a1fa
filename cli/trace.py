"""`trace REPORT#ID`: one number of a report back to its formula, n, sample lines, setup facts and caveats."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.stored import StoreOption
from store.errors import Exit, LabError

if TYPE_CHECKING:
    from reports.trace import Trace


def trace(
    number: Annotated[
        str, typer.Argument(metavar="REPORT#ID", help="A report.md or its folder, and an id, or L42 for a line.")
    ],
    *,
    store: StoreOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, with every line's value.")] = False,
) -> int:
    """Show where a number comes from."""
    report, mark, name = number.rpartition("#")
    if not mark or not report or not name:
        raise LabError(
            f"{number!r} names no number",
            advice="REPORT#ID, for instance report.md#L42, or an id of numbers.json",
            exit_code=Exit.USAGE,
        )
    from reports.trace import trace as trace_numbers

    found = trace_numbers(Path(report), name, store)
    if as_json:
        print(json.dumps([asdict(each) for each in found], indent=1))
    else:
        print("\n\n".join(_text(each) for each in found))
    return int(Exit.DONE)


def _text(found: Trace) -> str:
    entry = found.entry
    lines = [
        f"{found.id} = {entry['printed']} {entry['unit']}".rstrip(),
        f"  value    {entry['value']!r}",
        f"  formula  {entry['formula']}",
        f"  n        {'-' if entry['n'] is None else entry['n']}",
        f"  printed  {', '.join(found.places)}",
    ]
    lines += [f"  samples  {each.column} of {each.run}/{each.text}" for each in found.lines]
    lines += [f"  fact     {key} = {value} ({file})" for file, key, value in found.facts]
    lines += [f"  caveat   {caveat}" for caveat in found.caveats]
    return "\n".join(lines)
