"""What the ports of a text say is wrong with a node, with its remedy. Used by the port readers."""

from __future__ import annotations

from collections.abc import Iterable

from readers.ports import Port
from readers.reading import Finding


def port_findings(ports: Iterable[Port]) -> tuple[Finding, ...]:
    """No subnet manager, contradicting states, ports that only an emulated device has."""
    found: list[Finding] = []
    for port in ports:
        if port.state == "INIT" and port.link_layer != "Ethernet":
            found.append(
                Finding(
                    f"{port.name} is INIT: the link is up, but no subnet manager has configured it",
                    "start a subnet manager on this fabric (opensm on one node, or the switch's own)",
                )
            )
        elif port.state == "ACTIVE" and port.physical_state not in (None, "LINK_UP"):
            found.append(
                Finding(
                    f"{port.name} is ACTIVE but physically {port.physical_state}: the two contradict each other",
                    "ask a second source (ibv_devinfo -v, sysfs) before using the port",
                    "warning",
                )
            )
        if "emulated_nic" in port.caveats:
            found.append(
                Finding(
                    f"{port.name} is an emulated RDMA device (rxe or siw)",
                    "good for trying things out; its figures say nothing about hardware",
                    "note",
                )
            )
    return tuple(found)
