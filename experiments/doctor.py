"""The preflight of every lane on a site, without a plan: what `doctor` and `site check` show. Starts no measurement."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from experiments.binding import device_of
from experiments.config import load_lane
from experiments.config_lane import Lane
from experiments.config_site import Site
from experiments.engine_command import engine_path
from experiments.inherited_env import kept_by_site, refuse_inherited
from experiments.node_setup import view_node
from experiments.preflight import Check, NodeView, examine
from experiments.runnable import local_devices, obstacle
from experiments.site_launcher import launcher_of
from experiments.testbeds import ensure
from experiments.ucx_prefix import chosen_prefix, resolve_prefix
from store.errors import Exit, LabError


@dataclass(frozen=True)
class LaneVerdict:
    """One lane: whether it can run between the site's two roles, or why not; and every check that was made for it."""

    name: str
    refusal: LabError | None
    checks: tuple[Check, ...] = ()
    device: str | None = None

    @property
    def runnable(self) -> bool:
        """Whether nothing refuses it."""
        return self.refusal is None


@dataclass(frozen=True)
class Examination:
    """All of it: the nodes as they were read, and the verdict on each lane."""

    site_name: str
    roles: tuple[str, str]
    nodes: dict[str, NodeView]
    lanes: tuple[LaneVerdict, ...]

    @property
    def exit_code(self) -> Exit:
        """0 where a lane can run, else the first refusal's."""
        if any(lane.runnable for lane in self.lanes):
            return Exit.DONE
        return next((lane.refusal.exit_code for lane in self.lanes if lane.refusal), Exit.CANNOT_RUN)


def examine_site(
    site_name: str, site: Site, lane_names: Sequence[str], store: Path, say: Callable[[str], None]
) -> Examination:
    """Reads the nodes once and judges each lane. LabError (exit 5) where a node cannot be reached or read."""
    site = ensure(site, say)
    launcher = launcher_of(site, store)
    owner, consumer = site.node_of("owner"), site.node_of("consumer")
    lanes = {name: load_lane(name) for name in lane_names}
    prefixes = {name: _prefix(site, lane) for name, lane in lanes.items()}
    usable = tuple(dict.fromkeys(prefix for prefix in prefixes.values() if isinstance(prefix, str)))
    nodes: dict[str, NodeView] = {}
    for node in (owner, consumer):
        if node.name not in nodes:
            say(f"reading node {node.name}")
            view = view_node(launcher, site, node.name, store=store, ucx_prefixes=usable, engine=_engine())
            nodes[node.name] = view
    verdicts = []
    for name, lane in lanes.items():
        refused = obstacle(name, lane, site_name, site, local_devices()) or _inherited(site, name, lane)
        prefix = prefixes[name]
        if isinstance(prefix, LabError):
            refused = refused or prefix
        if refused is not None:
            verdicts.append(LaneVerdict(name, refused))
            continue
        views = {
            node.name: replace(
                nodes[node.name],
                device=device_of(node, name),
                ucx_prefix=prefix if isinstance(prefix, str) else None,
            )
            for node in (owner, consumer)
        }
        found = examine(name, lane, views, owner=owner.name, consumer=consumer.name)
        failing = next((check for check in found.checks if check.status == "failed"), None)
        refusal = found.refusal() or (failing.refusal() if failing else None)
        verdicts.append(LaneVerdict(name, refusal, found.checks))
    return Examination(site_name, (owner.name, consumer.name), nodes, tuple(verdicts))


def _prefix(site: Site, lane: Lane) -> str | LabError | None:
    """The lane's UCX on the nodes, None where it needs none; the error where there is none of that name."""
    if lane.backend != "ucx":
        return None
    written = chosen_prefix(site.ucx.prefix if site.ucx else None, lane.ucx_prefix, os.environ)
    if site.launcher != "local" and "/" in written:
        return written
    try:
        return str(resolve_prefix(written, os.environ))
    except LabError as error:
        return error


def _inherited(site: Site, lane_name: str, lane: Lane) -> LabError | None:
    try:
        refuse_inherited(kept_by_site(os.environ, site.env), lane_name, {**lane.env, **site.env})
    except LabError as error:
        return error
    return None


def _engine() -> Path | None:
    """The engine, or None where it is not built: the doctor also helps before."""
    try:
        return engine_path()
    except LabError:
        return None
