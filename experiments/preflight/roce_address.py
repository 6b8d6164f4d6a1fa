"""The GID that a RoCE port uses on one node, found there and never written down beforehand. Pure.

RoCE v2 only; IPv4-mapped before other routable addresses before link-local. Indexes differ from node to node.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from experiments.preflight.checks import Check, failed, passed, warning
from readers.gids import Gid, choose_gid
from readers.ports import Port, serves

GID_VARIABLE = "UCX_IB_GID_INDEX"

# rxe delivers datagrams with the address of its own choice in the header, and UCX up to 1.22 then drops the packets of
# a wire-up over ud_verbs, unless this filter is off. (Both names: the per-transport one came later.)
_RXE_ENVIRONMENT = {"UCX_UD_ETH_DGID_CHECK": "n", "UCX_UD_VERBS_ETH_DGID_CHECK": "n"}


@dataclass(frozen=True)
class Address:
    """What an engine needs to use a port: variables for it, and the checks that led there."""

    env: Mapping[str, str]
    gid: Gid | None
    checks: tuple[Check, ...]


def address_of(port: Port, node_name: str, transports: tuple[str, ...], *, ipv4_only: bool = False) -> Address:
    """The address of a usable port. InfiniBand needs none of it; a RoCE port without a GID cannot be used."""
    if serves(port) != "RoCE":
        return Address({}, None, ())
    gid = choose_gid(port.gids, ipv4_only=ipv4_only)
    if gid is None:
        only_v1 = any(known.type == "RoCE v1" for known in port.gids)
        why = "only RoCE v1 addresses" if only_v1 else "no address in its GID table"
        return Address(
            {},
            None,
            (
                failed(
                    "gid",
                    node_name,
                    f"{port.name} has {why}",
                    "give its network interface an address; in a container use the host's network, GIDs belong to it",
                ),
            ),
        )
    told = f"{port.name} uses GID {gid.index}: {gid.type or 'type not told'} {gid.ipv4 or gid.gid}"
    check = passed("gid", node_name, told)
    if gid.link_local:
        check = warning("gid", node_name, f"{told}, link-local", "both nodes must be on one link; better give an IPv4")
    env = {GID_VARIABLE: str(gid.index)}
    if "emulated_nic" in port.caveats and "ud_verbs" in transports:
        env |= _RXE_ENVIRONMENT
    return Address(env, gid, (check,))
