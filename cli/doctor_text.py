"""An examination of a site as text for a person and as a JSON document. Values in, text out; prints nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from experiments.doctor import Examination, LaneVerdict
from experiments.preflight import Check, NodeView
from experiments.preflight.node_ports import ports_of
from experiments.sizes import rough_size
from readers.ports import Port, usability

_ABOUT_PORTS = ("port", "device", "gid")


def told(found: Examination) -> str:
    """Nodes with their ports, the pair, what to look at, the lanes."""
    lines: list[str] = []
    for name, view in found.nodes.items():
        lines.append(_node_line(name, view))
        lines += [f"  {line}" for line in _port_lines(view)]
    lines += _pair_lines(found)
    lines += _warning_lines(found)
    lines += _lane_lines(found)
    return "\n".join(lines)


def as_document(found: Examination) -> dict[str, Any]:
    """`{format, version, site, nodes: [{name, ports, facts}], lanes: [{name, runnable, reason, advice, checks}]}`."""
    return {
        "format": "rdmalab.doctor",
        "version": 1,
        "site": found.site_name,
        "owner": found.roles[0],
        "consumer": found.roles[1],
        "nodes": [
            {
                "name": name,
                "ports": [_port_document(port) for port in ports_of(view.snapshot)],
                "facts": {key: fact.to_json() for key, fact in view.facts.items()},
            }
            for name, view in found.nodes.items()
        ],
        "lanes": [
            {
                "name": lane.name,
                "runnable": lane.runnable,
                "reason": lane.refusal.message if lane.refusal else None,
                "advice": lane.refusal.advice if lane.refusal else None,
                "checks": [check.record().model_dump(mode="json") for check in lane.checks],
            }
            for lane in found.lanes
        ],
    }


def _node_line(name: str, view: NodeView) -> str:
    facts = view.facts

    def value(key: str) -> Any:
        fact = facts.get(key)
        return fact.value if fact is not None else None

    engine = view.snapshot.hashes.get(view.engine) if view.engine else None
    memlock = value("limit.memlock")
    parts = [
        f"node {name}",
        f"engine {engine[:8]}" if engine else "engine not built",
        f"kernel {value('kernel.release')}",
        f"{value('cpu.count')} cores {value('cpu.model') or ''}".strip(),
        f"memlock {rough_size(memlock) if isinstance(memlock, int) else memlock}"
        + (" (not bound: CAP_IPC_LOCK)" if value("limit.cap_ipc_lock") else ""),
    ]
    return "  ".join(parts)


def _port_lines(view: NodeView) -> Iterator[str]:
    ports = ports_of(view.snapshot)
    if not ports:
        yield "no RDMA port: no adapter, no driver, or no /dev/infiniband in a container; lanes tcp and shm need none"
        return
    width = max(len(port.name) for port in ports)
    for port in ports:
        verdict = usability(port)
        told_usable = f"usable for {verdict.serves} lanes" if verdict.usable else f"not usable: {verdict.reason}"
        rate = f"{port.rate_gbps:g} Gb/s" if port.rate_gbps is not None else ""
        details = [
            f"MTU {port.active_mtu}" if port.active_mtu else "",
            f"LID {port.lid}  SM {port.sm_lid}" if port.link_layer == "InfiniBand" and port.lid else "",
            f"{len(port.gids)} GIDs" if port.gids else "",
            f"fw {port.firmware}" if port.firmware else "",
        ]
        columns = f"{port.name:{width}}  {port.link_layer or 'link layer ?':10}  {port.state or 'state ?':6}  {rate:9}"
        yield f"{columns}  {'  '.join(part for part in details if part)}  {told_usable}"


def _pair_lines(found: Examination) -> list[str]:
    seen = dict.fromkeys(
        check.result for lane in found.lanes for check in lane.checks if check.node is None and check.name != "lane"
    )
    return [f"{'pair' if number == 0 else '':9} {text}" for number, text in enumerate(seen)]


def _warning_lines(found: Examination) -> list[str]:
    checks = [check for lane in found.lanes for check in lane.checks if check.status in ("warning", "failed")]
    checks = [check for check in checks if check.status == "warning" or check.name not in _ABOUT_PORTS]
    texts = dict.fromkeys(_with_advice(check) for check in checks)
    return [f"{'look at' if number == 0 else '':9} {text}" for number, text in enumerate(texts)]


def _lane_lines(found: Examination) -> list[str]:
    """The lanes that can run, one a line; of the others, those with one and the same reason together."""
    lines = [f"{lane.name}: ok{_gids(lane)}" for lane in found.lanes if lane.runnable]
    reasons: dict[str, list[str]] = {}
    for lane in found.lanes:
        if lane.refusal is not None:
            advice = f" ({lane.refusal.advice})" if lane.refusal.advice else ""
            text = lane.refusal.message.replace(f"lane {lane.name}", "the lane") + advice
            reasons.setdefault(text, []).append(lane.name)
    lines += [f"{', '.join(names)}: no: {text}" for text, names in reasons.items()]
    return [f"{'lanes' if number == 0 else '':9} {line}" for number, line in enumerate(lines)]


def _gids(lane: LaneVerdict) -> str:
    gids = [f"{check.node}: {check.result}" for check in lane.checks if check.name == "gid"]
    return f" ({'; '.join(gids)})" if gids else ""


def _with_advice(check: Check) -> str:
    where = f"{check.node}: " if check.node else ""
    return f"{where}{check.result}" + (f" ({check.advice})" if check.advice else "")


def _port_document(port: Port) -> dict[str, Any]:
    verdict = usability(port)
    return {
        "device": port.device,
        "port": port.port,
        "state": port.state,
        "physical_state": port.physical_state,
        "link_layer": port.link_layer,
        "rate_gbit_per_second": port.rate_gbps,
        "width": port.width,
        "active_mtu_bytes": port.active_mtu,
        "lid": port.lid,
        "sm_lid": port.sm_lid,
        "firmware": port.firmware,
        "gids": [{"index": gid.index, "gid": gid.gid, "type": gid.type, "ipv4": gid.ipv4} for gid in port.gids],
        "usable": verdict.usable,
        "serves": verdict.serves,
        "reason": verdict.reason,
    }
