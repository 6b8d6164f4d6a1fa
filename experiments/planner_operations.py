"""An experiment of the operations engine + lane -> plan. The counterpart of experiments.planner for such experiments.

Pure. With peer tools each round is a planned pair of its own: the engine's pair ends before the tool starts, so that
neither disturbs the other, and who goes first changes from round to round.
"""

from __future__ import annotations

from typing import Any, Final

from experiments.config_operation import OperationArm, OperationsExperiment
from experiments.planner_order import Passes, cold_blocks, warm_blocks

LEAST_RECV_DEPTH: Final = 128


def operation_arms(experiment: OperationsExperiment) -> list[dict[str, Any]]:
    """The arms with every key resolved, in the order written; index = arm id."""
    return [_arm(name, arm, max(experiment.windows)) for name, arm in experiment.arms.items()]


def operation_cells(experiment: OperationsExperiment) -> list[dict[str, int]]:
    """size x window x arm; index = cell id."""
    return [
        {"arm": arm, "size": size, "window": window}
        for size in experiment.payloads()
        for window in experiment.windows
        for arm in range(len(experiment.arms))
    ]


def operation_blocks(experiment: OperationsExperiment, seed: int) -> list[dict[str, Any]]:
    """The blocks in the order of execution; with peers `peer` names the tool of a block that is not the engine's."""
    points = len(experiment.payloads()) * len(experiment.windows)
    passes = Passes(arms=len(experiment.arms), sizes=points, order=experiment.order, seed=seed)
    peers = list(dict.fromkeys(arm.peer for arm in experiment.arms.values() if arm.peer is not None))
    if peers:
        return _rounds(experiment, passes, [None, *peers])
    if experiment.pair == "cold":
        return [dict(block) for block in cold_blocks(passes, reps=experiment.reps)]
    return [dict(block) for block in warm_blocks(passes, pairs=experiment.pairs, reps=experiment.reps)]


def rounds_of(experiment: OperationsExperiment) -> int:
    """Rounds of a plan with peers: what would be pairs x reps without."""
    return experiment.pairs * experiment.reps


def _rounds(experiment: OperationsExperiment, passes: Passes, tools: list[str | None]) -> list[dict[str, Any]]:
    by_tool = [arm.peer for arm in experiment.arms.values()]
    blocks: list[dict[str, Any]] = []
    for number in range(rounds_of(experiment)):
        cells = passes.cells(0, number)
        for tool in tools if number % 2 == 0 else tools[::-1]:
            mine = [cell for cell in cells if by_tool[cell % len(by_tool)] == tool]
            block: dict[str, Any] = {"pair": len(blocks), "rep": number, "warmup": False, "cells": mine}
            blocks.append(block if tool is None else {**block, "peer": tool})
    return blocks


def _arm(name: str, arm: OperationArm, largest_window: int) -> dict[str, Any]:
    resolved: dict[str, Any] = arm.model_dump(exclude={"working_set", "recv_depth"})
    resolved |= {
        "name": name,
        "recv_depth": arm.recv_depth or max(LEAST_RECV_DEPTH, 2 * largest_window),
        "working_set_bytes": arm.working_set,
    }
    resolved["proof"]["operation"] = arm.proof.operation or arm.op
    if arm.proof.protocols is not None:
        resolved["proof"]["protocols"] = list(arm.proof.protocols)
    return resolved
