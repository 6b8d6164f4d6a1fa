"""GIDs of an RDMA port, and which of them a RoCE lane should use. Used by the port readers and the preflight."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass

_TYPES = {"roce v2": "RoCE v2", "v2": "RoCE v2", "roce v1": "RoCE v1", "ib/roce v1": "RoCE v1", "v1": "RoCE v1"}
_TYPES["ib"] = "IB"


@dataclass(frozen=True, slots=True)
class Gid:
    """One entry of a GID table; `type` is RoCE v1, RoCE v2, IB, or None where the text has none."""

    index: int
    gid: str
    type: str | None = None
    ipv4: str | None = None
    netdev: str | None = None

    @property
    def link_local(self) -> bool:
        """Whether the address works on its own link only."""
        return ipaddress.IPv6Address(self.gid).is_link_local


def parse_gid(index: int, address: str, kind: str | None = None, netdev: str | None = None) -> Gid | None:
    """A GID entry with its address in full form, or None where the address is cut, malformed or all zero."""
    if "%" in address:  # a zone is no part of a GID
        return None
    try:
        parsed = ipaddress.IPv6Address(address.strip())
    except ValueError:
        return None
    if parsed == ipaddress.IPv6Address(0):
        return None
    mapped = parsed.ipv4_mapped
    known = _TYPES.get(re.sub(r"\s+", " ", kind.strip().lower())) if kind else None
    return Gid(index, parsed.exploded, known, str(mapped) if mapped else None, netdev)


def choose_gid(gids: Iterable[Gid], *, ipv4_only: bool = False) -> Gid | None:
    """The GID for a RoCE lane: v2 only, IPv4-mapped before other routable ones before link-local, lowest index first.

    Where the text gives no types (older kernels and tools) the address alone decides; a known v1 is never chosen.
    With `ipv4_only` an address that is not IPv4-mapped is never chosen.
    """
    able = [gid for gid in gids if gid.type in (None, "RoCE v2") and (gid.ipv4 is not None or not ipv4_only)]
    if any(gid.type == "RoCE v2" for gid in able):
        able = [gid for gid in able if gid.type == "RoCE v2"]
    return min(able, key=lambda gid: (gid.ipv4 is None, gid.link_local, gid.index), default=None)
