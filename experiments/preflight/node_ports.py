"""The RDMA ports of a node, from every text of its snapshot that tells of ports; and the driver of a device.

Recorded texts of other machines go the same way as a live node: both are snapshots.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from experiments.setup_record.snapshot import Snapshot
from readers import ibv_devinfo, rdma_link
from readers.gids import Gid, parse_gid
from readers.port_drafts import (
    emulation_caveat,
    guid,
    layer_word,
    lid_of,
    physical_word,
    rate_string,
    state_word,
)
from readers.ports import Port, merge

_IB = "/sys/class/infiniband"
_MLX5_PARTS = range(4113, 4200)
"""Part ids of adapters that mlx5 drives, ConnectIB (4113) and ConnectX-4 (4115) upwards."""
_MELLANOX = 0x02C9


def ports_of(node: Snapshot) -> tuple[Port, ...]:
    """Every port, each fact from whichever source has it; where two disagree on its state it is not usable."""
    told = ibv_devinfo.read(node.output("ibv_devinfo") or "").ports
    linked = rdma_link.read(node.output("rdma_link") or "").ports
    return merge((*told, *_sysfs_ports(node), *linked))


def driver_of(node: Snapshot, port: Port) -> str | None:
    """The driver of a port's device: the kernel's link, else what part id or name give away, else None."""
    target = node.links.get(f"{_IB}/{port.device}/device/driver")
    if target:
        return PurePosixPath(target).name
    if port.vendor_id == _MELLANOX or port.part_id in _MLX5_PARTS:
        return "mlx5_core" if port.part_id in _MLX5_PARTS else None
    name = (port.device or "").rstrip("0123456789_")
    return {"mlx5": "mlx5_core", "rxe": "rdma_rxe", "siw": "siw"}.get(name)


def is_mlx5(node: Snapshot, port: Port) -> bool:
    """Whether the accelerated mlx5 transports could drive this port."""
    return (driver_of(node, port) or "").startswith("mlx5")


def _sysfs_ports(node: Snapshot) -> list[Port]:
    found = []
    for path in node.matching(f"{_IB}/*/ports/*/state"):
        parts = PurePosixPath(path).parts
        if parts[6].isdecimal():
            found.append(_sysfs_port(node, parts[4], int(parts[6])))
    return found


def _sysfs_port(node: Snapshot, device: str, number: int) -> Port:
    base = f"{_IB}/{device}/ports/{number}"
    rate, width, speed = rate_string(node.text(f"{base}/rate"))
    layer = layer_word(node.text(f"{base}/link_layer"))
    infiniband = layer == "InfiniBand"
    return Port(
        device=device,
        port=number,
        state=state_word(node.text(f"{base}/state")),
        physical_state=physical_word(node.text(f"{base}/phys_state")),
        link_layer=layer,
        rate_gbps=rate,
        width=width,
        speed=speed,
        lid=lid_of(node.text(f"{base}/lid")) if infiniband else None,
        sm_lid=lid_of(node.text(f"{base}/sm_lid")) if infiniband else None,
        gids=_gids(node, base),
        firmware=node.text(f"{_IB}/{device}/fw_ver"),
        board_id=node.text(f"{_IB}/{device}/board_id"),
        node_guid=guid(node.text(f"{_IB}/{device}/node_guid")),
        netdev=node.text(f"{_IB}/{device}/parent") or node.text(f"{base}/gid_attrs/ndevs/0"),
        caveats=emulation_caveat(device),
    )


def _gids(node: Snapshot, base: str) -> tuple[Gid, ...]:
    gids = []
    for path, address in node.matching(f"{base}/gids/*").items():
        index = PurePosixPath(path).name
        kind = node.text(f"{base}/gid_attrs/types/{index}")
        if index.isdecimal() and (gid := parse_gid(int(index), address, kind)) is not None:
            gids.append(gid)
    return tuple(sorted(gids, key=lambda gid: gid.index))
