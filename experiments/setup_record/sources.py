"""Where the facts of a node stand: the files, links and commands that the node's program reads. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

IB = "/sys/class/infiniband/*"

GLOBS = (
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/cmdline",
    "/proc/version",
    "/proc/loadavg",
    "/proc/uptime",
    "/proc/vmstat",
    "/proc/pressure/*",
    "/proc/self/limits",
    "/proc/self/status",
    "/proc/self/cgroup",
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/kernel/numa_balancing",
    "/etc/os-release",
    "/sys/class/dmi/id/sys_vendor",
    "/sys/class/dmi/id/product_name",
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/isolated",
    "/sys/devices/system/cpu/smt/active",
    "/sys/devices/system/cpu/intel_pstate/no_turbo",
    "/sys/devices/system/cpu/cpufreq/boost",
    "/sys/devices/system/cpu/vulnerabilities/*",
    "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
    "/sys/devices/system/cpu/cpu*/cpufreq/scaling_driver",
    "/sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count",
    "/sys/devices/system/cpu/cpu*/thermal_throttle/package_throttle_count",
    "/sys/devices/system/node/node*/cpulist",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "/sys/kernel/mm/hugepages/*/nr_hugepages",
    "/sys/kernel/mm/hugepages/*/free_hugepages",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/class/net/*/speed",
    "/sys/class/net/*/mtu",
    "/sys/class/net/*/operstate",
    "/sys/class/net/*/address",
    "/sys/class/net/*/statistics/*_bytes",
    "/sys/class/net/*/statistics/*_errors",
    "/sys/class/net/*/statistics/*_dropped",
    f"{IB}/fw_ver",
    f"{IB}/hca_type",
    f"{IB}/board_id",
    f"{IB}/node_guid",
    f"{IB}/sys_image_guid",
    f"{IB}/node_type",
    f"{IB}/parent",
    f"{IB}/device/device",
    f"{IB}/device/vendor",
    f"{IB}/device/numa_node",
    f"{IB}/device/aer_dev_correctable",
    f"{IB}/device/aer_dev_fatal",
    f"{IB}/device/aer_dev_nonfatal",
    f"{IB}/ports/*/state",
    f"{IB}/ports/*/phys_state",
    f"{IB}/ports/*/link_layer",
    f"{IB}/ports/*/rate",
    f"{IB}/ports/*/lid",
    f"{IB}/ports/*/sm_lid",
    f"{IB}/ports/*/counters/*",
    f"{IB}/ports/*/hw_counters/*",
    f"{IB}/hw_counters/*",
    "/sys/module/mlx5_core/version",
    "/sys/module/rdma_rxe/version",
    "/sys/module/rdma_rxe/srcversion",
    "/sys/module/ib_core/version",
    "/sys/module/ib_uverbs/version",
)

GID_TABLES = {
    "values": f"{IB}/ports/*/gids/*",
    "empty": "0000:0000:0000:0000:0000:0000:0000:0000",
    "beside": ["gid_attrs/types", "gid_attrs/ndevs"],
}

LINKS = (f"{IB}/device/driver", "/sys/class/net/*/device/driver", "/dev/infiniband/*")

PCIE_NAMES = ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width")

COMMANDS: dict[str, list[str]] = {
    "ibv_devinfo": ["ibv_devinfo", "-v"],
    "rdma_link": ["rdma", "link"],
    "addresses": ["ip", "-o", "-4", "addr", "show", "up"],
    "packages": ["dpkg-query", "-W", "-f", "${Package} ${Version}\\n", "rdma-core", "libibverbs1", "ibverbs-providers"],
    "packages_rpm": ["rpm", "-q", "--qf", "%{NAME} %{VERSION}-%{RELEASE}\\n", "rdma-core", "libibverbs"],
}


@dataclass(frozen=True)
class Asked:
    """What is asked of a node beside the standing sources; paths are the node's own.

    `ucx_prefixes`: their libraries are hashed, and the first one's `ucx_info` describes it. `engine`: that
    file is hashed. `folders`: the space that is left there.
    """

    ucx_prefixes: tuple[str, ...] = ()
    engine: str | None = None
    folders: tuple[str, ...] = ()


def spec_of(asked: Asked) -> dict[str, Any]:
    """What the node's program is to read."""
    commands = dict(COMMANDS)
    hashes = ["/etc/ucx/ucx.conf"]
    for prefix in asked.ucx_prefixes:
        own = ["env", f"LD_LIBRARY_PATH={prefix}/lib", f"{prefix}/bin/ucx_info", "-v"]
        commands.setdefault("ucx_info", own)
        hashes += [f"{prefix}/lib/libuc?.so.0", f"{prefix}/lib/ucx/lib*.so.0", f"{prefix}/etc/ucx/ucx.conf"]
    if asked.engine is not None:
        hashes.append(asked.engine)
    return {
        "globs": list(GLOBS),
        "tables": GID_TABLES,
        "links": list(LINKS),
        "upward": {"from": [f"{IB}/device"], "names": list(PCIE_NAMES)},
        "commands": commands,
        "command_env": {"LC_ALL": "C"},
        "hashes": hashes,
        "spaces": list(asked.folders),
        "timeout_s": 30,
        "max_bytes": 256 * 1024,
    }
