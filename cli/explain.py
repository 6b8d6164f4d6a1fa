"""`explain FILE|-`: what a saved tool output is, which ports are usable, what carries a GET and what that proves.

Reads only; the facts come from `readers`, the judgement of a lane from `experiments.lane_proof`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.explain_text import told
from cli.resolving import LaneOption
from experiments.config import load_lane
from experiments.lane_proof import PROVEN, UNPROVEN, LaneRule, judge, row_dict
from experiments.sizes import SizeError, parse_size
from readers.formats import read_any
from readers.gids import choose_gid
from readers.ports import Port, usability
from readers.protocol_tables import ProtocolTable, get_evidence
from readers.reading import Finding, Reading
from store.errors import Exit, LabError

_DEFAULT_GET = 1 << 20
_MOST_BYTES = 64 << 20
_FRESH_UCX = "no protocol table in this text: set UCX_PROTO_INFO=y (from UCX 1.16; below, UCX_PROTO_ENABLE=y too)"


def explain(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="A saved output of a tool, or - for stdin.")],
    as_json: Annotated[bool, typer.Option("--json", help="The same reading as JSON.")] = False,
    get_size: Annotated[
        str | None, typer.Option("--get-size", help="Judge a GET of this size, such as 64KiB.", metavar="SIZE")
    ] = None,
    lane: LaneOption = None,
) -> int:
    """Say what a saved tool output means: ports, protocol rows, results, failures and what to do about them."""
    size = _size(get_size)
    rule, wanted = _lane(lane)
    reading = read_any(_text(file))
    if reading is None:
        if as_json:
            print(json.dumps({"kind": "unknown", "findings": []}, indent=2))
        raise LabError(
            f"{file}: unknown: no output of a tool that explain knows",
            advice="it knows ibv_devinfo, ibstat, rdma link, show_gids, UCX logs and tables, ucx_info, perftest, "
            "nixlbench, scontrol, sinfo and their failures",
            exit_code=Exit.USAGE,
        )
    document = explanation(reading, size, rule, wanted)
    print(json.dumps(document, indent=2, ensure_ascii=True) if as_json else told(document, reading.title))
    holds = document.get("lane", {}).get("verdict", PROVEN)
    return int(Exit.DONE if holds == PROVEN else Exit.WRONG_LANE)


def explanation(
    reading: Reading, size: int | None = None, rule: LaneRule | None = None, wanted: str | None = None
) -> dict[str, Any]:
    """The reading as plain data: `kind`, then `ports`, `tables`, `get`, `rows` where they apply, and `findings`.

    `size` (bytes) asks for a GET; where the text can hold protocol tables, 1 MiB is asked if nothing is. `rule` adds
    `lane`, with its verdict; `wanted` is the kind of port that the lane needs (IB, RoCE, iWARP).
    """
    document: dict[str, Any] = {"kind": reading.kind}
    findings = list(reading.findings)
    if reading.ports or "ports" in reading.holds:
        document["ports"] = [_port(port, wanted) for port in reading.ports]
    if reading.tables or "tables" in reading.holds:
        document["tables"] = [_table(table) for table in reading.tables]
        size = size if size is not None else _DEFAULT_GET
    if size is not None:
        document["get"] = _get(reading, size)
        if not reading.tables and "tables" in reading.holds:
            findings.append(Finding("nothing is proven about a GET", _FRESH_UCX, "note"))
    if reading.rows or "rows" in reading.holds:
        document["rows"] = [dict(row) for row in reading.rows]
    if rule is not None and size is not None:
        document["lane"] = _judged(reading, size, rule)
    document["findings"] = [_finding(finding) for finding in [*findings, *_table_findings(reading.tables)]]
    document["facts"] = dict(reading.facts)
    document["warnings"] = list(reading.notes())
    document["skipped_lines"] = len(reading.skipped)
    return document


def _text(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read(_MOST_BYTES) if file == "-" else Path(file).read_bytes()[:_MOST_BYTES]
    except OSError as error:
        raise LabError(f"{file}: {error.strerror}", advice="name a file, or -", exit_code=Exit.USAGE) from error
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    return raw.decode(encoding, errors="replace")


def _size(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return parse_size(text)
    except SizeError as error:
        raise LabError(f"--get-size: {error.message}", advice=error.hint, exit_code=Exit.USAGE) from error


def _lane(name: str | None) -> tuple[LaneRule | None, str | None]:
    """The lane's rule, and the kind of port that it needs where its device selector says so."""
    if name is None:
        return None, None
    lane = load_lane(name)
    layer = None if lane.device is None else lane.device.link_layer
    rule = LaneRule(name, lane.transports, tuple(lane.accepts.get("get", ())), flags=None)
    return rule, {"InfiniBand": "IB", "Ethernet": "RoCE"}.get(layer or "")


def _port(port: Port, wanted: str | None) -> dict[str, Any]:
    verdict = usability(port, wanted)
    gid = choose_gid(port.gids)
    facts = ("physical_state", "rate_gbps", "width", "speed", "active_mtu", "lid", "sm_lid", "transport", "firmware")
    more = ("part_id", "node_guid", "sys_image_guid", "netdev")
    return {
        "device": port.device,
        "port": port.port,
        "state": port.state,
        "link_layer": port.link_layer,
        "usable": verdict.usable,
        "reason": verdict.reason,
        "serves": verdict.serves,
        **{name: getattr(port, name) for name in facts + more},
        "gids": [{"index": g.index, "gid": g.gid, "type": g.type, "ipv4": g.ipv4} for g in port.gids],
        "gid_to_choose": None if gid is None else gid.index,
        "caveats": list(port.caveats),
        "warnings": list(port.warnings),
    }


def _table(table: ProtocolTable) -> dict[str, Any]:
    return {
        "scope": table.scope,
        "operation": table.operation,
        "rows": [row_dict(row) for row in table.rows],
        "title": table.title,
        "flags": table.flags,
        "memory": {"local": table.local_memory, "remote": table.remote_memory},
        "process": None if table.host is None else f"{table.host}:{table.pid}",
        "config": table.config_id,
        "counts_for_get": table.is_get,
    }


def _get(reading: Reading, size: int) -> dict[str, Any]:
    evidence = get_evidence(reading.tables, size)
    return {
        "size": size,
        "verdict": evidence.verdict,
        "zero_copy": evidence.zero_copy,
        "row": None if evidence.row is None else row_dict(evidence.row),
        "reason": evidence.reason,
    }


def _judged(reading: Reading, size: int, rule: LaneRule) -> dict[str, Any]:
    """The lane on this text. A message that the lane's transports or device are missing refutes it."""
    proof = judge(reading.tables, size, rule)
    wrong = next((finding for finding in reading.findings if finding.exit_code == Exit.WRONG_LANE), None)
    if wrong is not None and proof.holds == UNPROVEN:
        return {"name": rule.name, "verdict": "refuted", "reason": wrong.cause}
    return {"name": rule.name, "verdict": proof.holds, "reason": proof.reason}


def _table_findings(tables: tuple[ProtocolTable, ...]) -> list[Finding]:
    """What a person should see in the tables: several devices, staging, estimates."""
    found: dict[Finding, None] = {}
    for table in tables:
        for row in table.rows:
            if len(row.devices) > 1:
                devices = ", ".join(row.devices)
                cause = f"multi_rail: several devices carry one message ({devices})"
                found[Finding(cause, "name one in the lane if one was meant", "warning")] = None
            if row.protocol.count("cuda_copy") + row.protocol.count("rocm_copy") > 0:
                cause = "staged: GPU memory is copied through host memory on its way"
                found[Finding(cause, "another arm than a direct transfer: name it so", "warning")] = None
    return list(found)


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "cause": finding.cause,
        "advice": finding.advice,
        "level": finding.level,
        "line": finding.line,
        "exit_code": finding.exit_code,
    }
