"""The launcher that a site names: the one list of ways to start a process on a node."""

from __future__ import annotations

from experiments.config_site import Site
from experiments.launchers.base import Launcher
from experiments.launchers.local import LocalLauncher
from store.errors import Exit, LabError


def launcher_of(site: Site) -> Launcher:
    """The launcher of a site whose nodes exist. LabError (exit 5) for one that this version does not have."""
    if site.launcher == "local":
        return LocalLauncher()
    raise LabError(f"launcher {site.launcher} is not built in this version", exit_code=Exit.CANNOT_RUN)
