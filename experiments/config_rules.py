"""Rules over a whole config file that no single field can state; each is a function that yields mistakes.

Used by experiments.config after the model is valid. To add a rule: a function here and one line in its list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from experiments.config_experiment import Arm, Experiment, ExperimentBase
from experiments.config_lane import Lane
from experiments.config_mistakes import did_you_mean
from experiments.config_site import Site
from experiments.config_text import Loc
from experiments.sizes import format_size

LARGEST_PLAN: Final = 10_000_000
"""Samples of one plan; a plan is kept in memory and in one file."""
MOST_PAIRS: Final = 10_000
"""Pairs of processes of one plan; the engine takes no more."""

CONNECT_VARIABLE: Final = "RDMALAB_CONNECT"
"""Who makes the connections of backend verbs: the two engines (exchange), or librdmacm (rdmacm)."""

_OPERATIONS: Final = {"rendezvous": ("get", "put"), "operations": ("read", "write", "send")}


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that does not hold: where, what, and what to write instead."""

    loc: Loc
    message: str
    hint: str | None = None


def named_sizes(sizes: list[int]) -> str:
    """`4KiB, 8KiB, 16KiB and 5 more`: the sizes of a message, never a page of them."""
    head = ", ".join(format_size(size) for size in sizes[:4])
    return head if len(sizes) <= 4 else f"{head} and {len(sizes) - 4} more"


def _sizes_once(experiment: ExperimentBase) -> Iterator[Broken]:
    first: dict[int, int] = {}
    for index, entry in enumerate(experiment.sizes):
        twice = [size for size in entry if size in first]
        if twice:
            hint = f"first in entry {first[twice[0]] + 1}"
            yield Broken(("sizes", index), f"{named_sizes(twice)} stands twice in sizes", hint)
        for size in entry:
            first.setdefault(size, index)


def _pairs_of_cold(experiment: ExperimentBase) -> Iterator[Broken]:
    if experiment.pair == "cold" and experiment.pairs != 1:
        yield Broken(("pairs",), "pairs has no meaning with pair: cold", "each rep is a fresh pair: set reps")


def _size_of_plan(experiment: ExperimentBase) -> Iterator[Broken]:
    cells = len(experiment.payloads()) * len(getattr(experiment, "windows", (1,))) * len(_arms(experiment))
    samples = experiment.reps * experiment.pairs * cells
    if samples > LARGEST_PLAN:
        yield Broken(("reps",), f"{samples} samples in one plan", f"at most {LARGEST_PLAN}: make several runs")
    elif experiment.pair == "cold" and samples > MOST_PAIRS:
        yield Broken(("reps",), f"{samples} cold pairs in one plan", f"at most {MOST_PAIRS}: fewer reps, sizes or arms")


def _arms(experiment: ExperimentBase) -> dict[str, object]:
    """The arms of whichever engine it is, by name."""
    arms: dict[str, object] = getattr(experiment, "arms", {})
    return arms


def _rdma_arms(experiment: Experiment) -> Iterator[Broken]:
    for name, arm in experiment.arms.items():
        if arm.path != "rdma":
            continue
        if arm.kill_switch:
            hint = "it would not be an rdma arm"
            yield Broken(("arms", name, "kill_switch"), f"rdma arm '{name}' with the kill switch on", hint)
        if arm.staging == "plain":
            hint = "the owner offers rdma from pinned memory only"
            yield Broken(("arms", name, "staging"), f"rdma arm '{name}' with plain staging", hint)
        least = arm.min_bytes if isinstance(arm.min_bytes, int) else 0
        above = arm.min_bytes == "above_largest"
        below = [size for size in dict.fromkeys(experiment.payloads()) if above or size < least]
        if below:
            told = f"min_bytes of rdma arm '{name}' is above {named_sizes(below)}: there it would not be an rdma arm"
            hint = (
                "drop those sizes, or lower it"
                if len(below) < len(set(experiment.payloads()))
                else "leave min_bytes out"
            )
            yield Broken(("arms", name, "min_bytes"), told, hint)


def _chunked_arms(experiment: Experiment) -> Iterator[Broken]:
    for name, arm in experiment.arms.items():
        if arm.path != "chunked" or arm.kill_switch or arm.staging == "plain" or not isinstance(arm.min_bytes, int):
            continue
        offered = [size for size in dict.fromkeys(experiment.payloads()) if size >= arm.min_bytes]
        if offered:
            told = f"chunked arm '{name}' would be an rdma arm at {named_sizes(offered)}"
            hint = "min_bytes: above_largest makes it chunked and changes nothing else"
            yield Broken(("arms", name, "min_bytes"), told, hint)


def _keys_that_do_nothing(experiment: Experiment) -> Iterator[Broken]:
    for name, arm in experiment.arms.items():
        idle = [("copy_", "copy"), ("destination", "destination"), ("piece", "piece")] if arm.read != "get" else []
        for field, key in idle:
            if field in arm.model_fields_set:
                yield Broken(("arms", name, key), f"{key} of arm '{name}' does nothing: {arm.read} has no copy")
        yield from _idle(arm, name, "piece", "copy: overlapped", arm.read != "get" or arm.copy_ == "overlapped")
        yield from _idle(arm, name, "spin_us", "progress: thread", arm.progress == "thread")


def _idle(arm: Arm, name: str, key: str, needs: str, used: bool) -> Iterator[Broken]:
    if key in arm.model_fields_set and not used:
        yield Broken(("arms", name, key), f"{key} of arm '{name}' does nothing", f"it takes effect with {needs}")


def _operations(experiment: Experiment) -> Iterator[Broken]:
    possible = _OPERATIONS[experiment.engine]
    for name, arm in experiment.arms.items():
        if arm.op not in possible:
            told = f"op '{arm.op}' of arm '{name}' is not one of engine {experiment.engine}"
            yield Broken(("arms", name, "op"), told, f"it has: {', '.join(possible)}")


def _verdicts(experiment: ExperimentBase) -> Iterator[Broken]:
    for index, verdict in enumerate(experiment.verdicts):
        asked = verdict.asked()
        if len(asked) != 1:
            yield Broken(("verdicts", index), f"a verdict is one kind, not {len(asked)}", "one '- kind: {...}' each")
        for kind, body in asked.items():
            arms = {key: getattr(body, key) for key in ("of", "over", "arm") if getattr(body, key, None) is not None}
            for key, arm in arms.items():
                known = _arms(experiment)
                if arm not in known:
                    hint = did_you_mean(arm, known) or f"the arms are: {', '.join(known)}"
                    yield Broken(("verdicts", index, kind, key), f"{kind}: there is no arm '{arm}'", hint)
            if "of" in arms and arms["of"] == arms.get("over"):
                yield Broken(("verdicts", index, kind, "over"), f"{kind} compares '{arms['of']}' with itself")


def _limits(experiment: ExperimentBase) -> Iterator[Broken]:
    limits = experiment.limits
    if limits.arena_bytes > limits.registered_bytes:
        told = f"arena_bytes {format_size(limits.arena_bytes)} is above registered_bytes"
        yield Broken(("limits", "arena_bytes"), told, f"at most {format_size(limits.registered_bytes)}")


COMMON_RULES: Final[tuple[Callable[[ExperimentBase], Iterator[Broken]], ...]] = (
    _sizes_once,
    _pairs_of_cold,
    _size_of_plan,
    _verdicts,
    _limits,
)
"""Of an experiment of any engine."""

EXPERIMENT_RULES: Final[tuple[Callable[[Experiment], Iterator[Broken]], ...]] = (
    *COMMON_RULES,
    _rdma_arms,
    _chunked_arms,
    _keys_that_do_nothing,
    _operations,
)


def _lane_environment(lane: Lane) -> Iterator[Broken]:
    if lane.backend == "ucx" and "UCX_TLS" not in lane.env:
        yield Broken(("env",), "env does not set UCX_TLS", "without it UCX takes any transport it finds")
    if lane.backend == "ucx" and not lane.transports:
        yield Broken(("transports",), "transports is empty", "name those that a protocol table may show, such as tcp")
    if lane.backend == "ucx" and CONNECT_VARIABLE in lane.env:
        yield Broken(("env", CONNECT_VARIABLE), f"{CONNECT_VARIABLE} is for backend verbs", "UCX_TLS says it to UCX")
    if lane.backend != "ucx" and any(name != CONNECT_VARIABLE for name in lane.env):
        yield Broken(("env",), f"backend {lane.backend} reads no UCX_* variable")
    if lane.env.get(CONNECT_VARIABLE, "exchange") not in ("exchange", "rdmacm"):
        told = f"nothing connects by '{lane.env[CONNECT_VARIABLE]}'"
        yield Broken(("env", CONNECT_VARIABLE), told, "exchange or rdmacm")
    if "UCX_NET_DEVICES" in lane.env:
        yield Broken(("env", "UCX_NET_DEVICES"), "a lane does not name a device", "the site does, under nodes: device:")


def _lane_proof(lane: Lane) -> Iterator[Broken]:
    if lane.backend == "ucx" and not lane.accepts.get("get"):
        yield Broken(("accepts",), "accepts names no protocol for get", "such as get: [zero-copy]")


LANE_RULES: Final[tuple[Callable[[Lane], Iterator[Broken]], ...]] = (_lane_environment, _lane_proof)


def _site_nodes(site: Site) -> Iterator[Broken]:
    names = [node.name for node in site.nodes]
    for index, node in enumerate(site.nodes):
        if node.name in names[:index]:
            yield Broken(("nodes", index, "name"), f"node '{node.name}' stands twice")
        if site.launcher == "ssh" and node.ssh is None and site.testbed is None:
            yield Broken(("nodes", index), f"node '{node.name}' has no ssh", "launcher ssh needs ssh: {host: ...}")
    if site.launcher == "local" and len(names) > 1:
        yield Broken(("nodes", 1), "launcher local has one node", "it plays both roles")


def _site_roles(site: Site) -> Iterator[Broken]:
    for role in ("owner", "consumer"):
        playing = [index for index, node in enumerate(site.nodes) if node.roles is not None and role in node.roles]
        if len(playing) > 1:
            yield Broken(("nodes", playing[1], "roles"), f"two nodes play the {role}")


SITE_RULES: Final[tuple[Callable[[Site], Iterator[Broken]], ...]] = (_site_nodes, _site_roles)
