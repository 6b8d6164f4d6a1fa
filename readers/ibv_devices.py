"""`ibv_devices`: device names and node GUIDs, no port facts: it says what exists, not what is usable."""

from __future__ import annotations

import re

from readers.port_drafts import emulation_caveat, guid
from readers.ports import Port
from readers.reading import Format, Reading, unread
from readers.text import lines

_DEVICE = re.compile(r"^\s*([A-Za-z][A-Za-z0-9_.-]*)\s+([0-9a-fA-F]{16})\s*$")
_TITLE = re.compile(r"^\s*(?:device\s+node GUID|-{6}\s+-{6,}|\$ ibv_devices.*)\s*$")


def read(text: str) -> Reading:
    """One port without a number per device, with its node GUID."""
    ports, understood = list[Port](), set[int]()
    for line in lines(text):
        if device := _DEVICE.match(line.text):
            name = device.group(1)
            ports.append(Port(device=name, node_guid=guid(device.group(2)), caveats=emulation_caveat(name)))
        elif not _TITLE.match(line.text):
            continue
        understood.add(line.number)
    return Reading(kind=FORMAT.kind, ports=tuple(ports), skipped=unread(text, understood))


FORMAT = Format(
    kind="ibv_devices",
    title="the output of ibv_devices",
    sign=re.compile(r"^\s*device\s+node GUID\s*$|^\s+[a-z][a-z0-9_]*[0-9]\s+[0-9a-f]{16}\s*$", re.MULTILINE),
    read=read,
    holds=("ports",),
)
