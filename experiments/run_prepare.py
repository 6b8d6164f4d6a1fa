"""Everything that must hold before a run starts: plan, reachable nodes, engine, environment, preflight, setup.

Used by experiments.run_experiment. Starts no measurement and writes nothing; what is wrong is a LabError with the exit
code of its kind.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from experiments.binding import Binding, bind, local_facts
from experiments.config import load_lane, load_site
from experiments.config_lane import Lane
from experiments.config_site import Site
from experiments.engine_command import engine_path
from experiments.inherited_env import kept_by_site, refuse_inherited
from experiments.launchers.base import Launcher
from experiments.node_setup import runner_on, view_nodes
from experiments.preflight import examine
from experiments.resolve import check_engine, resolve
from experiments.runnable import local_devices, obstacle
from experiments.site_launcher import launcher_of
from experiments.testbeds.ensure import ensure
from experiments.ucx_on_node import with_prefixes
from store.errors import Exit, LabError
from store.facts import Fact
from store.records import PreflightRecord
from store.run import open_run

Say = Callable[[str, str], None]
"""Takes a line of the log: its label and its text."""


@dataclass(frozen=True)
class RunRequest:
    """What a person asked `run` for: an experiment by name or file, or another run's plan again."""

    experiment: str | None = None
    like: Path | None = None
    site: str | None = None
    lane: str | None = None
    overrides: Sequence[str] = ()
    allow_unmet: bool = False
    retry: int = 0
    parent: str | None = None
    command: Sequence[str] = field(default_factory=list)


@dataclass(frozen=True)
class Planned:
    """What will run: the plan and its bytes, the lane and the site as configured."""

    plan: dict[str, Any]
    plan_bytes: bytes
    lane: Lane
    site_name: str
    site: Site

    @property
    def lane_name(self) -> str:
        """The lane's name."""
        return str(self.plan["lane"]["name"])

    @property
    def digest(self) -> str:
        """The plan digest in hex."""
        return hashlib.sha256(self.plan_bytes).hexdigest()


@dataclass(frozen=True)
class Ready:
    """A plan that may start here and now."""

    planned: Planned
    binding: Binding
    launcher: Launcher
    preflight: PreflightRecord
    facts: dict[str, dict[str, Fact]]

    @property
    def waived(self) -> tuple[str, ...]:
        """Requirements of the plan that do not hold, and were waived, or the run would not be ready."""
        return unmet(self.preflight, self.planned.plan)


def plan_of(request: RunRequest) -> Planned:
    """The plan that a request means. LabError (exit 2) for whatever is wrong in it."""
    if request.like is not None:
        return _same_as(request.like, request)
    if request.experiment is None:
        raise LabError("run what? name an experiment, or --like RUN", exit_code=Exit.USAGE)
    resolved = resolve(request.experiment, site=request.site, lane=request.lane, overrides=request.overrides)
    return Planned(resolved.plan, resolved.plan_bytes, resolved.lane, resolved.site_name, resolved.site)


def planned_again(run: Path) -> Planned:
    """The plan of a stored run, on its own site."""
    return _same_as(run, RunRequest())


def make_ready(
    planned: Planned, store: Path, say: Say, *, allow_unmet: bool = False, binding: Binding | None = None
) -> Ready:
    """Make the nodes reachable and check all that must hold. `binding` is a stored one, to be kept by a resume.

    LabError: exit 3 for an inherited UCX_* variable, 5 for what cannot run here or an unmet requirement.
    """
    site = ensure(planned.site, lambda text: say("testbed", text))
    plan = planned.plan
    found = obstacle(planned.lane_name, planned.lane, planned.site_name, site, local_devices())
    if found is not None:
        raise found
    if binding is None:
        binding = bind(plan, planned.lane, planned.site_name, site, local_facts())
    declared = {**plan["lane"]["env"], **binding.node("consumer").env}
    refuse_inherited(kept_by_site(os.environ, site.env), planned.lane_name, declared)
    check_engine(plan, engine_path())
    launcher = launcher_of(site, store)
    binding = with_prefixes(binding, site, lambda node: runner_on(launcher, node))
    views = view_nodes(binding, site, launcher, store)
    examined = examine(
        planned.lane_name,
        planned.lane,
        views,
        owner=binding.node("owner").name,
        consumer=binding.node("consumer").name,
        plan=plan,
    )
    refused = examined.refusal()
    if refused is not None:
        raise refused
    binding, preflight = examined.applied_to(binding), examined.record()
    lacking = unmet(preflight, plan)
    if lacking and not allow_unmet:
        failed = next(c for c in preflight.checks if c.requirement == lacking[0] and c.status == "failed")
        where = f"{failed.node}: " if failed.node else ""
        raise LabError(
            f"requirement {lacking[0]} does not hold: {where}{failed.result}",
            advice=f"{failed.advice or 'doctor shows every check'}; --allow-unmet runs anyway, with a caveat",
            exit_code=Exit.CANNOT_RUN,
        )
    facts = {name: dict(view.facts) for name, view in views.items()}
    return Ready(replace(planned, site=site), binding, launcher, preflight, facts)


def unmet(preflight: PreflightRecord, plan: dict[str, Any]) -> tuple[str, ...]:
    """The plan's requirements that a check answers with no, in the plan's order."""
    failed = {check.requirement for check in preflight.checks if check.status == "failed"}
    return tuple(name for name in plan.get("require", []) if name in failed)


def _same_as(path: Path, request: RunRequest) -> Planned:
    if request.experiment is not None or request.lane is not None or request.overrides:
        raise LabError(
            "--like repeats a run's plan as it is: no experiment, no --lane and no --set with it", exit_code=Exit.USAGE
        )
    run = open_run(path)
    site_name = request.site or str((run.binding or {}).get("site", "local"))
    lane = load_lane(str(run.plan["lane"]["name"]))
    return Planned(run.plan, (path / "plan.json").read_bytes(), lane, site_name, load_site(site_name))
