"""`ibstatus`: one block per port with its sysfs values. Read by the preflight and `explain`."""

from __future__ import annotations

import re

from readers.gids import parse_gid
from readers.port_drafts import PortDrafts
from readers.port_findings import port_findings
from readers.reading import Format, Reading, unread
from readers.text import lines, whole

_HEADER = re.compile(r"^\s*Infiniband device '([^']+)' port ([0-9]{1,3}) status:\s*$")
_FACT = re.compile(r"^\s*(default gid|base lid|sm lid|state|phys state|rate|link_layer):\s*(.*?)\s*$")
_KEYS = {
    "base lid": "lid",
    "sm lid": "sm_lid",
    "state": "state",
    "phys state": "physical_state",
    "rate": "rate",
    "link_layer": "link_layer",
}


def read(text: str) -> Reading:
    """Ports; the default GID is kept as GID 0 without a type. A speed name (EDR) says nothing of the link layer."""
    drafts, understood = PortDrafts(), set[int]()
    for line in lines(text):
        if header := _HEADER.match(line.text):
            drafts.device(header.group(1))
            drafts.port(whole(header.group(2)))
        elif fact := _FACT.match(line.text):
            gid = parse_gid(0, fact.group(2)) if fact.group(1) == "default gid" else None
            if gid is not None:
                drafts.gid(gid)
            elif fact.group(1) != "default gid":
                drafts.port_fact(_KEYS[fact.group(1)], fact.group(2))
        else:
            continue
        understood.add(line.number)
    ports = drafts.ports()
    return Reading(
        FORMAT.kind, ports, (), (), port_findings(ports), {}, tuple(drafts.warnings), unread(text, understood)
    )


FORMAT = Format(
    kind="ibstatus",
    title="the output of ibstatus",
    sign=re.compile(r"^\s*(?:Infiniband device '[^']+' port [0-9]+ status:|phys state:\s+[0-9]: [A-Z])", re.MULTILINE),
    read=read,
    holds=("ports",),
)
