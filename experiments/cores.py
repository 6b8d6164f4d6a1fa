"""Which CPUs the owner and the consumer run on: distinct cores where two are free, so that neither measures the other.

Used by experiments.binding. `pinning` is pure; `local_cores` reads this host's topology.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

_TOPOLOGY: Final = Path("/sys/devices/system/cpu")


def pinning(cores: Sequence[Sequence[int]], threads: int = 1) -> tuple[list[int], list[int]]:
    """CPUs for owner and consumer, `threads` cores each; two empty lists (not pinned) when there are too few cores.

    `cores` lists the CPUs of each core. The last cores are taken, one CPU each: interrupts tend to the first ones,
    and neighbours share a NUMA node.
    """
    if threads < 1 or len(cores) < 2 * threads:
        return [], []
    chosen = [core[0] for core in cores[-2 * threads :]]
    return chosen[:threads], chosen[threads:]


def local_cores() -> list[list[int]]:
    """The CPUs this process may use, grouped by core, both in rising order."""
    return group_by_core(os.sched_getaffinity(0), _TOPOLOGY)


def group_by_core(cpus: Collection[int], topology: Path) -> list[list[int]]:
    """`cpus` grouped by the sibling lists below `topology`; a CPU without one is a core of its own."""
    groups: dict[str, list[int]] = {}
    for cpu in sorted(cpus):
        try:
            siblings = (topology / f"cpu{cpu}" / "topology" / "thread_siblings_list").read_text().strip()
        except OSError:
            siblings = str(cpu)
        groups.setdefault(siblings, []).append(cpu)
    return sorted(groups.values())
