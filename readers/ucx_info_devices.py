"""`ucx_info -d`: memory domains, their transports and what each can do. Read by the preflight and `explain`."""

from __future__ import annotations

import re
from typing import Any

from readers.reading import Finding, Format, Reading, Row, unread
from readers.text import lines, present, whole

_FACT = re.compile(r"^#\s*([A-Za-z][A-Za-z_ ]*?):\s*(.*?)\s*$")
_LIMIT = re.compile(r"^(?:<= |[0-9]+\.\.)?([0-9]{1,20})([KMGT]?)(?:, |$)")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_ACCESS = (
    "put_short",
    "put_bcopy",
    "put_zcopy",
    "get_short",
    "get_bcopy",
    "get_zcopy",
    "am_short",
    "am_bcopy",
    "am_zcopy",
)
_RDMA = re.compile(r"^(?:rc|ud|dc|srd|gga)_|^(?:rc|ud|dc)$")


def read(text: str) -> Reading:
    """One row per transport and device: `<access>_bytes` is the largest size (None: not offered, -1: unlimited)."""
    rows, domains, understood = list[Row](), list[dict[str, Any]](), set[int]()
    row: dict[str, Any] | None = None
    for line in lines(text):
        fact = _FACT.match(line.text)
        if not fact and not re.match(r"^#(?:\s.*)?$", line.text):
            continue
        understood.add(line.number)
        key, value = (fact.group(1), fact.group(2)) if fact else ("", "")
        if key == "Memory domain":
            domains.append({"name": value, "component": None, "remote_key_bytes": None})
            row = None
        elif key == "Component" and domains:
            domains[-1]["component"] = value
        elif key == "remote key" and domains:
            domains[-1]["remote_key_bytes"] = whole(value.partition(" ")[0])
        elif key == "Transport":
            row = _transport(domains[-1]["name"] if domains else None, value)
            rows.append(row)
        elif row is not None:
            _add(row, key, value)
    findings = _findings(rows, domains) if rows or domains else ()
    return Reading(
        FORMAT.kind, rows=tuple(rows), findings=findings, facts={"domains": domains}, skipped=unread(text, understood)
    )


def _transport(domain: str | None, name: str) -> dict[str, Any]:
    blank = {f"{access}_bytes": None for access in _ACCESS}
    return {"domain": domain, "transport": name, "device": None, "type": None, "system_device": None, **blank}


def _add(row: dict[str, Any], key: str, value: str) -> None:
    if key in ("Device", "Type", "System device"):
        row[key.lower().replace(" ", "_")] = present(value)
    elif key in _ACCESS:
        limit = _LIMIT.match(value)
        row[f"{key}_bytes"] = int(limit.group(1)) * _UNITS[limit.group(2)] if limit else -1
    elif key == "latency":
        row["latency_ns"] = whole(value.partition(" ")[0])
    elif key in ("bandwidth", "error handling"):
        row[key.replace(" ", "_")] = present(value)


def _findings(rows: list[Row], domains: list[dict[str, Any]]) -> tuple[Finding, ...]:
    found: list[Finding] = []
    if not any(_RDMA.match(row["transport"]) for row in rows):
        names = ", ".join(sorted({str(domain["name"]) for domain in domains})) or "none"
        found.append(
            Finding(
                f"no RDMA transport is offered (memory domains: {names}): this UCX is built without verbs, or "
                f"sees no device",
                "for an RDMA lane use a UCX with verbs on a node with a device",
                "warning",
            )
        )
    emulated = [f"{row['transport']}/{row['device']}" for row in rows if row["type"] == "network" and _emulates(row)]
    if emulated:
        found.append(
            Finding(
                f"{', '.join(emulated)} cannot read remote memory (no get_zcopy or get_bcopy): a GET there is "
                f"emulated in software",
                "fine for lane tcp, whose reports say so (emulated_get); no evidence for an RDMA lane",
                "note",
            )
        )
    return tuple(found)


def _emulates(row: Row) -> bool:
    return row["get_zcopy_bytes"] is None and row["get_bcopy_bytes"] is None


FORMAT = Format(
    kind="ucx_info_devices",
    title="the output of ucx_info -d",
    sign=re.compile(r"^#\s*(?:Memory domain|Transport): ", re.MULTILINE),
    read=read,
    holds=("rows",),
)
