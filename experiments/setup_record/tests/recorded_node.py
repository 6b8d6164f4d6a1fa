"""An invented node with two mlx5 devices, for tests of whoever reads snapshots: shapes as on real nodes, own values."""

from __future__ import annotations

from dataclasses import replace

from experiments.setup_record.snapshot import CommandText, Snapshot

IB = "/sys/class/infiniband"


def port_files(device: str, *, link_layer: str, state: str, rate: str, **other: str) -> dict[str, str]:
    """sysfs files of a device's port 1."""
    base = f"{IB}/{device}/ports/1"
    files = {
        "link_layer": link_layer,
        "state": state,
        "rate": rate,
        "phys_state": "5: LinkUp" if state.startswith("4") else "3: Disabled",
        "lid": "0xffff",
        "sm_lid": "0x0",
    } | other
    return {f"{base}/{name.replace('__', '/')}": value + "\n" for name, value in files.items()}


def recorded_node() -> Snapshot:
    """mlx5_0 is Ethernet 25 Gb/s with three GIDs, mlx5_1 InfiniBand 400 Gb/s on LID 12 behind two PCIe hops."""
    device = "/sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0"
    files = {
        "/proc/cpuinfo": "processor\t: 0\nmodel name\t: Example CPU\nmicrocode\t: 0x2b\n"
        "cpu MHz\t\t: 2400.5\nflags\t\t: fpu\n\nprocessor\t: 1\nmodel name\t: Example CPU\ncpu MHz\t\t: 2399.5\n",
        "/proc/meminfo": "MemTotal:  1024 kB\nMemAvailable: 512 kB\nSwapTotal: 100 kB\nSwapFree: 60 kB\n",
        "/proc/self/limits": "Limit              Soft Limit  Hard Limit  Units\n"
        "Max locked memory  65536       unlimited   bytes\n",
        "/proc/self/status": "Name:\tpython3\nCapEff:\t0000000000004000\n",
        "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
        "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
        "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "3\n",
        "/sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count": "4\n",
        "/sys/class/net/eth0/speed": "-1\n",
        "/sys/class/net/eth0/mtu": "1500\n",
        "/sys/class/net/eth0/statistics/rx_bytes": "77\n",
        f"{IB}/mlx5_1/fw_ver": "28.43.1014\n",
        f"{IB}/mlx5_1/hca_type": "MT4129\n",
        f"{IB}/mlx5_1/board_id": "\n",
        f"{IB}/mlx5_1/device/numa_node": "1\n",
        f"{device}/current_link_speed": "32.0 GT/s PCIe\n",
        f"{device}/current_link_width": "16\n",
        "/sys/devices/pci0000:40/0000:40:01.0/current_link_speed": "16.0 GT/s PCIe\n",
        "/sys/devices/pci0000:40/0000:40:01.0/current_link_width": "8\n",
    }
    files |= port_files(
        "mlx5_1",
        link_layer="InfiniBand",
        state="4: ACTIVE",
        rate="400 Gb/sec (4X NDR)",
        lid="0xc",
        sm_lid="0x3",
        counters__port_rcv_data="99",
    )
    zero = "0000:0000:0000:0000:0000:0000:0000:0000"
    files |= port_files(
        "mlx5_0",
        link_layer="Ethernet",
        state="4: ACTIVE",
        rate="25 Gb/sec (1X EDR)",
        lid="0x0",
        gids__0="fe80:0000:0000:0000:0202:c9ff:fe00:0001",
        gids__3="0000:0000:0000:0000:0000:ffff:c633:6407",
        gids__4=zero,
        gid_attrs__types__0="RoCE v2",
        gid_attrs__types__3="RoCE v2",
    )
    return Snapshot(
        files=files,
        denied=frozenset({"/proc/sys/kernel/numa_balancing"}),
        links={f"{IB}/mlx5_1/device": device, f"{IB}/mlx5_1/device/driver": "/sys/bus/pci/drivers/mlx5_core"},
        commands={"packages": CommandText(0, "rdma-core 44.0-2\nlibibverbs1 44.0-2\n", "")},
        uname=("Linux", "n17", "6.1.0-9-amd64", "#1 SMP Debian", "x86_64"),
        page_size=4096,
        cpus_allowed=(0, 1, 2, 5),
        copy_bytes_per_second=12.345e9,
        clock_offset_s=0.002,
        clock_uncertainty_s=0.2,
    )


def with_files(node: Snapshot, **files: str) -> Snapshot:
    """The node with more or other files; keys are paths."""
    return replace(node, files={**node.files, **files})
