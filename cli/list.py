"""`list`: the experiments with their question, what they need, how long they take, and whether they can run here."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from cli.plan import told_seconds
from cli.resolving import LaneOption, SiteOption
from cli.stored import StoreOption
from experiments.config import load_defaults, load_lane, load_site, names
from experiments.config_site import Site
from experiments.planner_memory import pinned_need
from experiments.resolve import resolve
from experiments.sizes import rough_size
from store.errors import Exit, LabError
from store.names import default_store

_KEYS = (
    "name",
    "question",
    "lane",
    "site",
    "needs",
    "pinned_bytes",
    "estimate_s",
    "runnable",
    "why_not",
    "advice",
)
_CAVEATS = {
    "emulated_get": "no RDMA measurement",
    "never_run_on_hardware": "never run on hardware by us",
    "unaccelerated": "a floor, not the hardware",
}


def list_experiments(
    filters: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY=VALUE", help="With --runs: only runs that fit, by column or setup fact."),
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
        from cli.list_runs import list_runs  # the index brings libraries that the experiments do not need

        list_runs(default_store(store), filters or (), as_json=as_json)
        return
    if filters:
        raise LabError("filters choose among stored runs", advice="add --runs", exit_code=Exit.USAGE)
    site_name = site or load_defaults().site
    where = load_site(site_name)
    if lane is not None:
        load_lane(lane)
    rows = [_row(name, site_name, where, lane) for name in names("experiment")]
    if as_json:
        print(json.dumps({"experiments": rows, "lanes": [_lane(name) for name in names("lane")]}, indent=2))
        return
    print("\n".join([line for row in rows for line in _told(row)] + ["lanes"] + _told_lanes()))


def _row(name: str, site_name: str, site: Site, lane: str | None) -> dict[str, Any]:
    """What the list says of one experiment; `question` is None where its file has mistakes."""
    row: dict[str, Any] = dict.fromkeys(_KEYS) | {"name": name, "site": site_name, "runnable": False}
    try:
        resolved = resolve(name, site=site_name, lane=lane, with_site=site)
        need = pinned_need(resolved.plan)
        row |= {
            "question": resolved.plan["question"],
            "lane": resolved.lane_name,
            "needs": [*resolved.lane.needs, *resolved.plan["require"]],
            "pinned_bytes": max(need.owner, need.consumer),
        }
        row |= {"estimate_s": resolved.binding().estimate_s, "runnable": True}
    except LabError as error:
        row |= {"why_not": error.message, "advice": error.advice}
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
