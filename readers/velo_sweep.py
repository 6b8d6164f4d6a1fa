"""The sweep lines of velo's rendezvous harness: `SWEEP size=.. rep=.. pinned=.. path=.. get_us=..` and its counters."""

from __future__ import annotations

import re
from typing import Any

from readers.reading import Finding, Format, Reading, Row, unread
from readers.text import lines, number, whole

_SWEEP = re.compile(
    r"^\s*SWEEP size=([0-9]{1,18}) rep=([0-9]{1,9}) pinned=(true|false) path=([a-z_]+) get_us=([0-9.]+)\s*$"
)
_STAGED = re.compile(r"^\s*OWNER staged size=([0-9]{1,18}) x([0-9]{1,9}) pinned=(true|false)\s*$")
_REGISTERED = re.compile(r"^\s*OWNER registered_bytes=([0-9]{1,18})\s*$")
_DECISIONS = re.compile(r"^\s*CONSUMER path decisions: (.*?)\s*$")
_DECISION = re.compile(r"([a-z_]+)/([a-z_]+)=([0-9]{1,9})")


def read(text: str) -> Reading:
    """Rows; rep 0 is kept and flagged (`includes_wireup`). Facts: registered bytes, decisions by path and reason."""
    rows, decisions, understood = list[dict[str, Any]](), list[dict[str, Any]](), set[int]()
    facts: dict[str, Any] = {}
    for line in lines(text):
        if found := _SWEEP.match(line.text):
            rows.append(_row(found))
        elif found := _STAGED.match(line.text):
            staged = {
                "size_bytes": whole(found.group(1)),
                "count": whole(found.group(2)),
                "pinned": found.group(3) == "true",
            }
            facts.setdefault("staged", []).append(staged)
        elif found := _REGISTERED.match(line.text):
            facts["registered_bytes"] = whole(found.group(1))
        elif found := _DECISIONS.match(line.text):
            told = _DECISION.findall(found.group(1))
            decisions += [{"path": path, "reason": reason, "count": int(count)} for path, reason, count in told]
        else:
            continue
        understood.add(line.number)
    facts |= {"decisions": decisions} if decisions else {}
    told_count = sum(decision["count"] for decision in decisions)
    few = told_count > len(rows)
    warnings = (f"{told_count} decisions but {len(rows)} SWEEP lines: this is an excerpt",) if few else ()
    typed: tuple[Row, ...] = tuple(rows)
    return Reading(FORMAT.kind, (), (), typed, _findings(rows, decisions), facts, warnings, unread(text, understood))


def _row(found: re.Match[str]) -> dict[str, Any]:
    rep = int(found.group(2))
    return {
        "size_bytes": whole(found.group(1)),
        "rep": rep,
        "pinned": found.group(3) == "true",
        "path": found.group(4),
        "get_us": number(found.group(5)),
        "includes_wireup": rep == 0,
    }


def _findings(rows: list[dict[str, Any]], decisions: list[dict[str, Any]]) -> tuple[Finding, ...]:
    arms = {(row["path"], row["pinned"]) for row in rows}
    paths, staging = {path for path, _ in arms}, {pinned for _, pinned in arms}
    found = []
    if len(paths) > 1 and len(staging) > 1:
        switched = any(decision["reason"] == "kill_switch" for decision in decisions)
        why = " (the kill switch turns staging off too)" if switched else ""
        found.append(
            Finding(
                f"the arms differ in two factors, path and staging{why}: their difference is not that of the path",
                "make the chunked arm with min_bytes above the largest size, so that only the path differs",
                "warning",
            )
        )
    if any(row["includes_wireup"] for row in rows):
        found.append(
            Finding("rep 0 holds the wire-up", "keep it, but apart: it is not part of a warm figure", "note"),
        )
    return tuple(found)


FORMAT = Format(
    kind="velo_sweep",
    title="sweep lines of velo's rendezvous harness",
    sign=re.compile(
        r"^\s*(?:SWEEP size=|OWNER staged size=|OWNER registered_bytes=|CONSUMER path decisions:)", re.MULTILINE
    ),
    read=read,
    holds=("rows",),
)
