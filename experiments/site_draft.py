"""A commented site file from what its nodes have: `site init`. Pure: node views in, YAML text out.

Only what was found without doubt is written as a value; a choice between several stands in a comment for a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from experiments.config import load_lane, names
from experiments.config_site import Ssh
from experiments.preflight import NodeView
from experiments.preflight.node_ports import ports_of
from experiments.preflight.port_choice import PortSearch, describe
from readers.ports import usability

_VIRTUAL = re.compile(r"^(lo|docker|virbr|veth|br-|cni|flannel|cali|tunl)")


@dataclass(frozen=True)
class DraftNode:
    """One node as it was read; `ssh` None is this host."""

    name: str
    view: NodeView
    ssh: Ssh | None


def addresses(view: NodeView) -> dict[str, str]:
    """IPv4 address by interface, bridges and virtual links of containers left out, in the order of `ip addr`."""
    found: dict[str, str] = {}
    for line in (view.snapshot.output("addresses") or "").splitlines():
        match = re.match(r"^\d+:\s+(\S+?)(?:@\S+)?\s+inet (\d+\.\d+\.\d+\.\d+)/", line)
        if match and not _VIRTUAL.match(match[1]):
            found.setdefault(match[1], match[2])
    return found


def draft(name: str, nodes: list[DraftNode], today: str) -> str:
    """The text of the site file."""
    remote = nodes[0].ssh is not None
    shared = _shared_interface(nodes)
    lines = [
        f"# Site {name}, written by `rdmalab site init` on {today} from what its nodes had.",
        f"# Correct it where a comment asks you to, then: ./rdmalab site check {name}",
        f"description: {_description(nodes)}",
        f"launcher: {'ssh' if remote else 'local'}",
    ]
    if remote:
        lines += [
            "exchange: tcp                   # dir, where both nodes see the run folder",
            "collect: copy                   # shared, where both nodes see the run folder",
            "# workdir: /path                # the checkout's folder on the nodes, where it differs from here",
            "# ucx: {prefix: /opt/hpcx/ucx}  # the nodes' own UCX; absent: the run time of the lane, from the checkout",
        ]
    lines.append("nodes:")
    for node in nodes:
        lines += _node_lines(node, shared)
    lines += _control_lines(shared, remote)
    return "\n".join(lines) + "\n"


def _description(nodes: list[DraftNode]) -> str:
    hosts = ", ".join(node.name for node in nodes)
    return f"nodes {hosts} over ssh" if nodes[0].ssh is not None else f"two processes on {hosts}"


def _node_lines(node: DraftNode, shared: str | None) -> Iterator[str]:
    facts = node.view.facts
    kernel, cores, model = (facts[key].value for key in ("kernel.release", "cpu.count", "cpu.model"))
    yield f"  - name: {node.name}"
    yield f"    # kernel {kernel}, {cores} cores {model or ''}, locked memory {facts['limit.memlock'].value}".rstrip()
    if node.ssh is not None:
        found = addresses(node.view)
        others = ", ".join(f"{interface} {address}" for interface, address in found.items() if interface != shared)
        address = found.get(shared or "") or node.ssh.host
        yield f"    address: {address}" + (f"   # also: {others}" if others else "")
        yield f"    ssh: {_ssh_text(node.ssh)}"
    for port in ports_of(node.view.snapshot):
        verdict = usability(port)
        serves = f"usable for {verdict.serves} lanes" if verdict.usable else f"not usable: {verdict.reason}"
        yield f"    # {port.name} {describe(port)}: {serves}"
    yield from _device_lines(node)


def _device_lines(node: DraftNode) -> Iterator[str]:
    chosen: dict[str, str] = {}
    for lane_name in names("lane"):
        lane = load_lane(lane_name)
        if "rdma_port" not in lane.needs:
            continue
        search = PortSearch(node.view.snapshot, node.name, lane_name, lane)
        fitting = [port.name for port in search.ports if search.against(port) is None]
        if len(fitting) == 1:
            chosen[lane_name] = fitting[0]
        elif fitting:
            yield f"    # lane {lane_name}: name one of {', '.join(fitting)} under device"
    if node.ssh is None:
        chosen["tcp"] = "lo"
    if chosen:
        yield "    device: {" + ", ".join(f'{lane}: "{port}"' for lane, port in chosen.items()) + "}"


def _control_lines(shared: str | None, remote: bool) -> Iterator[str]:
    if shared is not None and remote:
        yield f"control: {{interface: {shared}}}      # the network of control messages and of the chunked path"
    elif remote:
        yield "# control: {interface: NAME}    # name the network of control messages and of the chunked path"


def _shared_interface(nodes: list[DraftNode]) -> str | None:
    """The one interface that every node has under the same name; None where there are several or none."""
    common = set.intersection(*(set(addresses(node.view)) for node in nodes))
    return next(iter(common)) if len(common) == 1 else None


def _ssh_text(ssh: Ssh) -> str:
    parts: Mapping[str, str | int | None] = {
        "host": ssh.host,
        "port": ssh.port if ssh.port != 22 else None,
        "user": ssh.user,
        "identity": ssh.identity,
    }
    return "{" + ", ".join(f"{key}: {value}" for key, value in parts.items() if value is not None) + "}"
