"""`list`: the experiments with their question, what they need, how long they take, and whether they can run here."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from cli.list_runs import list_runs
from cli.plan import told_seconds
from cli.resolving import LaneOption, SiteOption
from cli.stored import StoreOption
from experiments.config import load_lane, names
from experiments.planner_memory import pinned_need
from experiments.resolve import resolve
from experiments.sizes import rough_size
from store.errors import Exit, LabError
from store.names import default_store

_CAVEATS = {
    "emulated_get": "no RDMA measurement",
    "never_run_on_hardware": "never run on hardware by us",
    "unaccelerated": "a floor, not the hardware",
}


def list_experiments(
    filters: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE]...", help="With --runs: only runs that fit, by column or setup fact."),
    ] = None,
    *,
    runs: Annotated[bool, typer.Option("--runs", help="The stored runs instead.")] = False,
    site: SiteOption = None,
    lane: LaneOption = None,
    store: StoreOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON.")] = False,
) -> None:
    """List the experiments: name, question, needs, time estimate, runnable here or why not."""
    if runs:
        list_runs(default_store(store), filters or (), as_json=as_json)
        return
    if filters:
        raise LabError("filters choose among stored runs", advice="add --runs", exit_code=Exit.USAGE)
    rows = [_row(name, site, lane) for name in names("experiment")]
    if as_json:
        print(json.dumps({"experiments": rows, "lanes": [_lane(name) for name in names("lane")]}, indent=2))
        return
    print("\n".join([line for row in rows for line in _told(row)] + ["lanes"] + _told_lanes()))


def _row(name: str, site: str | None, lane: str | None) -> dict[str, Any]:
    try:
        resolved = resolve(name, site=site, lane=lane)
    except LabError as error:
        return {"name": name, "question": None, "runnable": False, "why_not": error.message, "advice": error.advice}
    need = pinned_need(resolved.plan)
    row: dict[str, Any] = {
        "name": name,
        "question": resolved.plan["question"],
        "lane": resolved.lane_name,
        "site": resolved.site_name,
        "needs": [*resolved.lane.needs, *resolved.plan["require"]],
        "pinned_bytes": max(need.owner, need.consumer),
        "estimate_s": None,
        "runnable": True,
        "why_not": None,
        "advice": None,
    }
    try:
        row["estimate_s"] = resolved.binding().estimate_s
    except LabError as error:
        row |= {"runnable": False, "why_not": error.message, "advice": error.advice}
    return row


def _told(row: dict[str, Any]) -> list[str]:
    if row["question"] is None:
        return [f"{row['name']}", *(f"  {line}" for line in row["why_not"].splitlines())]
    state = f"about {told_seconds(row['estimate_s'])}" if row["runnable"] else f"not here: {row['why_not']}"
    needs = ", ".join(row["needs"])
    lines = [
        f"{row['name']:<16}  {row['question']}",
        f"{'':<16}  on {row['site']}/{row['lane']}, {state}",
        f"{'':<16}  needs {needs}; {rough_size(row['pinned_bytes'])} pinned",
    ]
    return [*lines, f"{'':<16}  {row['advice']}"] if row["advice"] else lines


def _lane(name: str) -> dict[str, Any]:
    lane = load_lane(name)
    return {"name": name, "description": lane.description, "needs": list(lane.needs), "caveats": list(lane.caveats)}


def _told_lanes() -> list[str]:
    lines = []
    for name in names("lane"):
        lane = _lane(name)
        caveats = "".join(f"; {_CAVEATS.get(caveat, caveat)}" for caveat in lane["caveats"])
        lines.append(f"  {name:<14}  {lane['description']}{caveats}")
    return lines
