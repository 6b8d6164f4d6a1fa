"""Whether an experiment can run on a site, or why not: the quick look of `list` and `plan`, which starts nothing.

The preflight of a run looks deeper, on the nodes themselves; what is refused here is refused there too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from experiments.config_lane import Lane
from experiments.config_site import Site
from store.errors import Exit, LabError

RDMA_DEVICES: Final = Path("/sys/class/infiniband")


def local_devices(folder: Path = RDMA_DEVICES) -> list[str]:
    """The RDMA devices of this host, by the kernel's list."""
    return sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []


def obstacle(lane_name: str, lane: Lane, site_name: str, site: Site, devices: list[str]) -> LabError | None:
    """The first reason why the lane cannot run on the site, or None. `devices` are those of this host."""
    nodes = {site.node_of("owner").name, site.node_of("consumer").name}
    if "same_host" in lane.needs and len(nodes) > 1:
        return _cannot(f"lane {lane_name} is for one host, site {site_name} has two", "--lane tcp, or --site local")
    wants_port = "rdma_port" in lane.needs and site.launcher == "local"
    if wants_port and not devices:
        return _cannot(
            f"lane {lane_name} needs an RDMA port, and this host has none",
            "./rdmalab testbed softroce up makes two nodes that have one; then --site softroce",
        )
    if wants_port and "mlx5_port" in lane.needs and not any(name.startswith("mlx5") for name in devices):
        return _cannot(f"lane {lane_name} needs an mlx5 adapter, here are: {', '.join(devices)}", "--lane rc_verbs")
    return None


def _cannot(message: str, advice: str) -> LabError:
    return LabError(message, advice=advice, exit_code=Exit.CANNOT_RUN)
