"""All checks of a lane on the nodes of a site, and what the engines get from them: device, GID, path MTU. Pure.

`run` calls `examine` before anything starts and stores the record; `doctor` calls it once per lane.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from experiments.binding import DEVICE_VARIABLE, VERBS_DEVICE_VARIABLE, Binding
from experiments.config_lane import Lane
from experiments.planner_memory import pinned_need
from experiments.preflight.checks import Check, failed, first_refusal, not_applicable, passed
from experiments.preflight.control_path import control_path
from experiments.preflight.fabric import End, path_between
from experiments.preflight.node_limits import condition, memlock, space
from experiments.preflight.port_choice import PortSearch
from experiments.preflight.roce_address import GID_VARIABLE, address_of
from experiments.preflight.same_software import clocks, same_engine, same_ucx
from experiments.setup_record.snapshot import Snapshot
from readers.ports import Port
from store.errors import Exit, LabError
from store.facts import Fact
from store.records import PreflightRecord

_VERBS_TRANSPORTS = ("rc_", "dc_", "ud_")


@dataclass(frozen=True)
class NodeView:
    """One node as the preflight sees it: its texts, its facts, and what a run would use there (paths are its own)."""

    snapshot: Snapshot
    facts: Mapping[str, Fact]
    device: str | None = None
    engine: str | None = None
    ucx_prefix: str | None = None


@dataclass(frozen=True)
class Preflight:
    """The checks, and per node the variables that an engine there gets beside those of lane and site."""

    checks: tuple[Check, ...]
    env: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def record(self) -> PreflightRecord:
        """What the run folder keeps."""
        return PreflightRecord(checks=[check.record() for check in self.checks])

    def refusal(self) -> LabError | None:
        """The first failed check that nobody may waive, as the error of the run; None where there is none."""
        return first_refusal(self.checks)

    def applied_to(self, binding: Binding) -> Binding:
        """The binding with what was found on its nodes; a variable that the site sets itself stays."""
        nodes = []
        for node in binding.nodes:
            found = self.env.get(node.name, {})
            env = {**found, **node.env}
            nodes.append(node.model_copy(update={"env": env, "device": _device_of(env) or node.device}))
        return binding.model_copy(update={"nodes": tuple(nodes)})


def examine(
    lane_name: str,
    lane: Lane,
    nodes: Mapping[str, NodeView],
    *,
    owner: str,
    consumer: str,
    plan: Mapping[str, Any] | None = None,
) -> Preflight:
    """The preflight of a lane between two of the nodes, which may be one and the same. Without a plan: doctor's."""
    names = tuple(dict.fromkeys((owner, consumer)))
    views = {name: nodes[name] for name in names}
    checks = [passed("node", name, _node_line(view)) for name, view in views.items()]
    checks += clocks({name: view.snapshot for name, view in views.items()})
    checks += _software(lane, views)
    env: dict[str, dict[str, str]] = {name: {} for name in names}
    ports: dict[str, Port] = {}
    if "rdma_port" in lane.needs:
        found = _rdma_path(lane_name, lane, views)
        checks += found.checks
        ports, env = found.ports, found.env
    else:
        checks += _interfaces(lane_name, views)
    for name, view in views.items():
        checks += control_path(name, view.facts, ports.get(name))
        checks += condition(name, view.facts)
        checks += space(name, view.snapshot.spaces)
        if plan is not None:
            checks.append(memlock(name, view.facts, _need(plan, name, owner, consumer), registers=_registers(lane)))
    if plan is not None:
        told = "proven only by the engine's own protocol table, after its first transfer"
        checks.append(not_applicable("lane", None, told, "lane_proven"))
    return Preflight(tuple(checks), env)


@dataclass(frozen=True)
class _RdmaPath:
    checks: tuple[Check, ...]
    ports: dict[str, Port]
    env: dict[str, dict[str, str]]


def _rdma_path(lane_name: str, lane: Lane, views: Mapping[str, NodeView]) -> _RdmaPath:
    checks: list[Check] = []
    ports: dict[str, Port] = {}
    ends: list[End] = []
    env: dict[str, dict[str, str]] = {name: {} for name in views}
    for name, view in views.items():
        choice = PortSearch(view.snapshot, name, lane_name, lane, view.device).choose()
        checks += choice.checks
        checks += _character_devices(name, view, lane, choice.port)
        if choice.port is None:
            continue
        address = address_of(choice.port, name, _transports(lane))
        checks += address.checks
        ports[name] = choice.port
        ends.append(End(name, choice.port, address.gid))
        env[name] = {DEVICE_VARIABLE: choice.port.name, **address.env}
    if len(ends) == 2:
        path = path_between(ends[0], ends[1])
        checks += path.checks
        env = {name: {**variables, **path.env} for name, variables in env.items()}
    if lane.backend != "ucx":
        env = {name: _for_verbs(variables) for name, variables in env.items()}
    return _RdmaPath(tuple(checks), ports, env)


def _for_verbs(found: Mapping[str, str]) -> dict[str, str]:
    """Port and GID under the names that the engine reads where there is no UCX."""
    names = {DEVICE_VARIABLE: VERBS_DEVICE_VARIABLE, GID_VARIABLE: "RDMALAB_GID_INDEX"}
    return {name: found[key] for key, name in names.items() if key in found}


def _device_of(env: Mapping[str, str]) -> str | None:
    return env.get(DEVICE_VARIABLE) or env.get(VERBS_DEVICE_VARIABLE)


def _software(lane: Lane, views: Mapping[str, NodeView]) -> Iterator[Check]:
    engines = {name: (view.snapshot, view.engine) for name, view in views.items() if view.engine is not None}
    if engines:
        yield same_engine(engines)
    if lane.backend == "ucx" and any(view.ucx_prefix is not None for view in views.values()):
        yield same_ucx({name: (view.snapshot, view.ucx_prefix) for name, view in views.items()})


def _character_devices(name: str, view: NodeView, lane: Lane, port: Port | None) -> Iterator[Check]:
    """What a process needs in /dev/infiniband. Recorded nodes without any link at all tell nothing of it."""
    here = {PurePosixPath(path).name for path in view.snapshot.links if path.startswith("/dev/infiniband/")}
    live = bool(view.snapshot.uname)
    if port is not None and live and not any(device.startswith("uverbs") for device in here):
        advice = "load ib_uverbs; in a container pass /dev/infiniband"
        yield failed("uverbs", name, "there is no /dev/infiniband/uverbs device", advice)
    if "rdmacm" in lane.needs and live and "rdma_cm" not in here:
        yield failed("rdmacm", name, "there is no /dev/infiniband/rdma_cm", "load rdma_ucm, or use lane rc_verbs")


def _interfaces(lane_name: str, views: Mapping[str, NodeView]) -> Iterator[Check]:
    for name, view in views.items():
        if view.device is None:
            continue
        states = view.snapshot.matching("/sys/class/net/*/operstate")
        known = {PurePosixPath(path).parts[4]: state for path, state in states.items()}
        state = known.get(view.device)
        if state is None:
            text = f"the site names {view.device} for lane {lane_name}, and there is no such interface"
            yield failed("device", name, text, f"here are: {', '.join(known)}", exit_code=Exit.WRONG_LANE)
        elif state not in ("up", "unknown"):
            yield failed("device", name, f"interface {view.device} is {state}", "bring it up")
        else:
            yield passed("device", name, f"lane {lane_name} uses {view.device}, as the site says")


def _need(plan: Mapping[str, Any], name: str, owner: str, consumer: str) -> int:
    need = pinned_need(plan)
    return (need.owner if name == owner else 0) + (need.consumer if name == consumer else 0)


def _registers(lane: Lane) -> bool:
    return any(transport.startswith(_VERBS_TRANSPORTS) for transport in lane.transports) or lane.backend == "verbs"


def _transports(lane: Lane) -> tuple[str, ...]:
    return tuple(lane.env.get("UCX_TLS", "").split(","))


def _node_line(view: NodeView) -> str:
    def told(key: str) -> str:
        fact = view.facts.get(key)
        return str(fact.value) if fact is not None and fact.value is not None else "?"

    memory = told("limit.memlock")
    return f"answers; kernel {told('kernel.release')}, {told('cpu.count')} cores, {told('cpu.model')}, memlock {memory}"
