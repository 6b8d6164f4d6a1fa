"""`ibv_devinfo` and `ibv_devinfo -v`: devices, ports, GIDs. Read by the setup record, the preflight and `explain`."""

from __future__ import annotations

import re

from readers.gids import parse_gid
from readers.port_drafts import PortDrafts
from readers.port_findings import port_findings
from readers.reading import Format, Reading, unread
from readers.text import lines, whole

# The first letters of "hca_id" may be lost where a paste begins.
_HEADER = re.compile(r"^\s*(hca_id|ca_id|a_id|_id|id):\s*(\S*)\s*$")
_PORT = re.compile(r"^\s*port:\s*([0-9]*)\s*$")
_FACT = re.compile(r"^\s*([a-z][A-Za-z0-9_]*):\s*(.*?)\s*$")
_GID = re.compile(r"^\s*GID\[\s*([0-9]{1,5})\]:\s*([0-9a-fA-F:.]+)\s*(?:,\s*(.*?))?\s*$")
# What -v adds: flag names, sentences without a value, GID lines that are cut.
_OTHER = re.compile(
    r"[A-Z0-9_]{2,}(?: SUPPORT)?|[a-z][a-z_ ]* not supported|GID\[.*|Unknown flags: .*|\$ ibv_devinfo.*"
)
_NONE = re.compile(r"^\s*(?:No IB devices found|Failed to get IB devices list: .*)\s*$")

_DEVICE_KEYS = {
    "transport": "transport",
    "fw_ver": "firmware",
    "node_guid": "node_guid",
    "sys_image_guid": "sys_image_guid",
    "vendor_id": "vendor_id",
    "vendor_part_id": "part_id",
    "hw_ver": "hardware",
    "board_id": "board_id",
    "phys_port_cnt": "port_count",
}
_PORT_KEYS = {
    "state": "state",
    "active_mtu": "active_mtu",
    "max_mtu": "max_mtu",
    "sm_lid": "sm_lid",
    "port_lid": "lid",
    "port_lmc": "lmc",
    "link_layer": "link_layer",
    "active_width": "active_width",
    "active_speed": "active_speed",
    "phys_state": "physical_state",
}


def read(text: str) -> Reading:
    """Ports with the facts of their device; a port line that is lost or cut leaves its port without a number."""
    drafts, understood = PortDrafts(), set[int]()
    for line in lines(text):
        if _take(drafts, line.text, line.number):
            understood.add(line.number)
    ports = drafts.ports()
    return Reading(
        kind=FORMAT.kind,
        ports=ports,
        findings=port_findings(ports),
        warnings=tuple(drafts.warnings),
        skipped=unread(text, understood),
    )


def _take(drafts: PortDrafts, text: str, number: int) -> bool:
    if header := _HEADER.match(text):
        if header.group(1) != "hca_id":
            drafts.warnings.append(f"line {number} lost its first letters; read as hca_id")
        drafts.device(header.group(2) or None)
    elif port := _PORT.match(text):
        drafts.port(whole(port.group(1)))
    elif entry := _GID.match(text):
        gid = parse_gid(int(entry.group(1)), entry.group(2), entry.group(3))
        if gid is None:
            drafts.warnings.append(f"line {number}: GID {entry.group(2)!r} is cut or empty")
        else:
            drafts.gid(gid)
    elif (fact := _FACT.match(text)) and fact.group(1) in _DEVICE_KEYS:
        drafts.device_fact(_DEVICE_KEYS[fact.group(1)], fact.group(2))
    elif fact and fact.group(1) in _PORT_KEYS:
        drafts.port_fact(_PORT_KEYS[fact.group(1)], fact.group(2))
    else:
        return bool(fact or _OTHER.fullmatch(text.strip()) or _NONE.match(text))
    return True


FORMAT = Format(
    kind="ibv_devinfo",
    title="the output of ibv_devinfo",
    sign=re.compile(
        r"^\s*(?:h?ca_id:\s|GID\[\s*[0-9]+\]:\s|vendor_part_id:\s|node_guid:\s|port_lid:\s|active_mtu:\s"
        r"|phys_state:\s+[A-Z_]+ \(|state:\s+PORT_[A-Z]+ \(|No IB devices found|Failed to get IB devices list)",
        re.MULTILINE,
    ),
    read=read,
    holds=("ports",),
)
