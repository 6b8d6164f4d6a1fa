"""`rdma link` and `rdma dev` of iproute2. `rdma link` has no link layer, so on its own it makes no port usable."""

from __future__ import annotations

import re
from dataclasses import replace

from readers.port_drafts import emulation_caveat, guid, lid_of, physical_word, state_word
from readers.port_findings import port_findings
from readers.ports import Port
from readers.reading import Format, Reading, unread
from readers.text import lines, present

_LINK = re.compile(r"^\s*(?:[0-9]+: )?link ([A-Za-z0-9_.-]+)/([0-9]{1,3})((?: [a-z_]+ \S+)*)\s*(\S*)\s*$")
_DEVICE = re.compile(r"^\s*[0-9]+: ([A-Za-z0-9_.-]+):((?: [a-z_]+ \S+)*)\s*(\S*)\s*$")
_PAIR = re.compile(r"([a-z_]+) (\S+)")


def read(text: str) -> Reading:
    """Ports of `link` lines with what `dev` lines say of their device; devices without a link line have no number."""
    links: list[Port] = []
    devices: dict[str, dict[str, str]] = {}
    understood = set[int]()
    for line in lines(text):
        if link := _LINK.match(line.text):
            links.append(_port(link.group(1), int(link.group(2)), dict(_PAIR.findall(link.group(3)))))
        elif device := _DEVICE.match(line.text):
            devices[device.group(1)] = dict(_PAIR.findall(device.group(2)))
        else:
            continue
        understood.add(line.number)
    linked = {port.device for port in links}
    ports = [_with_device(port, devices.get(port.device or "", {})) for port in links]
    ports += [_with_device(Port(device=name), facts) for name, facts in devices.items() if name not in linked]
    return Reading(
        kind=FORMAT.kind,
        ports=tuple(ports),
        findings=port_findings(ports),
        facts={"devices": devices} if devices else {},
        skipped=unread(text, understood),
    )


def _port(device: str, index: int, facts: dict[str, str]) -> Port:
    return Port(
        device=device,
        port=index,
        state=state_word(facts.get("state")),
        physical_state=physical_word(facts.get("physical_state")),
        lid=lid_of(facts.get("lid")),
        sm_lid=lid_of(facts.get("sm_lid")),
        netdev=present(facts.get("netdev")),
        caveats=emulation_caveat(device),
    )


def _with_device(port: Port, facts: dict[str, str]) -> Port:
    protocol = {"iw": "iWARP", "iwarp": "iWARP", "roce": "InfiniBand", "ib": "InfiniBand"}.get(
        facts.get("protocol", "")
    )
    return replace(
        port,
        transport=protocol,
        firmware=present(facts.get("fw")),
        node_guid=guid(facts.get("node_guid")),
        sys_image_guid=guid(facts.get("sys_image_guid")),
    )


FORMAT = Format(
    kind="rdma_link",
    title="the output of rdma link or rdma dev",
    sign=re.compile(
        r"^\s*(?:[0-9]+: )?link [A-Za-z0-9_.-]+/[0-9]+ |^\s*[0-9]+: [A-Za-z0-9_.-]+: node_type ", re.MULTILINE
    ),
    read=read,
    holds=("ports",),
)
