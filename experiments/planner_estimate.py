"""A rough model of how long a plan takes, for the binding, for `list` and for deadlines. Never a result.

time = pairs x start + samples x (transfer + overhead) + bytes x (1 / lane rate + 1 / handling rate)

where handling is filling, poisoning, copying and verifying each payload outside the timed part, and each staged slot.
The constants were taken on two cores of a small virtual machine; a wrong one costs a wrong remaining time, no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from experiments.config_lane import Estimate

PAIR_START_S: Final = 0.9
"""Two processes started, met, wired up and ended."""
SAMPLE_OVERHEAD_S: Final = 0.0004
"""Acquire, release, barrier and record of one sample."""
BLOCK_OVERHEAD_S: Final = 0.02
"""Staging round trip and the flush to disk after each block."""
HANDLED_BYTES_PER_SECOND: Final = 1.2e9
RAMP_S: Final = 0.03
"""What the operations engine runs before it measures a cell."""


def estimate_seconds(plan: Mapping[str, Any], lane: Estimate) -> float:
    """Seconds that the whole plan takes on a lane with these rates, to three digits."""
    if plan.get("engine") == "operations":
        return float(f"{_operations_seconds(plan, lane):.3g}")
    sizes = [cell["size"] for cell in plan["cells"]]
    samples = sum(len(block["cells"]) for block in plan["blocks"])
    moved = sum(sizes[cell] for block in plan["blocks"] for cell in block["cells"])
    pairs = len({block["pair"] for block in plan["blocks"]})
    seconds = (
        pairs * PAIR_START_S
        + len(plan["blocks"]) * BLOCK_OVERHEAD_S
        + samples * (lane.transfer_us / 1e6 + SAMPLE_OVERHEAD_S)
        + moved * (1 / lane.bytes_per_second + 1 / HANDLED_BYTES_PER_SECOND)
    )
    return float(f"{seconds:.3g}")


def _operations_seconds(plan: Mapping[str, Any], lane: Estimate) -> float:
    """pairs x start + samples x (ramp, duration or iterations, filling and draining the window, filling and checking
    the working sets of both sides)."""
    arms, cells = plan["arms"], plan["cells"]
    seconds = len({block["pair"] for block in plan["blocks"]}) * PAIR_START_S
    of_cell = [_operations_sample(arms[cell["arm"]], cell, lane) for cell in cells]
    return float(seconds + sum(BLOCK_OVERHEAD_S + sum(of_cell[cell] for cell in b["cells"]) for b in plan["blocks"]))


def _operations_sample(arm: Mapping[str, Any], cell: Mapping[str, int], lane: Estimate) -> float:
    message = cell["size"] / lane.bytes_per_second + lane.transfer_us / 1e6 / cell["window"]
    measured = arm["iterations"] * message if arm["iterations"] else arm["duration_ms"] / 1e3
    handled = 4 * arm["working_set_bytes"] / HANDLED_BYTES_PER_SECOND
    return float(SAMPLE_OVERHEAD_S + RAMP_S + measured + 2 * cell["window"] * message + handled)
