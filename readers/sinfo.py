"""`sinfo` and `sinfo -N -l`: partitions, node counts, states and nodes, read by the header's columns."""

from __future__ import annotations

import re
from typing import Any

from readers.hostlist import expand
from readers.reading import Format, Reading, Row, unread
from readers.scontrol import seconds
from readers.text import lines, present, whole

_HEADER = re.compile(r"^\s*(?:PARTITION|NODELIST)\s+[A-Z:/_()]+(?:\s+[A-Z:/_()]+)*\s*$")
_FLAGS = {"*": "not responding", "~": "powered off", "#": "powering up", "!": "powering down", "%": "powering down"}
_FLAGS |= {"$": "reserved for maintenance", "@": "pending reboot", "^": "rebooting", "-": "planned"}
_DATE = re.compile(r"^[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9]{2} [0-9:]{8} [0-9]{4}$")


def read(text: str) -> Reading:
    """Rows: `partition`, `default`, `available`, `time_limit_s`, `node_count`, `state`, `flag`, `nodes`."""
    rows, columns, understood = list[Row](), list[str](), set[int]()
    for line in lines(text):
        cells = line.text.split()
        if _HEADER.match(line.text):
            columns = cells
        elif columns and len(cells) >= len(columns):
            rows.append(_row(dict(zip(columns, cells, strict=False))))
        elif not _DATE.match(line.text.strip()):
            continue
        understood.add(line.number)
    return Reading(kind=FORMAT.kind, rows=tuple(rows), skipped=unread(text, understood))


def _row(cells: dict[str, str]) -> Row:
    partition, state, limit = cells.get("PARTITION", ""), cells.get("STATE", ""), cells.get("TIMELIMIT", "")
    nodes = expand(cells.get("NODELIST", ""))
    row: dict[str, Any] = {
        "partition": present(partition.rstrip("*")),
        "default": partition.endswith("*"),
        "available": {"up": True, "down": False}.get(cells.get("AVAIL", "")),
        "time_limit_s": seconds(limit),
        "node_count": whole(cells.get("NODES")),
        "state": present(state.rstrip("".join(_FLAGS))),
        "flag": _FLAGS.get(state[-1:]),
        "nodes": list(nodes or ()),
    }
    return row


FORMAT = Format(
    kind="sinfo",
    title="the output of sinfo",
    sign=re.compile(r"^\s*PARTITION\s+AVAIL\s+TIMELIMIT\s|^\s*NODELIST\s+NODES\s+PARTITION\s", re.MULTILINE),
    read=read,
    holds=("rows",),
)
