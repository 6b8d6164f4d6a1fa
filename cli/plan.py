"""`plan NAME`: what would run, in which order, where, and for how long. Starts nothing."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from cli.resolving import LaneOption, NameArgument, SetOption, SiteOption
from experiments.engine_command import engine_path
from experiments.planner_memory import pinned_need
from experiments.resolve import Resolved, check_engine, resolve
from experiments.sizes import format_size, rough_size
from store.errors import LabError

_SHOWN_BLOCKS = 3
_SHOWN_CELLS = 6


def plan(
    name: NameArgument,
    site: SiteOption = None,
    lane: LaneOption = None,
    set_: SetOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The canonical plan alone; its SHA-256 is the digest.")
    ] = False,
) -> None:
    """Show the resolved cells, order, seed, bytes, digest and the binding of an experiment; start nothing."""
    resolved = resolve(name, site=site, lane=lane, overrides=set_ or ())
    if as_json:
        sys.stdout.buffer.write(resolved.plan_bytes)
        sys.stdout.buffer.flush()
        return
    _check_where_built(resolved)
    print("\n".join([*_head(resolved), *_arms(resolved.plan), *_blocks(resolved.plan), *_binding(resolved)]))


def _check_where_built(resolved: Resolved) -> None:
    """What the engine cannot do is refused where there is one to ask; before the build there is none."""
    try:
        engine = engine_path()
    except LabError:
        return
    check_engine(resolved.plan, engine)


def _head(resolved: Resolved) -> list[str]:
    plan = resolved.plan
    samples = sum(len(block["cells"]) for block in plan["blocks"])
    size_of = [cell["size"] for cell in plan["cells"]]
    moved = sum(size_of[cell] for block in plan["blocks"] for cell in block["cells"])
    need = pinned_need(plan)
    sizes = ", ".join(format_size(size) for size in plan["sizes"])
    return [
        f"{plan['experiment']}: {plan['question']}",
        f"samples   {len(plan['arms'])} arms x {len(plan['sizes'])} sizes x {plan['reps']} reps"
        f"{' x ' + str(plan['pairs']) + ' pairs' if plan['pair'] == 'warm' and plan['pairs'] > 1 else ''}"
        f" = {samples} in {len(plan['blocks'])} blocks, {plan['pair']} pair{'s' if plan['pairs'] > 1 else ''}",
        f"sizes     {sizes}",
        f"bytes     {rough_size(moved)} moved; pinned at most {rough_size(need.owner)} (owner), "
        f"{rough_size(need.consumer)} (consumer)",
        f"order     {plan['order']}, seed {plan['seed']}",
        f"digest    {resolved.digest}",
    ]


def _arms(plan: dict[str, Any]) -> list[str]:
    width = max(len(arm["name"]) for arm in plan["arms"])
    return ["arms"] + [f"  {arm['name']:<{width}}  {_arm(arm)}" for arm in plan["arms"]]


def _arm(arm: dict[str, Any]) -> str:
    return _operation_arm(arm) if "mode" in arm else _rendezvous_arm(arm)


def _operation_arm(arm: dict[str, Any]) -> str:
    bound = f"{arm['iterations']} messages" if arm["iterations"] else f"{arm['duration_ms']} ms"
    parts = [arm["op"], arm["mode"], f"{bound} a sample", f"{arm['memory']} memory"]
    parts.append(f"working set {format_size(arm['working_set_bytes'])}")
    if arm["op"] == "send":
        parts.append(f"{arm['recv_depth']} receives posted")
    if arm["inline_bytes"]:
        parts.append(f"inline up to {format_size(arm['inline_bytes'])}")
    if arm["peer"]:
        parts.append(f"measured by {arm['peer']}")
    return ", ".join(parts)


def _rendezvous_arm(arm: dict[str, Any]) -> str:
    parts = [arm["path"], f"{arm['op']} as {arm['read']}", f"via {arm['via']}", f"staging {arm['staging']}"]
    if arm["read"] == "get":
        parts.append(f"copy {arm['copy']} into {arm['destination']} memory")
    parts.append(f"min_bytes {format_size(arm['min_bytes'])}")
    if arm["path"] == "chunked":
        parts.append(f"chunks of {format_size(arm['chunk'])}, {arm['depth']} in flight")
    if arm["kill_switch"]:
        parts.append("kill switch on")
    return ", ".join(parts)


def _blocks(plan: dict[str, Any]) -> list[str]:
    lines = ["blocks"]
    for index, block in enumerate(plan["blocks"][:_SHOWN_BLOCKS]):
        cells = [plan["cells"][cell] for cell in block["cells"]]
        names = [f"{plan['arms'][cell['arm']]['name']} {format_size(cell['size'])}" for cell in cells]
        more = f", and {len(names) - _SHOWN_CELLS} more" if len(names) > _SHOWN_CELLS else ""
        warm_up = " (warm-up)" if block["warmup"] else ""
        lines.append(
            f"  {index}: pair {block['pair']} rep {block['rep']}{warm_up}: {', '.join(names[:_SHOWN_CELLS])}{more}"
        )
    if len(plan["blocks"]) > _SHOWN_BLOCKS:
        lines.append(f"  and {len(plan['blocks']) - _SHOWN_BLOCKS} more")
    return lines


def _binding(resolved: Resolved) -> list[str]:
    title = f"binding   site {resolved.site_name}, lane {resolved.lane_name}"
    try:
        binding = resolved.binding()
    except LabError as error:
        return [f"{title}: cannot run here: {error.message}", *([f"  {error.advice}"] if error.advice else [])]
    lines = [f"{title}, about {told_seconds(binding.estimate_s)}"]
    for node in binding.nodes:
        cpus = f"CPU {', '.join(map(str, node.cpus))}" if node.cpus else "not pinned"
        lines.append(
            f"  {node.role:<8}  {node.name}, {node.device or 'any device'}, {cpus}, UCX {node.ucx_prefix or 'none'}"
        )
    return lines


def told_seconds(seconds: float) -> str:
    """`about` figures for people: 8 s, 2 min, 1.5 h."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
