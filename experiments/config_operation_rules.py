"""Rules over an experiment of the operations engine that no single field can state. Used by experiments.config."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from experiments.config_operation import OperationArm, OperationsExperiment
from experiments.config_rules import COMMON_RULES, Broken, named_sizes
from experiments.sizes import format_size


def _windows_once(experiment: OperationsExperiment) -> Iterator[Broken]:
    for index, window in enumerate(experiment.windows):
        if window in experiment.windows[:index]:
            yield Broken(("windows", index), f"window {window} stands twice")


def _receives_cover_the_window(experiment: OperationsExperiment) -> Iterator[Broken]:
    largest = max(experiment.windows)
    for name, arm in experiment.arms.items():
        if arm.recv_depth is None:
            continue
        if arm.op != "send":
            told = f"recv_depth of arm '{name}' does nothing"
            yield Broken(("arms", name, "recv_depth"), told, "it takes effect with op: send")
        elif arm.recv_depth < largest:
            told = f"recv_depth {arm.recv_depth} of arm '{name}' is below window {largest}"
            hint = "the sender would run ahead of the posted receives"
            yield Broken(("arms", name, "recv_depth"), told, hint)


def _messages_fit(experiment: OperationsExperiment) -> Iterator[Broken]:
    for name, arm in experiment.arms.items():
        larger = [size for size in experiment.payloads() if size > arm.working_set]
        if larger:
            told = f"messages of {named_sizes(larger)} are larger than the working set of arm '{name}'"
            hint = f"working_set: at least {format_size(max(larger))}"
            yield Broken(("arms", name, "working_set"), told, hint)


def _something_is_signalled(experiment: OperationsExperiment) -> Iterator[Broken]:
    smallest = min(experiment.windows)
    for name, arm in experiment.arms.items():
        if arm.signal_every > smallest:
            told = f"signal_every {arm.signal_every} of arm '{name}' is above window {smallest}"
            yield Broken(("arms", name, "signal_every"), told, "no completion would ever come")


def _latency_one_by_one(experiment: OperationsExperiment) -> Iterator[Broken]:
    latency = [name for name, arm in experiment.arms.items() if arm.mode == "latency"]
    if latency and experiment.windows != (1,):
        told = f"arm '{latency[0]}' measures latency, one operation at a time"
        yield Broken(("windows",), told, "windows: [1], or another experiment for its rate")


def _peers(experiment: OperationsExperiment) -> Iterator[Broken]:
    peers = [name for name, arm in experiment.arms.items() if arm.peer is not None]
    if len(peers) == len(experiment.arms):
        yield Broken(("arms", peers[0], "peer"), "every arm is a peer tool's", "add an arm that the engine measures")
    if peers and experiment.pair == "cold":
        yield Broken(("pair",), "pair: cold has no meaning beside a peer tool", "each round is a fresh pair already")
    for name in peers:
        yield from _peer_arm(name, experiment.arms[name])


def _peer_arm(name: str, arm: OperationArm) -> Iterator[Broken]:
    if arm.iterations == 0:
        hint = "set the same iterations for the arms that are compared"
        yield Broken(("arms", name, "iterations"), f"peer arm '{name}' needs iterations", hint)
    if arm.memory != "host":
        yield Broken(("arms", name, "memory"), f"peer arm '{name}' is measured in host memory only")


OPERATION_RULES: Final[tuple[Callable[[OperationsExperiment], Iterator[Broken]], ...]] = (
    *COMMON_RULES,
    _windows_once,
    _receives_cover_the_window,
    _messages_fit,
    _something_is_signalled,
    _latency_one_by_one,
    _peers,
)
