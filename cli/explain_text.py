"""The text form of `explain`: what it is, then what it shows, then what it does not prove, then what to do."""

from __future__ import annotations

from typing import Any

from experiments.sizes import format_size

_MOST_ROWS = 40


def told(document: dict[str, Any], title: str) -> str:
    """The lines for a person, from the same data as `--json`."""
    parts = [
        [f"This is {title}."],
        _process(document["facts"]),
        _ports(document.get("ports", [])),
        _tables(document.get("tables", [])),
        _get(document.get("get")),
        _lane(document.get("lane")),
        _rows(document.get("rows", [])),
        [line for finding in document["findings"] for line in _finding(finding)],
        [f"note: {warning}" for warning in document["warnings"]],
    ]
    return "\n".join(line for part in parts for line in part)


def _process(facts: dict[str, Any]) -> list[str]:
    """What a UCX process said of itself."""
    ucx, environment = facts.get("ucx", {}), facts.get("environment", {})
    lines = [f"  UCX {ucx['version']} from {ucx['library_path']}"] if ucx else []
    return lines + ([f"  {' '.join(f'{k}={v}' for k, v in environment.items())}"] if environment else [])


def _ports(ports: list[dict[str, Any]]) -> list[str]:
    lines: list[str] = []
    for port in ports:
        name = f"{port['device'] or '?'}:{'?' if port['port'] is None else port['port']}"
        verdict = f"usable: {port['reason']}" if port["usable"] else f"not usable: {port['reason']}"
        facts = [
            port["link_layer"] or "link layer ?",
            port["state"] or "state ?",
            None if port["rate_gbps"] is None else f"{port['rate_gbps']:g} Gb/s",
            None if port["active_mtu"] is None else f"MTU {port['active_mtu']}",
            None if port["lid"] is None else f"LID {port['lid']}",
            None if port["sm_lid"] is None else f"SM {port['sm_lid']}",
            port["netdev"],
        ]
        lines.append(f"  {name:<12}  {'  '.join(fact for fact in facts if fact)}")
        lines.append(f"  {'':<12}  {verdict}")
        if port["gids"]:
            chosen = port["gid_to_choose"]
            told_gid = "none fits a RoCE v2 lane" if chosen is None else f"choose index {chosen}"
            lines.append(f"  {'':<12}  {len(port['gids'])} GIDs, {told_gid}")
        lines += [f"  {'':<12}  {caveat}" for caveat in port["caveats"]]
    return lines


def _tables(tables: list[dict[str, Any]]) -> list[str]:
    lines: list[str] = []
    for table in tables:
        scope = table["scope"] or "scope not said"
        process = f", process {table['process']}" if table["process"] else ""
        lines.append(f"  {table['title'] or 'a table whose title is not in this text'} ({scope}{process})")
        for row in table["rows"]:
            mark = " (?) an estimate, no evidence" if row["estimate"] else ""
            cut = " (cut)" if row["truncated"] else ""
            lines.append(f"    {_range(row):>20}  {row['protocol']}{mark}  {', '.join(row['lanes']) or '-'}{cut}")
    return lines


def _range(row: dict[str, Any]) -> str:
    return f"{row['from']}..{'inf' if row['to'] is None else row['to']}"


def _get(get: dict[str, Any] | None) -> list[str]:
    if get is None:
        return []
    copy = {True: ", zero-copy", False: ", not zero-copy", None: ""}[get["zero_copy"]]
    where = f" (row {_range(get['row'])})" if get["row"] else ""
    size = format_size(get["size"])
    unit = " B" if size.isdigit() else ""
    return [f"A GET of {size}{unit}: {get['verdict']}{copy}: {get['reason']}{where}."]


def _lane(lane: dict[str, Any] | None) -> list[str]:
    return [] if lane is None else [f"Lane {lane['name']}: {lane['verdict']}: {lane['reason']}."]


def _rows(rows: list[dict[str, Any]]) -> list[str]:
    lines = [f"{len(rows)} row{'s' if len(rows) != 1 else ''}:"] if rows else []
    for row in rows[:_MOST_ROWS]:
        cells = (f"{key}={_cell(value)}" for key, value in row.items() if key != "fields" and value not in (None, []))
        lines.append(f"  {'  '.join(cells)}")
    if len(rows) > _MOST_ROWS:
        lines.append(f"  ... and {len(rows) - _MOST_ROWS} more (--json has all)")
    return lines


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _finding(finding: dict[str, Any]) -> list[str]:
    where = f"line {finding['line']}: " if finding["line"] is not None else ""
    return [f"{finding['level']}: {where}{finding['cause']}", f"  -> {finding['advice']}"]
