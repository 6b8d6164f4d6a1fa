"""An RDMA port as any tool shows it, and whether a lane may use it.

The port readers build `Port`s; the preflight, the setup record and `explain` ask `usability`. It fails closed: a port
is usable only when device, port number, state and link layer are all known, the state is ACTIVE and nothing contradicts
it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from readers.gids import Gid

LANE_KINDS = ("IB", "RoCE", "iWARP")
_IWARP_NAMES = ("siw", "cxgb")


@dataclass(frozen=True, slots=True)
class Port:
    """Facts of one port; None is "not in the text". Rates in 10^9 bit/s, MTU in bytes.

    `state` is NOP, DOWN, INIT, ARMED, ACTIVE or ACTIVE_DEFER; `physical_state` e.g. LINK_UP, POLLING, DISABLED;
    `link_layer` InfiniBand or Ethernet; `conflicts` are facts on which two sources disagree.
    """

    device: str | None = None
    port: int | None = None
    state: str | None = None
    physical_state: str | None = None
    link_layer: str | None = None
    transport: str | None = None
    rate_gbps: float | None = None
    width: str | None = None
    speed: str | None = None
    active_mtu: int | None = None
    lid: int | None = None
    sm_lid: int | None = None
    gids: tuple[Gid, ...] = ()
    firmware: str | None = None
    part_id: int | None = None
    vendor_id: int | None = None
    board_id: str | None = None
    node_guid: str | None = None
    sys_image_guid: str | None = None
    netdev: str | None = None
    caveats: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """`mlx5_0:1`, with `?` for what is not known."""
        return f"{self.device or '?'}:{'?' if self.port is None else self.port}"


@dataclass(frozen=True, slots=True)
class Usability:
    """Whether a lane may use a port, for which kind of lane (IB, RoCE, iWARP) it serves, and why (not)."""

    usable: bool
    serves: str | None
    reason: str


def serves(port: Port) -> str | None:
    """The kind of lane a port's link layer and transport make it fit for, or None where the text does not say.

    `transport: InfiniBand (0)` is printed for Ethernet ports too and decides nothing; `iWARP (1)` does.
    """
    named_iwarp = port.transport is None and (port.device or "").startswith(_IWARP_NAMES)
    if port.transport == "iWARP" or (named_iwarp and port.link_layer is not None):
        return "iWARP"
    if port.transport not in (None, "InfiniBand"):
        return None
    return {"InfiniBand": "IB", "Ethernet": "RoCE"}.get(port.link_layer or "")


def usability(port: Port, wanted: str | None = None) -> Usability:
    """Whether a port can carry a lane of kind `wanted` (any kind where None), with every reason against it."""
    kind = serves(port)
    reasons = _identity(port) + _state(port) + _layer(port, kind) + list(port.conflicts)
    if kind is not None and wanted is not None and kind != wanted:
        reasons.append(f"it is {kind} ({port.link_layer}), {wanted} is wanted")
    if reasons:
        return Usability(False, kind, "; ".join(reasons))
    return Usability(True, kind, f"ACTIVE, serves {kind} lanes")


def _identity(port: Port) -> list[str]:
    missing = [("device name", port.device), ("port number", port.port)]
    return [f"{what} not in this text" for what, value in missing if value is None]


def _state(port: Port) -> list[str]:
    no_manager = port.link_layer == "InfiniBand" and port.sm_lid == 0
    if port.state is None:
        return ["state not in this text"]
    if port.state == "DOWN":
        detail = ": administratively or by cable" if port.physical_state == "DISABLED" else ": cable or peer port"
        return [f"link DOWN{detail}"]
    if port.state == "INIT":
        return ["INIT: no subnet manager has configured it" if port.link_layer != "Ethernet" else "INIT: not up yet"]
    if port.state != "ACTIVE":
        return [f"state {port.state}, not ACTIVE"]
    if port.physical_state not in (None, "LINK_UP"):
        return [f"state ACTIVE contradicts physical state {port.physical_state}"]
    return ["no subnet manager (sm_lid 0)"] if no_manager else []


def _layer(port: Port, kind: str | None) -> list[str]:
    if port.link_layer is None:
        return ["link layer not in this text"]
    if kind is None:
        return [f"transport {port.transport} is neither InfiniBand, RoCE nor iWARP"]
    return []


def merge(ports: Iterable[Port]) -> tuple[Port, ...]:
    """One port per (device, port) from several sources of the same node, in the order first seen.

    A fact comes from whichever source has it; where two sources disagree on state, physical state, link layer or
    transport, the fact is None and the conflict makes the port unusable; for other facts the first source stands and
    the difference is a warning. Ports without a device name or number are kept as they are.
    """
    merged: dict[tuple[str, int], Port] = {}
    loose: list[Port] = []
    for port in ports:
        if port.device is None or port.port is None:
            loose.append(port)
            continue
        key = (port.device, port.port)
        merged[key] = _combine(merged[key], port) if key in merged else port
    return (*merged.values(), *loose)


_DECIDING = frozenset({"state", "physical_state", "link_layer", "transport"})
_LISTS = frozenset({"caveats", "conflicts", "warnings"})


def _combine(first: Port, second: Port) -> Port:
    changes: dict[str, Any] = {}
    warnings: list[str] = []
    conflicts: list[str] = []
    for name in (f.name for f in fields(Port)):
        one, other = getattr(first, name), getattr(second, name)
        if name in _LISTS:
            changes[name] = tuple(dict.fromkeys(one + other))
        elif name == "gids":
            changes[name] = _combine_gids(one, other)
        elif one is None:
            changes[name] = other
        elif other is not None and other != one:
            text = f"{name}: one source says {one}, another {other}"
            if name in _DECIDING:
                changes[name] = None
                conflicts.append(text)
            else:
                warnings.append(text)
    changes["warnings"] += tuple(warnings)
    changes["conflicts"] += tuple(conflicts)
    return replace(first, **changes)


def _combine_gids(one: tuple[Gid, ...], other: tuple[Gid, ...]) -> tuple[Gid, ...]:
    by_index = {gid.index: gid for gid in other}
    for gid in one:
        known = by_index.get(gid.index)
        if known is None or known.gid != gid.gid or known.type is None:
            by_index[gid.index] = gid
    return tuple(by_index[index] for index in sorted(by_index))
