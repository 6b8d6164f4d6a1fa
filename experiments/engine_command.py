"""Builds what starts the engine: argv and environment of each role, and how long a pair may take.

Used by experiments.engine_pair and by whoever asks the engine what it can do.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from experiments.launchers.base import Command
from store.errors import Exit, LabError
from store.names import ROOT

Role = Literal["owner", "consumer"]
STALL_MARGIN_S = 3.0  # between two progress lines, beyond the plan's own deadlines and staging
SLOWEST_HANDLING_BYTES_PER_S = 25e6  # filling and verifying a block's payloads, on an emulated node
LEAST_TOTAL_S = 120.0  # processes start, wire up and register whatever the estimate says
ESTIMATE_FACTOR = 20.0  # an estimate that is wrong by this much is an error, not a slow machine
FOLLOW_S = 10.0  # the second process ends within this after the first
FAULT_FOLLOW_S = 3.0  # and within this after a fault: the liveness connection tells it at once
GRACE_S = 5.0  # between TERM and KILL


@dataclass(frozen=True)
class Side:
    """One role's part of the binding: where it runs and with what. `ucx_prefix` None means the system's UCX."""

    role: Role
    node: str
    address: str = "127.0.0.1"
    env: Mapping[str, str] = field(default_factory=dict)
    cpus: Sequence[int] = ()
    ucx_prefix: str | None = None
    engine: str | None = None


@dataclass(frozen=True)
class Deadlines:
    """How long a pair may take: as a whole, without progress, for its second end (after a fault: less), after TERM."""

    total_s: float
    stall_s: float
    follow_s: float = FOLLOW_S
    fault_follow_s: float = FAULT_FOLLOW_S
    grace_s: float = GRACE_S


def engine_path() -> Path:
    """The engine of this checkout: RDMALAB_ENGINE, else the one that the entry script built. LabError when absent."""
    path = Path(os.environ.get("RDMALAB_ENGINE") or ROOT / ".build" / "rdmalab_engine").absolute()
    if not path.is_file():
        raise LabError(f"{path}: no engine there", advice="./rdmalab builds it", exit_code=Exit.CANNOT_RUN)
    return path


def deadlines_for(plan: Mapping[str, Any], blocks: int, estimate_s: float, allowance_s: float = 0.0) -> Deadlines:
    """The deadlines of a pair that runs `blocks` blocks of a plan whose whole estimate is `estimate_s`."""
    limits = plan.get("limits", {})
    waits = (int(limits.get("get_timeout_ms", 30_000)) + int(limits.get("exchange_timeout_ms", 30_000))) / 1000
    share = estimate_s * blocks / max(1, len(plan.get("blocks", [])))
    return Deadlines(
        total_s=LEAST_TOTAL_S + ESTIMATE_FACTOR * share + waits + allowance_s,
        stall_s=waits + STALL_MARGIN_S + _largest_block(plan) / SLOWEST_HANDLING_BYTES_PER_S + allowance_s,
        follow_s=FOLLOW_S + allowance_s,
        fault_follow_s=FAULT_FOLLOW_S + allowance_s,
        grace_s=GRACE_S + allowance_s,
    )


def _largest_block(plan: Mapping[str, Any]) -> int:
    """Bytes of the payloads of the largest block, all of which are staged between two progress lines."""
    sizes = [int(cell.get("size", 0)) for cell in plan.get("cells", [])]
    blocks = plan.get("blocks", [])
    return max((sum(sizes[cell] for cell in block["cells"]) for block in blocks), default=0) if sizes else 0


def ranges(blocks: Sequence[int]) -> str:
    """Ascending block ids as the engine takes them: `0-19,25`."""
    parts: list[list[int]] = []
    for block in blocks:
        if parts and parts[-1][-1] + 1 == block:
            parts[-1][-1] = block
        else:
            parts.append([block, block])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


def engine_command(
    side: Side,
    *,
    engine: str,
    plan: str,
    out: str,
    exchange: str,
    token: str,
    pair: int,
    blocks: Sequence[int],
    lane_env: Mapping[str, str],
) -> Command:
    """The engine of one role; all paths as its node sees them. Nothing of the tool's own environment goes along."""
    argv = [
        engine,
        f"--role={side.role}",
        f"--plan={plan}",
        f"--blocks={ranges(blocks)}",
        f"--pair={pair}",
        f"--exchange={exchange}",
        f"--token={token}",
        f"--out={out}",
    ]
    if side.role == "owner":
        argv.append(f"--listen={side.address}")
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LC_ALL": "C",
        **({"LD_LIBRARY_PATH": f"{side.ucx_prefix}/lib"} if side.ucx_prefix else {}),
        **lane_env,
        **side.env,
        "UCX_LOG_FILE": f"{out}/{side.role}.ucx.log",
        "UCX_PROTO_INFO": "y",
    }
    return Command(argv, environment, tuple(side.cpus), out)
