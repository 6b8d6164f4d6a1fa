"""Plan + lane + site -> binding: where and how a plan runs. Stored beside the plan, not part of its digest.

Pure but for `local_facts`. Called by `plan`, `list` and `run`; the preflight puts in the device that a selector found
with `with_device`. docs/formats.md describes the file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, get_args

from pydantic import Field

from experiments.config_fields import ConfigModel
from experiments.config_lane import Lane
from experiments.config_site import Node, Role, Site
from experiments.cores import local_cores, pinning
from experiments.planner_estimate import estimate_seconds
from experiments.sizes import format_size
from experiments.ucx_prefix import chosen_prefix, resolve_prefix
from store.errors import Exit, LabError

DEVICE_VARIABLE: Final = "UCX_NET_DEVICES"
VERBS_DEVICE_VARIABLE: Final = "RDMALAB_DEVICE"
"""On lanes without UCX the engine itself reads which port to drive."""


class BoundNode(ConfigModel):
    """One role of the pair on its node; `env` is what its engine gets beside the lane's own variables."""

    noun: ClassVar[str] = "a bound node"
    name: str
    role: Role
    address: str
    device: str | None = None
    env: dict[str, str] = Field(default_factory=dict)
    cpus: list[int] = Field(default_factory=list)
    ucx_prefix: str | None = None


class Binding(ConfigModel):
    """`binding.json`."""

    noun: ClassVar[str] = "a binding"
    format: Literal["rdmalab.binding"] = "rdmalab.binding"
    version: Literal[1] = 1
    site: str
    launcher: Literal["local", "ssh", "slurm"]
    nodes: Annotated[tuple[BoundNode, BoundNode], Field(strict=False)]
    exchange: Literal["dir", "tcp"]
    estimate_s: float

    def node(self, role: Role) -> BoundNode:
        """The node that plays `role`."""
        return next(node for node in self.nodes if node.role == role)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a binding takes from this host: its cores, its environment, its UCX run times."""

    cores: Sequence[Sequence[int]] = ()
    environ: Mapping[str, str] = field(default_factory=dict)
    run_times: Path | None = None


def local_facts() -> Facts:
    """The facts of this host."""
    return Facts(cores=local_cores(), environ=os.environ)


def bind(plan: Mapping[str, Any], lane: Lane, site_name: str, site: Site, facts: Facts) -> Binding:
    """The binding of a plan. LabError when the site cannot bear it (exit 2), or its UCX is not there (exit 5)."""
    _check_sizes(plan, site_name, site)
    threads = 2 if any(arm.get("progress") == "thread" for arm in plan["arms"]) else 1
    local = site.launcher == "local"
    owner_cpus, consumer_cpus = pinning(facts.cores, threads) if local else ([], [])
    prefix = _prefix(lane, site, facts)
    lane_name = str(plan["lane"]["name"])
    cpus = {"owner": owner_cpus, "consumer": consumer_cpus}
    owner, consumer = (
        _bound(role, site, lane_name, lane).model_copy(update={"cpus": cpus[role], "ucx_prefix": prefix})
        for role in get_args(Role)
    )
    return Binding(
        site=site_name,
        launcher=site.launcher,
        nodes=(owner, consumer),
        exchange=site.exchange,
        estimate_s=estimate_seconds(plan, site.estimate or lane.estimate),
    )


def with_device(binding: Binding, role: Role, device: str) -> Binding:
    """The binding with the device that was found for a role."""
    changed = [
        node.model_copy(update={"device": device, "env": {**node.env, DEVICE_VARIABLE: device}})
        if node.role == role
        else node
        for node in binding.nodes
    ]
    return binding.model_copy(update={"nodes": tuple(changed)})


def device_of(node: Node, lane_name: str) -> str | None:
    """The device that the site names for a lane on a node, or None."""
    return node.device.get(lane_name) if isinstance(node.device, dict) else node.device


def _bound(role: Role, site: Site, lane_name: str, lane: Lane) -> BoundNode:
    node = site.node_of(role)
    device = device_of(node, lane_name)
    variable = {} if device is None else {device_variable(lane): device}
    env = {**site.env, **node.env, **variable}
    return BoundNode(name=node.name, role=role, address=node.address, device=device, env=env)


def device_variable(lane: Lane) -> str:
    """The variable that names the port to whatever drives it."""
    return DEVICE_VARIABLE if lane.backend == "ucx" else VERBS_DEVICE_VARIABLE


def _prefix(lane: Lane, site: Site, facts: Facts) -> str:
    """The UCX run time: a resolved path where the engine runs here or on a shared disk; on a node $VARIABLE stays."""
    written = chosen_prefix(site.ucx.prefix if site.ucx else None, lane.ucx_prefix, facts.environ)
    if site.launcher != "local" and (written.startswith("$") or "/" in written):
        return written
    arguments = () if facts.run_times is None else (facts.run_times,)
    return str(resolve_prefix(written, facts.environ, *arguments))


def _check_sizes(plan: Mapping[str, Any], site_name: str, site: Site) -> None:
    largest = site.limits.max_size
    kept = [size for size in plan["sizes"] if largest is None or size <= largest]
    if largest is None or len(kept) == len(plan["sizes"]):
        return
    fewer = f"--set sizes=[{','.join(format_size(size) for size in kept)}]" if kept else "choose smaller sizes"
    raise LabError(
        f"site {site_name} takes payloads up to {format_size(largest)}, the plan has {format_size(max(plan['sizes']))}",
        advice=fewer,
        exit_code=Exit.USAGE,
    )
