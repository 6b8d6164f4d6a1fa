"""Nodes of other hardware as snapshots: what ibv_devinfo and sysfs print there, in their shape, with own values."""

from __future__ import annotations

from experiments.config import load_lane
from experiments.config_lane import Lane
from experiments.preflight.preflight import NodeView
from experiments.setup_record import facts_of
from experiments.setup_record.snapshot import CommandText, Snapshot

_LAYERS = {"InfiniBand": "InfiniBand", "Ethernet": "Ethernet"}


def device_text(
    name: str, *ports: str, transport: str = "InfiniBand (0)", part: int = 4129, fw: str = "28.43.1014"
) -> str:
    """One device of `ibv_devinfo`."""
    return (
        f"hca_id:\t{name}\n\ttransport:\t\t\t{transport}\n\tfw_ver:\t\t\t\t{fw}\n"
        f"\tnode_guid:\t\t\t0a1b:2c03:0004:0506\n\tsys_image_guid:\t\t\t0a1b:2c03:0004:0506\n"
        f"\tvendor_id:\t\t\t0x02c9\n\tvendor_part_id:\t\t\t{part}\n\thw_ver:\t\t\t\t0x0\n"
        f"\tphys_port_cnt:\t\t\t{max(1, len(ports))}\n" + "".join(ports) + "\n"
    )


def port_text(
    layer: str | None,
    state: str = "PORT_ACTIVE (4)",
    *,
    number: int = 1,
    lid: int = 0,
    sm: int = 0,
    mtu: int = 4096,
    speed: str = "100.0 Gbps (128)",
    physical: str = "LINK_UP (5)",
    gids: str = "",
) -> str:
    """One port of `ibv_devinfo -v`, four lanes wide."""
    code = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}[mtu]
    link = f"\t\t\tlink_layer:\t\t{layer}\n" if layer else ""
    return (
        f"\t\tport:\t{number}\n\t\t\tstate:\t\t\t{state}\n\t\t\tmax_mtu:\t\t4096 (5)\n"
        f"\t\t\tactive_mtu:\t\t{mtu} ({code})\n\t\t\tsm_lid:\t\t\t{sm}\n\t\t\tport_lid:\t\t{lid}\n"
        f"\t\t\tport_lmc:\t\t0x00\n{link}\t\t\tactive_width:\t\t4X (2)\n\t\t\tactive_speed:\t\t{speed}\n"
        f"\t\t\tphys_state:\t\t{physical}\n{gids}"
    )


def gid_text(*entries: tuple[int, str, str]) -> str:
    """GID table lines: index, address, type."""
    return "".join(f"\t\t\tGID[{index:3d}]:\t\t{address}, {kind}\n" for index, address, kind in entries)


LINK_LOCAL = "fe80:0000:0000:0000:0a1b:2cff:fe03:0405"


def roce_gids(last: int) -> str:
    """The usual four: link-local and IPv4, each as v1 and v2."""
    ipv4 = f"::ffff:198.51.100.{last}"
    return gid_text((0, LINK_LOCAL, "RoCE v1"), (1, LINK_LOCAL, "RoCE v2"), (2, ipv4, "RoCE v1"), (3, ipv4, "RoCE v2"))


def node(*devices: str, memlock: str = "unlimited", **files: str) -> Snapshot:
    """A node whose ibv_devinfo prints these devices."""
    limits = f"Limit              Soft Limit  Hard Limit  Units\nMax locked memory  {memlock}  {memlock}  bytes\n"
    text = "".join(devices)
    return Snapshot(
        files={"/proc/self/limits": limits, "/proc/self/status": "CapEff:\t0000000000000000\n", **files},
        commands={"ibv_devinfo": CommandText(0 if text else 255, text, "" if text else "No IB devices found\n")},
    )


def view(snapshot: Snapshot, device: str | None = None, control: str | None = None) -> NodeView:
    """The node as the preflight takes it."""
    return NodeView(snapshot, facts_of(snapshot, control=control), device)


def lane(name: str) -> Lane:
    """A lane that ships."""
    return load_lane(name)


def infiniband(lid: int, sm: int = 3, **more: object) -> str:
    """An active InfiniBand port at 400 Gb/s."""
    return port_text("InfiniBand", lid=lid, sm=sm, **more)  # type: ignore[arg-type]


def published_node(lid: int, ib: str = "mlx5_2") -> Snapshot:
    """The published set-up: two Ethernet ports, one of them active, and one InfiniBand port at 400 Gb/s."""
    slow = "25.0 Gbps (32)"
    active = device_text("mlx5_0", port_text("Ethernet", mtu=1024, speed=slow, gids=roce_gids(lid)), part=4127)
    dark = port_text("Ethernet", "PORT_DOWN (1)", mtu=1024, speed=slow, physical="DISABLED (3)")
    return node(active, device_text("mlx5_1", dark, part=4127), device_text(ib, infiniband(lid)))
