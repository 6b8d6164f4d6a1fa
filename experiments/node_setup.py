"""The setup records of a run: each node read before and after, and what the engines saw of themselves. Thin edge.

Used by experiments.run_prepare, experiments.run_experiment and doctor; `experiments.setup_record` knows what to read.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from experiments.binding import Binding
from experiments.config_site import Site
from experiments.engine_command import engine_path
from experiments.launchers.base import Launcher
from experiments.preflight import NodeView
from experiments.setup_record import Asked, RunOnNode, collect, engine_facts, facts_of, take_snapshot
from store.errors import Exit, LabError
from store.facts import Fact

NODE_TIMEOUT_S = 120.0
OWN_PATH_FACTS = ("environment.UCX_LOG_FILE",)  # names the pair's folder, so it says nothing of the setup


def runner_on(launcher: Launcher, node: str) -> RunOnNode:
    """Runs short commands on a node. LabError (exit 5) when the node does not answer in time."""

    def run(argv: Sequence[str], text: str) -> tuple[int, str, str]:
        try:
            done = subprocess.run(
                launcher.tool(argv, node),
                input=text,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=NODE_TIMEOUT_S,
                start_new_session=True,
            )
        except subprocess.TimeoutExpired:
            raise LabError(
                f"node {node} did not answer within {NODE_TIMEOUT_S:.0f} s", exit_code=Exit.CANNOT_RUN
            ) from None
        except OSError as error:
            raise LabError(f"node {node}: {error}", exit_code=Exit.CANNOT_RUN) from error
        if (lost := launcher.lost(node, done.returncode)) is not None:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1].strip()
            raise LabError(f"{lost}: {last}", advice=launcher.advice(done.stderr), exit_code=Exit.CANNOT_RUN)
        return done.returncode, done.stdout, done.stderr

    return run


def view_node(
    launcher: Launcher, site: Site, name: str, *, store: Path, ucx_prefixes: Sequence[str], engine: Path | None
) -> NodeView:
    """One node, read in one call: texts and facts. `store`: where runs are written, on this machine.

    LabError (exit 5) where the node cannot be read.
    """
    there = None if engine is None else launcher.path_on(name, engine)
    asked = Asked(tuple(ucx_prefixes), there, (launcher.path_on(name, store),))
    snapshot = take_snapshot(runner_on(launcher, name), asked)
    return NodeView(snapshot, facts_of(snapshot, control=control_interface(site, name)), engine=there)


def view_nodes(binding: Binding, site: Site, launcher: Launcher, store: Path) -> dict[str, NodeView]:
    """Each node of a binding, read once, with what the binding uses there. LabError (exit 5) as for `view_node`."""
    views: dict[str, NodeView] = {}
    for bound in binding.nodes:
        if bound.name not in views:
            prefixes = () if bound.ucx_prefix is None else (bound.ucx_prefix,)
            view = view_node(launcher, site, bound.name, store=store, ucx_prefixes=prefixes, engine=engine_path())
            views[bound.name] = replace(view, device=bound.device, ucx_prefix=bound.ucx_prefix)
    return views


def read_nodes(binding: Binding, site: Site, launcher: Launcher) -> dict[str, dict[str, Fact]]:
    """The facts of each node of a binding, once per node. LabError (exit 5) where one cannot be read."""
    facts: dict[str, dict[str, Fact]] = {}
    for bound in binding.nodes:
        if bound.name not in facts:
            control = control_interface(site, bound.name)
            facts[bound.name] = collect(runner_on(launcher, bound.name), control=control, ucx_prefix=bound.ucx_prefix)
    return facts


def engine_saw(binding: Binding, pair_folder: Path) -> dict[str, dict[str, Fact]]:
    """Per node, what the engines of a pair said of themselves; a description that is not there says nothing."""
    facts: dict[str, dict[str, Fact]] = {bound.name: {} for bound in binding.nodes}
    for bound in binding.nodes:
        description = _description(pair_folder / f"{bound.role}.json")
        found = engine_facts(description) if description else {}
        facts[bound.name] |= {key: fact for key, fact in found.items() if key not in OWN_PATH_FACTS}
    return facts


def _description(path: Path) -> Mapping[str, object]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def control_interface(site: Site, node: str) -> str | None:
    """The interface of the control path on a node, as the site names it."""
    if site.control is None:
        return None
    interface = site.control.interface
    return interface.get(node) if isinstance(interface, dict) else interface
