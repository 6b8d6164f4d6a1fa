"""The endpoint tables that UCX 1.21 and later log: lanes per transport. Same borders as a protocol table, but none."""

from __future__ import annotations

import re

from readers.reading import Format, Reading, Row, unread
from readers.text import lines, whole
from readers.ucx_prefix import split_prefix

_TITLE = re.compile(r"^\|\s*Endpoint Config #([0-9]+) \(ctx: ([^,]+), type: ([a-z-]+)\)\s*\|?$")
_BORDER = re.compile(r"^\+-[-+]*$")
_DEVICE = re.compile(r"^(\S+)(?: \((\S+)\))?$")


def read(text: str) -> Reading:
    """One row per lane line; an empty transport cell repeats the one above. The system device of an IPoIB interface is
    an RDMA device, but the lane is tcp all the same."""
    rows, understood = list[Row](), set[int]()
    title: re.Match[str] | None = None
    transport: str | None = None
    for line in lines(text):
        message = split_prefix(line.text).message
        cells = [cell.strip() for cell in message.strip("|").split("|")]
        if found := _TITLE.match(message):
            title, transport = found, None
        elif title and message.startswith("|") and len(cells) == 4:
            if cells[0] != "Transport":
                transport = cells[0] or transport
                rows.append(_row(title, transport, cells))
        elif not _BORDER.match(message):
            continue
        understood.add(line.number)
    warnings = ("this is a table of endpoint lanes, not of protocols: it proves nothing about a GET",) if rows else ()
    return Reading(FORMAT.kind, rows=tuple(rows), warnings=warnings, skipped=unread(text, understood))


def _row(title: re.Match[str], transport: str | None, cells: list[str]) -> Row:
    device = _DEVICE.match(cells[1])
    return {
        "config": int(title.group(1)),
        "context": title.group(2),
        "scope": title.group(3),
        "transport": transport,
        "device": device.group(1) if device else None,
        "system_device": device.group(2) if device else None,
        "lanes": whole(cells[2]),
        "lane_types": [kind.strip() for kind in cells[3].split(",")],
    }


FORMAT = Format(
    kind="ucx_endpoints",
    title="a table of a UCX endpoint's lanes (no protocol table)",
    sign=re.compile(r"\|\s*Endpoint Config #[0-9]"),
    read=read,
    holds=("tables", "rows"),
)
