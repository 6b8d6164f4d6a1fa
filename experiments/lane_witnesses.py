"""The witnesses of a lane beside the consumer's protocol table: the owner's key, the paths taken, the ports' counters.

Pure. `lane_proof` asks each of them; a report shows what each says. A witness that is absent proves nothing and refutes
nothing; one that contradicts refutes the lane.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

SUPPORTS: Final = "supports"
CONTRADICTS: Final = "contradicts"
ABSENT: Final = "absent"

_NIC_TRANSPORTS = ("rc_", "dc_", "ud_", "srd_", "verbs")
_WITHIN_HOST = (
    "self tcp sysv posix cma knem xpmem cuda gdr_copy rocm ze_ rdmacm sockcm".split()  # noqa: SIM905 a list of names
)


@dataclass(frozen=True, slots=True)
class Witness:
    """One witness: its name, what it says of the lane (supports, contradicts, absent), in words, and its figures."""

    name: str
    says: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"name": self.name, "says": self.says, "text": self.text, "data": dict(self.data)}


@dataclass(frozen=True, slots=True)
class PortCounters:
    """Counters of one port before and after the transfers, by sysfs name; None where the node has none."""

    node: str
    role: str
    port: str
    mtu: int | None
    before: Mapping[str, int] | None
    after: Mapping[str, int] | None


def uses_nic(transports: Iterable[str]) -> bool:
    """Whether a lane's transports move the bytes through an RDMA adapter."""
    return any(transport.startswith(_NIC_TRANSPORTS) for transport in transports)


def registered_domains(md_map: str | int | None, domains: Sequence[str]) -> tuple[str, ...] | None:
    """Names of the memory domains in a packed key's map (a number, or its hexadecimal text), or None where unknown."""
    if md_map is None:
        return None
    try:
        bits = md_map if isinstance(md_map, int) else int(md_map, 16)
    except ValueError:
        return None
    if bits < 0 or bits >= 1 << 64:
        return None
    return tuple(domains[i] if i < len(domains) else f"md[{i}]" for i in range(64) if bits >> i & 1)


def nic_domains(domains: Iterable[str]) -> tuple[str, ...]:
    """Those memory domains that are adapters: not one of the names that UCX gives to domains inside a host."""
    return tuple(name for name in domains if not name.startswith(tuple(_WITHIN_HOST)) and not name.startswith("md["))


def owner_key(
    transports: Iterable[str], md_maps: Iterable[str | int | None], domains: Sequence[str], device: str | None
) -> Witness:
    """Who registered the memory, from the map in the owner's packed keys, not from a call's success or a key's length.

    On a lane without an adapter this witness is absent. With one, each key must name an adapter; the lane's own device
    where one is named.
    """
    name = "owner's key"
    if not uses_nic(transports):
        return Witness(name, ABSENT, "no adapter takes part in this lane, so none registers the memory")
    maps = [registered_domains(md_map, domains) for md_map in md_maps]
    known = [names for names in maps if names is not None]
    if not known or not domains:
        return Witness(name, ABSENT, "no key's memory-domain map, or no list of domains, is in the record")
    wanted = None if device is None else device.partition(":")[0]
    seen = sorted({domain for names in known for domain in names})
    data = {"keys": len(known), "domains": seen, "nic_registered": True}
    for names in known:
        adapters = nic_domains(names)
        if not adapters:
            told = ", ".join(names) or "none"
            text = f"no adapter registered the memory: the key names only {told}"
            return Witness(name, CONTRADICTS, text, data | {"nic_registered": False})
        if wanted is not None and wanted not in adapters:
            text = f"the memory is registered by {', '.join(adapters)}, not by {wanted}"
            return Witness(name, CONTRADICTS, text, data | {"nic_registered": False})
    return Witness(name, SUPPORTS, f"the memory is registered by {', '.join(nic_domains(seen))}", data)


def paths_taken(consumer: Mapping[str, int] | None, owner: Mapping[str, int] | None) -> Witness:
    """The consumer's gets against the owner's offers, by name `rdma` (offered or read one-sidedly) and `chunked`.

    The consumer also counts `fell_back`, whose rdma offer ended in chunks, and `failed`, of which nobody knows what
    was offered: each may be one of either kind, or none.
    """
    name = "path counters"
    if consumer is None or owner is None:
        return Witness(name, ABSENT, "one side's counters are not in the record")
    data = {"consumer": dict(consumer), "owner": dict(owner)}
    rdma, fell_back, unknown = (consumer.get(path, 0) for path in ("rdma", "fell_back", "failed"))
    counted = {"rdma": rdma + fell_back, "chunked": consumer.get("chunked", 0)}
    differ = [path for path, count in counted.items() if not count <= owner.get(path, 0) <= count + unknown]
    if differ:
        told = ", ".join(f"{path}: consumer {counted[path]}, owner {owner.get(path, 0)}" for path in differ)
        return Witness(name, CONTRADICTS, f"the two sides count differently ({told})", data)
    if rdma == 0:
        return Witness(name, CONTRADICTS, "no transfer took the rdma path", data)
    more = f", {fell_back} fell back to chunks" if fell_back else ""
    return Witness(name, SUPPORTS, f"{rdma} transfers by rdma on both sides{more}", data)


def port_traffic(transports: Iterable[str], counters: Sequence[PortCounters], bytes_moved: int) -> tuple[Witness, ...]:
    """Each port's counters against the bytes that GETs moved from the owner to the consumer.

    The owner's port sends them, the consumer's receives them. `port_xmit_data` and `port_rcv_data` count 4-byte words;
    where only packets are counted (rxe), packets x MTU bound the bytes from above. Too few refute the lane.
    """
    if not uses_nic(transports):
        return ()
    return tuple(_one_port(port, bytes_moved) for port in counters)


def _one_port(port: PortCounters, bytes_moved: int) -> Witness:
    name = f"port counters of {port.node} {port.port}"
    if port.before is None or port.after is None:
        return Witness(name, ABSENT, "this port has no counters that can be read")
    words, packets = (
        ("port_xmit_data", ("sent_pkts", "port_xmit_packets"))
        if port.role == "owner"
        else ("port_rcv_data", ("rcvd_pkts", "port_rcv_packets"))
    )
    for counter, scale in ((words, 4), *((packet, port.mtu) for packet in packets)):
        moved = _difference(port, counter)
        if moved is None or scale is None:
            continue
        if moved < 0:
            return Witness(name, ABSENT, f"{counter} went back: reset or wrapped", {"counter": counter})
        bound = moved * scale
        data = {"counter": counter, "difference": moved, "scale": scale, "bytes": bound, "bytes_moved": bytes_moved}
        unit = "4-byte words" if scale == 4 and counter == words else f"packets of at most {scale} B"
        if bound < bytes_moved:
            text = f"{moved} {unit} cannot hold the {bytes_moved} B that were moved"
            return Witness(name, CONTRADICTS, text, data)
        return Witness(name, SUPPORTS, f"{moved} {unit}, enough for the {bytes_moved} B that were moved", data)
    return Witness(name, ABSENT, "none of its counters counts data or packets")


def _difference(port: PortCounters, counter: str) -> int | None:
    before, after = (port.before or {}).get(counter), (port.after or {}).get(counter)
    return None if before is None or after is None else after - before
