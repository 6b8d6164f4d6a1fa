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


def estimate_seconds(plan: Mapping[str, Any], lane: Estimate) -> float:
    """Seconds that the whole plan takes on a lane with these rates, to three digits."""
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
