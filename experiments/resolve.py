"""From what a person typed to what can run: experiment, lane and site by name, the plan and its digest.

Called by `plan` and `run`. Starts nothing but, where an engine is built, its `--describe`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from experiments.binding import Binding, bind, local_facts
from experiments.capabilities import ask_engine, check_built
from experiments.config import LoadedExperiment, load_defaults, load_experiment, load_lane, load_site
from experiments.config_lane import Lane
from experiments.config_site import Site
from experiments.planner import canonical, digest, make_plan
from experiments.runnable import local_devices, obstacle
from experiments.ucx_prefix import chosen_prefix, resolve_prefix


@dataclass(frozen=True)
class Resolved:
    """An experiment, its lane and site, and the plan; the binding is made on demand."""

    loaded: LoadedExperiment
    lane_name: str
    lane: Lane
    site_name: str
    site: Site
    plan: dict[str, Any]

    @cached_property
    def plan_bytes(self) -> bytes:
        """The canonical plan, as it stands in `plan.json`."""
        return canonical(self.plan)

    @cached_property
    def digest(self) -> str:
        """The plan digest in hex."""
        return digest(self.plan)

    def binding(self) -> Binding:
        """Where and how the plan would run. LabError when it cannot, with the reason."""
        found = obstacle(self.lane_name, self.lane, self.site_name, self.site, local_devices())
        if found is not None:
            raise found
        return bind(self.plan, self.lane, self.site_name, self.site, local_facts())


def resolve(
    name_or_file: str,
    *,
    site: str | None = None,
    lane: str | None = None,
    overrides: Sequence[str] = (),
    with_site: Site | None = None,
) -> Resolved:
    """Loads and plans. `with_site` stands in for a site file where a testbed has just made the nodes.

    Raises LabError: exit 2 for whatever is wrong in name, file, --set, --lane or --site.
    """
    loaded = load_experiment(name_or_file, overrides)
    lane_name = lane or loaded.experiment.lane
    found_lane = load_lane(lane_name)
    site_name = site or load_defaults().site
    found_site = with_site or load_site(site_name)
    plan = make_plan(loaded.name, loaded.experiment, lane_name, found_lane, loaded.seed)
    return Resolved(loaded, lane_name, found_lane, site_name, found_site, plan)


def check_engine(plan: dict[str, Any], engine: Path) -> None:
    """LabError (exit 5) when the engine cannot do what the plan asks. It needs some UCX to start, no matter which."""
    library = resolve_prefix(chosen_prefix(None, None, os.environ), os.environ) / "lib"
    check_built(plan, ask_engine(engine, {"LD_LIBRARY_PATH": str(library), "LC_ALL": "C"}))
