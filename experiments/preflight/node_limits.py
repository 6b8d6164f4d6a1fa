"""What a node's limits and condition mean for a run: locked memory, swap, load, space. Pure: facts in, checks out."""

from __future__ import annotations

from collections.abc import Mapping

from experiments.preflight.checks import Check, failed, not_applicable, passed, warning
from experiments.sizes import rough_size
from store.facts import Fact, Status

MEMLOCK = "memlock_for_plan"
LEAST_SPACE_BYTES = 64 << 20
UCX_OWN_BYTES = 64 << 20
"""What UCX itself registers beside the plan's memory: rings, bounce buffers and receive pools. Those of ud_verbs alone
take 20 MiB a worker (1.20); without it, wire-up never ends instead of failing."""


def memlock(node: str, facts: Mapping[str, Fact], need_bytes: int, *, registers: bool) -> Check:
    """The limit of a process started like the engine. `registers`: the lane's transports lock memory."""
    if not registers:
        return not_applicable("memlock", node, "the lane registers nothing with an adapter", MEMLOCK)
    limit = facts.get("limit.memlock")
    if facts.get("limit.cap_ipc_lock", _UNKNOWN).value is True:
        told = limit.value if limit is not None else None
        return passed("memlock", node, f"CAP_IPC_LOCK: the limit ({told}) does not bind the engine", MEMLOCK)
    if limit is None or limit.value is None:
        return failed("memlock", node, "its limit is not known", "ulimit -l on the node tells it", requirement=MEMLOCK)
    if limit.value == "unlimited":
        return passed("memlock", node, "unlimited", MEMLOCK)
    whole = need_bytes + UCX_OWN_BYTES
    if isinstance(limit.value, int) and limit.value >= whole:
        return passed("memlock", node, f"{rough_size(limit.value)}, {rough_size(whole)} needed", MEMLOCK)
    size = rough_size(limit.value) if isinstance(limit.value, int) and limit.value > 0 else str(limit.value)
    return failed(
        "memlock",
        node,
        f"the engine may lock {size} of memory, the plan needs {rough_size(whole)}",
        "raise it for the engine itself: limits.conf, LimitMEMLOCK of sshd or slurmd, a container's ulimit",
        requirement=MEMLOCK,
    )


def condition(node: str, facts: Mapping[str, Fact]) -> tuple[Check, ...]:
    """Governor, swap and load: warnings, because a run under them is a run, and its numbers say so."""
    checks = []
    governor = facts.get("cpu.governor", _UNKNOWN).value
    if isinstance(governor, str) and governor != "performance":
        advice = "cpupower frequency-set -g performance"
        checks.append(warning("governor", node, f"governor {governor}: the clock changes with load", advice))
    used = facts.get("memory.swap.used", _UNKNOWN).value
    if isinstance(used, int) and used > 0:
        checks.append(warning("swap", node, f"{rough_size(used)} in swap", "free memory, or swapoff"))
    load, cores = facts.get("cpu.load", _UNKNOWN).value, facts.get("cpu.count", _UNKNOWN).value
    if isinstance(load, (int, float)) and isinstance(cores, int) and load > cores:
        text = f"load {load:.1f} on {cores} cores before the run starts"
        checks.append(warning("load", node, text, "other work on the node disturbs every figure"))
    return tuple(checks)


def space(node: str, spaces: Mapping[str, int | None]) -> tuple[Check, ...]:
    """Room for samples and logs in the folders that the engine writes to."""
    checks = []
    for folder, free in spaces.items():
        if free is not None and free < LEAST_SPACE_BYTES:
            text = f"{free / 2**20:.0f} MiB are free at {folder}"
            checks.append(failed("space", node, text, f"free {LEAST_SPACE_BYTES >> 20} MiB there, or use --store"))
    return tuple(checks)


_UNKNOWN = Fact(None, None, "not in the record", Status.ABSENT)
