"""How much registered memory a plan needs on each side, and the refusal of a plan that cannot fit.

Used by experiments.planner, and by the preflight for the memlock limit. Slots are staged block by block, so the need
is that of the largest block; each slot takes whole granules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from experiments.sizes import format_size
from store.errors import Exit, LabError

GRANULE: Final = 4096
"""Arenas hand out memory in these."""


@dataclass(frozen=True, slots=True)
class PinnedNeed:
    """Registered bytes of the largest block: per arm and in sum at the owner, and in sum at the consumer."""

    owner_by_arm: Mapping[str, int]
    consumer: int

    @property
    def owner(self) -> int:
        """All slots of the owner together."""
        return sum(self.owner_by_arm.values())


def pinned_need(plan: Mapping[str, Any]) -> PinnedNeed:
    """The registered memory of the largest block of a plan.

    Owner: a slot per cell of each arm that stages in pinned memory. Consumer: transfers follow one another, so the
    largest lease (get, get_pinned; of an overlapped copy two pieces) and the largest buffer of a caller (get_into).
    The unused tails of arenas are not counted: where they matter, the engine stages plain and each sample says so.
    """
    if plan.get("engine") == "operations":
        return _operations_need(plan)
    arms, cells = plan["arms"], plan["cells"]
    per_block = [_owner_of(block["cells"], arms, cells) for block in _distinct(plan["blocks"])]
    largest = max(per_block, key=lambda each: sum(each.values()), default={})
    leases = [_lease(arms[cell["arm"]], cell["size"]) for cell in cells]
    into = [_granules(cell["size"]) for cell in cells if arms[cell["arm"]]["read"] == "get_into"]
    return PinnedNeed(largest, max(leases, default=0) + max(into, default=0))


def check_pinned(plan: Mapping[str, Any]) -> None:
    """LabError (exit 2) when a side needs more registered memory than the plan's limit, with the sum per arm."""
    need, limit = pinned_need(plan), int(plan["limits"]["registered_bytes"])
    raise_to = format_size(-(-max(need.owner, need.consumer) // (1 << 20)) << 20)
    advice = f"--set limits.registered_bytes={raise_to}, or fewer or smaller sizes"
    if need.owner > limit:
        parts = ", ".join(f"{arm} {format_size(size)}" for arm, size in need.owner_by_arm.items())
        raise LabError(
            f"the largest block needs {format_size(need.owner)} of pinned memory at the owner, "
            f"the limit is {format_size(limit)} ({parts})",
            advice=advice,
            exit_code=Exit.USAGE,
        )
    if need.consumer > limit:
        raise LabError(
            f"the largest transfers need {format_size(need.consumer)} of registered memory at the consumer, "
            f"the limit is {format_size(limit)}",
            advice=advice,
            exit_code=Exit.USAGE,
        )


def _operations_need(plan: Mapping[str, Any]) -> PinnedNeed:
    """Both sides have one working set per kind of memory, as large as its largest arm; a peer tool has its own."""
    kinds: dict[str, int] = {}
    for arm in plan["arms"]:
        if arm["peer"] is None:
            kinds[arm["memory"]] = max(kinds.get(arm["memory"], 0), _granules(arm["working_set_bytes"]))
    return PinnedNeed(dict(sorted(kinds.items())), sum(kinds.values()))


def _owner_of(block: list[int], arms: list[dict[str, Any]], cells: list[dict[str, int]]) -> dict[str, int]:
    need: dict[str, int] = {}
    for cell in (cells[index] for index in block):
        arm = arms[cell["arm"]]
        if arm["staging"] == "pinned" and not arm["kill_switch"]:
            need[arm["name"]] = need.get(arm["name"], 0) + _granules(cell["size"])
    return dict(sorted(need.items()))


def _distinct(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Blocks with different sets of cells: the warm blocks of a plan are all alike."""
    return list({tuple(sorted(block["cells"])): block for block in blocks}.values())


def _lease(arm: Mapping[str, Any], size: int) -> int:
    if arm["read"] == "get_into":
        return 0
    overlapped = arm["read"] == "get" and arm["copy"] == "overlapped"
    return _granules(min(size, 2 * arm["piece"]) if overlapped else size)


def _granules(size: int) -> int:
    return -(-size // GRANULE) * GRANULE
