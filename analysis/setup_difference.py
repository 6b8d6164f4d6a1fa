"""What differs between the setups and plans of two runs, and whether a person has named all of it (`--across`).

Used by `analysis.compare`. Keys: `node1.nic.mlx5_0.firmware` for a setup fact, `plan.lane.name` for the plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.study import Measured
from store.epochs import identity_changes
from store.json_file import JsonObject

_FREE = frozenset(
    {"experiment", "question", "seed", "pairs", "reps", "sizes", "cells", "blocks", "verdicts", "require"}
)
"""Keys of a plan in which compared runs may differ: how much was measured, not what. Cells are matched one by one."""


@dataclass(frozen=True)
class Change:
    """One key whose values differ; None where a run has it not."""

    key: str
    before: Any
    after: Any


def identity_differences(before: Measured, after: Measured) -> list[Change]:
    """Every identity fact and every plan key that differs, setup first, sorted by key."""
    return [*_setup(before, after), *_plan("plan", before.plan, after.plan)]


def _setup(before: Measured, after: Measured) -> Iterator[Change]:
    one = before.run.setup if before.run else {}
    other = after.run.setup if after.run else {}
    for key in identity_changes(one, other):
        node, _, fact = key.partition(".")
        if not fact:
            yield Change(f"node.{node}", node if node in one else None, node if node in other else None)
            continue
        values = [nodes[node].before[fact].value if fact in nodes[node].before else None for nodes in (one, other)]
        yield Change(key, *values)


def _plan(name: str, one: JsonObject, other: JsonObject) -> Iterator[Change]:
    for key in sorted(one.keys() | other.keys()):
        if name == "plan" and key in _FREE:
            continue
        before, after = one.get(key), other.get(key)
        if before == after:
            continue
        if key == "arms" and name == "plan":
            yield from _arms(before or [], after or [])
        elif isinstance(before, dict) and isinstance(after, dict):
            yield from _plan(f"{name}.{key}", before, after)
        else:
            yield Change(f"{name}.{key}", before, after)


def _arms(before: Sequence[JsonObject], after: Sequence[JsonObject]) -> Iterator[Change]:
    """Arms by name. min_bytes of a chunked arm follows from the largest size and tells nothing of its own."""
    one, other = ({str(arm["name"]): arm for arm in arms} for arms in (before, after))
    for name in sorted(one.keys() & other.keys()):
        mine, theirs = dict(one[name]), dict(other[name])
        if mine.get("path") == theirs.get("path") == "chunked":
            mine.pop("min_bytes", None)
            theirs.pop("min_bytes", None)
        yield from _plan(f"plan.arm.{name}", mine, theirs)


def unnamed(changes: Sequence[Change], across: Sequence[str]) -> list[Change]:
    """The changes that no word of `across` names. `nic.firmware` names `node1.nic.mlx5_0.firmware`, `kernel` all of
    `node1.kernel.*`: the word's parts stand in the key in their order.
    """
    return [change for change in changes if not any(_names(word, change.key) for word in across)]


def _names(word: str, key: str) -> bool:
    parts = iter(key.split("."))
    return all(any(part == wanted for part in parts) for wanted in word.split("."))
