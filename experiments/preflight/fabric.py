"""What two nodes' ports say about reaching each other. Pure. Only a handshake over the lane proves a fabric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from experiments.preflight.checks import Check, failed, passed, warning
from readers.gids import Gid
from readers.ports import Port, serves
from store.errors import Exit

MTU_VARIABLE = "UCX_IB_PATH_MTU"


@dataclass(frozen=True)
class End:
    """One node's end of the path."""

    node: str
    port: Port
    gid: Gid | None = None


@dataclass(frozen=True)
class Path:
    """What both engines get for the path, and the checks."""

    checks: tuple[Check, ...]
    env: Mapping[str, str] = field(default_factory=dict)


def path_between(one: End, other: End) -> Path:
    """The path between two chosen ports; both ends on one node are no fabric and need no check."""
    if one.node == other.node:
        return Path(())
    kinds = {serves(one.port), serves(other.port)}
    if len(kinds) > 1:
        text = " and ".join(f"{end.port.name} of {end.node} is {serves(end.port)}" for end in (one, other))
        return Path((failed("fabric", None, text, "both ends need the same link layer", exit_code=Exit.WRONG_LANE),))
    fabric = _subnet(one, other) if kinds == {"IB"} else _addresses(one, other)
    mtu, env = _mtu(one, other)
    return Path((fabric, *_names(one, other), *mtu), env)


def _subnet(one: End, other: End) -> Check:
    a, b = one.port, other.port
    if None in (a.lid, b.lid, a.sm_lid, b.sm_lid):
        return warning("fabric", None, "a LID is not known: nothing is said about the fabric", "see the ports' lines")
    if a.lid == b.lid:
        text = f"{a.name} of {one.node} and {b.name} of {other.node} both have LID {a.lid}: two subnets"
        return failed("fabric", None, text, "they are on different fabrics, or the cable of one leads elsewhere")
    if a.sm_lid != b.sm_lid:
        text = f"SM LID {a.sm_lid} on {one.node}, {b.sm_lid} on {other.node}: two subnets"
        return failed("fabric", None, text, "they are on different fabrics, or a subnet manager has just moved")
    return passed("fabric", None, f"SM LID {a.sm_lid} on both: same fabric not disproven; the handshake proves it")


def _addresses(one: End, other: End) -> Check:
    kinds = {end.gid.ipv4 is not None for end in (one, other) if end.gid is not None}
    if len(kinds) > 1:
        text = "one end has an IPv4 GID, the other an IPv6 one"
        return failed("fabric", None, text, "give both network interfaces addresses of the same kind")
    if one.gid is not None and other.gid is not None and one.gid.gid == other.gid.gid:
        text = f"both ends have the address {one.gid.ipv4 or one.gid.gid}"
        return failed("fabric", None, text, "two nodes cannot share an address; look for a bridge such as docker0")
    return passed("fabric", None, "addresses of the same kind: a path is not disproven; the handshake proves it")


def _names(one: End, other: End) -> tuple[Check, ...]:
    if one.port.name == other.port.name:
        return ()
    text = f"the ports differ in name: {one.port.name} on {one.node}, {other.port.name} on {other.node}"
    return (passed("names", None, text),)


def _mtu(one: End, other: End) -> tuple[tuple[Check, ...], dict[str, str]]:
    a, b = one.port.active_mtu, other.port.active_mtu
    if a is None or b is None:
        text = "the path MTU is not known on both nodes"
        return (warning("path_mtu", None, text, "ibv_devinfo of rdma-core tells it"),), {}
    if a == b:
        return (passed("path_mtu", None, f"MTU {a} on both"),), {}
    smaller = min(a, b)
    text = f"MTU {a} on {one.node}, {b} on {other.node}: both use {smaller}"
    advice = "set the same MTU on both ports (and the network interfaces below RoCE)"
    return (warning("path_mtu", None, text, advice),), {MTU_VARIABLE: str(smaller)}
