"""Facts of RDMA devices and ports, and of the network interface of the control path. Pure: a Snapshot in, facts out.

Names of devices become one word of a key: `nic.mlx5_2.firmware`, `port.mlx5_2:1.rate`.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from experiments.setup_record.snapshot import Snapshot, measured
from readers import ibv_devinfo
from store.facts import Fact, Status, absent, said

_IB = "/sys/class/infiniband"
_NO_LID = 0xFFFF


def rdma_facts(node: Snapshot) -> dict[str, Fact]:
    """Facts of every RDMA device and port that sysfs shows; `rdma.devices` is absent where it shows none."""
    names = sorted({PurePosixPath(path).parts[4] for path in node.files if path.startswith(_IB + "/")}, key=_natural)
    facts: dict[str, Fact] = {"rdma.devices": measured(names, _IB) if names else absent(_IB)}
    for name in names:
        facts.update(_device(node, name))
        facts.update(_pcie(node, name))
        for port in sorted(
            {PurePosixPath(path).parts[6] for path in node.files if path.startswith(f"{_IB}/{name}/ports/")}
        ):
            facts.update(_port(node, name, port))
    facts.update(_told_by_verbs(node))
    facts.update(_packages(node))
    return facts


def control_facts(node: Snapshot, interface: str | None) -> dict[str, Fact]:
    """Facts of the interface that carries control messages and the chunked path, as the site names it."""
    if interface is None:
        return {"control.interface": absent("control: {interface} of the site")}
    base = f"/sys/class/net/{interface}"
    facts = {
        "control.interface": Fact(interface, None, "control: {interface} of the site", Status.DECLARED),
        # -1 is the kernel's word for a link whose speed is not known (virtual, or down).
        "control.rate": node.fact(f"{base}/speed", "Mbit/s", _not_negative),
        "control.mtu": node.fact(f"{base}/mtu", "bytes", int),
        "control.state": node.fact(f"{base}/operstate"),
        "control.driver": _driver(node, f"{base}/device/driver"),
    }
    for path in node.matching(f"{base}/statistics/*"):
        facts[f"control.counter.{PurePosixPath(path).name}"] = node.fact(path, None, int)
    return facts


def _device(node: Snapshot, name: str) -> Iterator[tuple[str, Fact]]:
    base, key = f"{_IB}/{name}", f"nic.{name}"
    yield f"{key}.firmware", node.fact(f"{base}/fw_ver")
    yield f"{key}.part", node.fact(f"{base}/hca_type")
    yield f"{key}.pci_id", node.fact(f"{base}/device/device")
    yield f"{key}.pci_vendor", node.fact(f"{base}/device/vendor")
    yield f"{key}.board", node.fact(f"{base}/board_id")
    yield f"{key}.node_guid", node.fact(f"{base}/node_guid")
    yield f"{key}.sys_image_guid", node.fact(f"{base}/sys_image_guid")
    yield f"{key}.parent", node.fact(f"{base}/parent")
    # -1: the firmware tells no node.
    yield (
        f"{key}.numa_node",
        node.fact(f"{base}/device/numa_node", None, lambda text: int(text) if int(text) >= 0 else None),
    )
    driver = _driver(node, f"{base}/device/driver")
    yield f"{key}.driver", driver
    module = driver.value if isinstance(driver.value, str) else "rdma_rxe" if node.text(f"{base}/parent") else "ib_core"
    yield f"{key}.driver_version", node.fact(f"/sys/module/{module}/version")


def _pcie(node: Snapshot, name: str) -> Iterator[tuple[str, Fact]]:
    """Speed and width of each link from the device up to the root port, hop 0 being the device's own."""
    key, where = f"nic.{name}.pcie", node.links.get(f"{_IB}/{name}/device")
    hops: list[str] = []
    while where and where.startswith("/sys/devices/"):
        if f"{where}/current_link_speed" in node.files:
            hops.append(where)
        where = str(PurePosixPath(where).parent)
    yield f"{key}.hops", said(len(hops) or None, f"{_IB}/{name}/device")
    for number, hop in enumerate(hops):
        yield f"{key}.hop{number}.speed", node.fact(f"{hop}/current_link_speed", "GT/s", _gigatransfers)
        yield f"{key}.hop{number}.width", node.fact(f"{hop}/current_link_width", "lanes", _lanes)
        yield f"{key}.hop{number}.max_speed", node.fact(f"{hop}/max_link_speed", "GT/s", _gigatransfers)
        yield f"{key}.hop{number}.max_width", node.fact(f"{hop}/max_link_width", "lanes", _lanes)
    for kind in ("correctable", "nonfatal", "fatal"):
        path = f"{_IB}/{name}/device/aer_dev_{kind}"
        total = re.search(r"^TOTAL_\w+ (\d+)$", node.text(path) or "", re.MULTILINE)
        yield f"{key}.errors.{kind}", said(int(total.group(1)) if total else None, path, "errors")


def _port(node: Snapshot, device: str, port: str) -> Iterator[tuple[str, Fact]]:
    base, key = f"{_IB}/{device}/ports/{port}", f"port.{device}:{port}"
    yield f"{key}.state", node.fact(f"{base}/state", None, _after_number)
    yield f"{key}.physical_state", node.fact(f"{base}/phys_state", None, _after_number)
    yield f"{key}.link_layer", node.fact(f"{base}/link_layer")
    yield f"{key}.rate", node.fact(f"{base}/rate", "Gb/s", lambda text: float(text.split()[0]))
    width = re.search(r"\((\d+X)", node.text(f"{base}/rate") or "")
    yield f"{key}.width", said(width.group(1) if width else None, f"{base}/rate")
    infiniband = node.text(f"{base}/link_layer") == "InfiniBand"
    for name in ("lid", "sm_lid"):
        # LIDs of an Ethernet port mean nothing; 0xffff is "no LID yet", 0 as sm_lid is "no subnet manager".
        fact = node.fact(f"{base}/{name}", None, lambda text: _lid(int(text, 16)))
        yield f"{key}.{name}", fact if infiniband else absent(f"{base}/{name}")
    yield f"{key}.gids", said(gid_table(node, device, port) or None, f"{base}/gids")
    for folder in ("counters", "hw_counters"):
        for path in node.matching(f"{base}/{folder}/*"):
            counter = PurePosixPath(path).name
            if counter != "lifespan":
                unit = "words of 4 bytes" if counter in ("port_rcv_data", "port_xmit_data") else None
                yield f"{key}.counter.{counter}", node.fact(path, unit, int)


def _told_by_verbs(node: Snapshot) -> Iterator[tuple[str, Fact]]:
    """What only `ibv_devinfo -v` tells: the MTU in use, the adapter's part id, sometimes its firmware."""
    source = "ibv_devinfo -v"
    for port in ibv_devinfo.read(node.output("ibv_devinfo") or "").ports:
        if port.device is not None:
            yield f"nic.{port.device}.part_id", said(port.part_id, source)
            yield f"nic.{port.device}.vendor_id", said(port.vendor_id, source)
            if node.text(f"{_IB}/{port.device}/fw_ver") is None:  # rxe leaves its file empty
                yield f"nic.{port.device}.firmware", said(port.firmware, source)
        if port.device is not None and port.port is not None:
            yield f"port.{port.name}.mtu", said(port.active_mtu, source, "bytes")


def gid_table(node: Snapshot, device: str, port: str) -> list[str]:
    """The filled entries of a port's GID table as `index type address`, IPv4-mapped ones as IPv4."""
    base = f"{_IB}/{device}/ports/{port}"
    entries = []
    for path, text in node.matching(f"{base}/gids/*").items():
        index = PurePosixPath(path).name
        try:
            address = ipaddress.IPv6Address(text)
        except ValueError:
            continue
        if int(address) == 0:
            continue
        kind = node.text(f"{base}/gid_attrs/types/{index}") or "type not told"
        entries.append((int(index), f"{index} {kind} {address.ipv4_mapped or address}"))
    return [line for _, line in sorted(entries)]


def _packages(node: Snapshot) -> Iterator[tuple[str, Fact]]:
    listed = (node.output("packages") or "") + (node.output("packages_rpm") or "")
    versions = dict(line.split(None, 1) for line in listed.splitlines() if len(line.split()) == 2)
    yield "rdma.core_version", said(versions.get("rdma-core"), "package rdma-core")
    ibverbs = versions.get("libibverbs1") or versions.get("libibverbs")
    yield "rdma.ibverbs_version", said(ibverbs, "package libibverbs")


def _driver(node: Snapshot, link: str) -> Fact:
    target = node.links.get(link)
    return said(PurePosixPath(target).name if target else None, link)


def _natural(name: str) -> tuple[str | int, ...]:
    return tuple(int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name))


def _gigatransfers(text: str) -> float:
    return float(text.split(maxsplit=1)[0])


def _lanes(text: str) -> int | None:
    return int(text) or None


def _not_negative(text: str) -> int | None:
    return int(text) if int(text) >= 0 else None


def _after_number(text: str) -> str:
    """`4: ACTIVE` as `ACTIVE`."""
    return text.partition(":")[2].strip() or text


def _lid(number: int) -> int | None:
    return None if number == _NO_LID else number
