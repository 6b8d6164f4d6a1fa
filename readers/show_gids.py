"""`show_gids`: the GIDs that this network namespace sees, with type and network device. No port state in it."""

from __future__ import annotations

import re

from readers.gids import Gid, parse_gid
from readers.port_drafts import emulation_caveat
from readers.ports import Port
from readers.reading import Finding, Format, Reading, unread
from readers.text import lines, whole

_ROW = re.compile(
    r"^\s*([A-Za-z][A-Za-z0-9_.-]*)\s+([0-9]{1,3})\s+([0-9]{1,5})\s+([0-9a-fA-F:]{3,39})"
    r"(?:\s+([0-9]{1,3}(?:\.[0-9]{1,3}){3}))?\s+(v1|v2)(?:\s+(\S+))?\s*$"
)
_TITLE = re.compile(r"^\s*(?:DEV\s+PORT\s+INDEX\s+GID.*|-{3}\s+-{3,}.*)$")
_COUNT = re.compile(r"^\s*n_gids_found=([0-9]{1,6})\s*$")


def read(text: str) -> Reading:
    """One port per (device, port) with its GIDs; fewer GIDs than the count line tells is a warning."""
    tables: dict[tuple[str, int], list[Gid]] = {}
    understood, warnings, told = set[int](), list[str](), None
    for line in lines(text):
        if row := _ROW.match(line.text):
            gid = parse_gid(int(row.group(3)), row.group(4), row.group(6), row.group(7))
            if gid is None:
                warnings.append(f"line {line.number}: GID {row.group(4)!r} is cut or empty")
            else:
                tables.setdefault((row.group(1), int(row.group(2))), []).append(gid)
        elif count := _COUNT.match(line.text):
            told = whole(count.group(1))
        elif not _TITLE.match(line.text):
            continue
        understood.add(line.number)
    found = sum(len(gids) for gids in tables.values())
    if told is not None and told != found:
        warnings.append(f"{told} GIDs are told, {found} are in this text")
    ports = tuple(
        Port(device=name, port=index, gids=tuple(gids), netdev=_netdev(gids), caveats=emulation_caveat(name))
        for (name, index), gids in tables.items()
    )
    empty = (_EMPTY,) if told == 0 else ()
    return Reading(FORMAT.kind, ports, findings=empty, warnings=tuple(warnings), skipped=unread(text, understood))


_EMPTY = Finding(
    "no GID is visible here: GIDs belong to a network namespace, and this one (a container?) has none",
    "RoCE is not usable from here; use the host's network namespace. This says nothing about InfiniBand",
)


def _netdev(gids: list[Gid]) -> str | None:
    names = {gid.netdev for gid in gids if gid.netdev}
    return names.pop() if len(names) == 1 else None


FORMAT = Format(
    kind="show_gids",
    title="the output of show_gids",
    sign=re.compile(
        r"^\s*(?:DEV\s+PORT\s+INDEX\s+GID|n_gids_found=[0-9])|\s[0-9a-f:]{15,39}\s.*\sv[12](?:\s|$)", re.MULTILINE
    ),
    read=read,
    holds=("ports",),
)
