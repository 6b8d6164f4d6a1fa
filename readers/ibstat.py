"""`ibstat`: one block per adapter, one per port, values in words. Read by the preflight and `explain`."""

from __future__ import annotations

import re

from readers.port_drafts import PortDrafts
from readers.port_findings import port_findings
from readers.reading import Format, Reading, unread
from readers.text import lines, whole

_ADAPTER = re.compile(r"^\s*CA '([^']+)'\s*$")
_PORT = re.compile(r"^\s*Port ([0-9]{1,3}):\s*$")
_FACT = re.compile(r"^\s*([A-Z][A-Za-z ]*?):\s*(.*?)\s*$")
_DEVICE_KEYS = {
    "CA type": "model",
    "Number of ports": "port_count",
    "Firmware version": "firmware",
    "Hardware version": "hardware",
    "Node GUID": "node_guid",
    "System image GUID": "sys_image_guid",
}
_PORT_KEYS = {
    "State": "state",
    "Physical state": "physical_state",
    "Rate": "rate",
    "Base lid": "lid",
    "LMC": "lmc",
    "SM lid": "sm_lid",
    "Capability mask": "capabilities",
    "Port GUID": "port_guid",
    "Link layer": "link_layer",
}


def read(text: str) -> Reading:
    """Ports with the facts of their adapter; `ibwarn:` lines and whatever else stands between are skipped."""
    drafts, understood = PortDrafts(), set[int]()
    for line in lines(text):
        fact = _FACT.match(line.text)
        if adapter := _ADAPTER.match(line.text):
            drafts.device(adapter.group(1))
        elif port := _PORT.match(line.text):
            drafts.port(whole(port.group(1)))
        elif fact and fact.group(1) in _DEVICE_KEYS:
            drafts.device_fact(_DEVICE_KEYS[fact.group(1)], fact.group(2))
        elif fact and fact.group(1) in _PORT_KEYS:
            drafts.port_fact(_PORT_KEYS[fact.group(1)], fact.group(2))
        else:
            continue
        understood.add(line.number)
    ports = drafts.ports()
    return Reading(
        FORMAT.kind, ports, (), (), port_findings(ports), {}, tuple(drafts.warnings), unread(text, understood)
    )


FORMAT = Format(
    kind="ibstat",
    title="the output of ibstat",
    sign=re.compile(
        r"^\s*(?:CA '[^']+'\s*$|Base lid: |Physical state: (?:LinkUp|Disabled|Polling)"
        r"|Link layer: (?:InfiniBand|Ethernet))",
        re.MULTILINE,
    ),
    read=read,
    holds=("ports",),
)
