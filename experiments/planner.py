"""Experiment + lane -> plan: what is asked, fully resolved, independent of any machine, as canonical JSON.

Pure: values in, values out. Called by `plan`, `run`, `list` and by refinement. The SHA-256 of `canonical(plan)` is
the plan digest; docs/formats.md describes every key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from experiments.config_experiment import Arm, Experiment
from experiments.config_fields import ConfigModel
from experiments.config_lane import Lane
from experiments.config_operation import OperationsExperiment
from experiments.planner_memory import check_pinned
from experiments.planner_operations import operation_arms, operation_blocks, operation_cells
from experiments.planner_order import Passes, cold_blocks, warm_blocks
from store.errors import Exit, LabError

FORMAT: Final = "rdmalab.plan"
VERSION: Final = 1


def make_plan(
    name: str, experiment: Experiment | OperationsExperiment, lane_name: str, lane: Lane, seed: int
) -> dict[str, Any]:
    """The plan of an experiment on a lane. LabError (exit 2) when its largest block needs too much registered memory,
    or the lane has not what the engine drives."""
    sizes = list(experiment.payloads())
    plan: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "experiment": name,
        "question": experiment.question,
        "engine": experiment.engine,
        "lane": _lane(lane_name, lane),
        "pair": experiment.pair,
        "reps": experiment.reps,
        "order": experiment.order,
        "seed": seed,
        "sizes": sizes,
        "limits": experiment.limits.model_dump(),
        "verify": experiment.verify,
        "require": list(experiment.require),
        "verdicts": [{kind: _plain(body) for kind, body in each.asked().items()} for each in experiment.verdicts],
    }
    if isinstance(experiment, OperationsExperiment):
        _check_peers(experiment, lane_name, lane)
        plan |= _operations(experiment, seed)
        plan["lane"]["backend"] = lane.backend
    else:
        plan |= _rendezvous(experiment, lane_name, lane, seed)
    plan["pairs"] = len({block["pair"] for block in plan["blocks"]})
    plan["reps"] = max(block["rep"] for block in plan["blocks"]) + 1
    check_pinned(plan)
    return plan


def _rendezvous(experiment: Experiment, lane_name: str, lane: Lane, seed: int) -> dict[str, Any]:
    if lane.backend != "ucx":
        raise LabError(
            f"lane {lane_name} has no UCX, and engine rendezvous moves its bytes over UCX",
            advice="--lane rc_verbs uses the same ports through UCX",
            exit_code=Exit.USAGE,
        )
    sizes = list(experiment.payloads())
    arms = [_arm(arm_name, arm, largest=max(sizes)) for arm_name, arm in experiment.arms.items()]
    passes = Passes(arms=len(arms), sizes=len(sizes), order=experiment.order, seed=seed)
    if experiment.pair == "cold":
        blocks = cold_blocks(passes, reps=experiment.reps)
    else:
        blocks = warm_blocks(passes, pairs=experiment.pairs, reps=experiment.reps)
    cells = [{"arm": arm, "size": size} for size in sizes for arm in range(len(arms))]
    return {"arms": arms, "cells": cells, "blocks": blocks}


def _check_peers(experiment: OperationsExperiment, lane_name: str, lane: Lane) -> None:
    asked = {arm.peer for arm in experiment.arms.values()}
    if "perftest" in asked and lane.backend != "verbs":
        told, advice = f"perftest drives queue pairs, lane {lane_name} has none of its own", "--lane verbs"
    elif "ucx_perftest" in asked and lane.backend != "ucx":
        told, advice = f"ucx_perftest needs UCX, lane {lane_name} has none", "peer: perftest there"
    else:
        return
    raise LabError(told, advice=advice, exit_code=Exit.USAGE)


def _operations(experiment: OperationsExperiment, seed: int) -> dict[str, Any]:
    return {
        "windows": list(experiment.windows),
        "arms": operation_arms(experiment),
        "cells": operation_cells(experiment),
        "blocks": operation_blocks(experiment, seed),
    }


def canonical(plan: Mapping[str, Any]) -> bytes:
    """The plan's bytes: keys sorted, no spaces, ASCII, one newline at the end; nan and infinity are a ValueError."""
    text = json.dumps(plan, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.encode("ascii") + b"\n"


def digest(plan: Mapping[str, Any]) -> str:
    """The plan digest: SHA-256 of the canonical bytes, in hex."""
    return hashlib.sha256(canonical(plan)).hexdigest()


def _lane(name: str, lane: Lane) -> dict[str, Any]:
    return {
        "name": name,
        "env": dict(lane.env),
        "error_handling": lane.error_handling,
        "accepts": {operation: list(protocols) for operation, protocols in lane.accepts.items()},
        "transports": list(lane.transports),
    }


def _arm(name: str, arm: Arm, largest: int) -> dict[str, Any]:
    resolved: dict[str, Any] = arm.model_dump(by_alias=True)
    resolved["name"] = name
    resolved["min_bytes"] = _min_bytes(arm, largest)
    resolved["proof"]["operation"] = arm.proof.operation or arm.op
    if arm.proof.protocols is not None:
        resolved["proof"]["protocols"] = list(arm.proof.protocols)
    return resolved


def _min_bytes(arm: Arm, largest: int) -> int:
    if arm.min_bytes == "above_largest":
        return largest + 1
    if arm.min_bytes is not None:
        return arm.min_bytes
    nothing_else = arm.path == "chunked" and not arm.kill_switch and arm.staging == "pinned"
    return largest + 1 if nothing_else else 0


def _plain(body: ConfigModel) -> dict[str, Any]:
    """A verdict's parameters; those that were left out and have no default are left out of the plan too."""
    return body.model_dump(exclude_none=True)
