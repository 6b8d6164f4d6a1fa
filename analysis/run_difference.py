"""What differs between two runs' records: setup facts by what a difference in them means, plan, binding, tool.

Used by `cli diff`. Works on measured runs and on figures of others, and never refuses: what one record lacks is listed
as not comparable. Whether samples may be compared at all is the matter of `analysis.compare`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from store.errors import LabError
from store.facts import Fact
from store.figures import is_figures, open_figures
from store.json_file import JsonObject
from store.records import Manifest, SetupRecord
from store.run import open_run
from store.setup_keys import KeyClass, class_of, same

GROUPS = ("identity", "tolerant", "volatile", "plan", "binding", "tool")
_DERIVED = frozenset({"format", "version", "cells", "blocks", "estimate_s"})
"""Keys of a plan or binding that follow from the others, or name the file's form."""


@dataclass(frozen=True)
class Difference:
    """One key that differs. within: a tolerant fact that moved less than its tolerance, so the setup is the same."""

    key: str
    before: Any
    after: Any
    within: bool = False


@dataclass(frozen=True)
class RunDifference:
    """groups: each of GROUPS -> its differences; not_comparable: (key, which record lacks it)."""

    before: str
    after: str
    groups: Mapping[str, tuple[Difference, ...]]
    same: int
    not_comparable: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Record:
    """What is compared of one run; roles: role -> node."""

    name: str
    setup: Mapping[str, SetupRecord]
    plan: JsonObject
    binding: JsonObject
    manifest: Manifest | None
    roles: Mapping[str, str]


@dataclass
class _Found:
    differences: list[tuple[str, KeyClass, Difference]] = field(default_factory=list)
    same: int = 0
    lacking: list[tuple[str, str]] = field(default_factory=list)


def run_difference(before: Path, after: Path) -> RunDifference:
    """Compare the records of two run folders. LabError when one is no run, or cannot be read at all."""
    one, other = _record(before), _record(after)
    found = _Found()
    nodes = _node_pairs(one, other)
    for label, mine, theirs in nodes:
        _compare_facts(label, _facts(mine), _facts(theirs), found)
    groups: dict[str, tuple[Difference, ...]] = {
        kind.value: tuple(_merged([each for each in found.differences if each[1] is kind], len(nodes)))
        for kind in KeyClass
    }
    names = [(name, one.roles.get(name), other.roles.get(name)) for name in sorted(one.roles.keys() & other.roles)]
    renamed = [Difference(f"node of {role}", mine, theirs) for role, mine, theirs in names if mine != theirs]
    groups["plan"] = tuple(_plan_changes(one.plan, other.plan))
    groups["binding"] = (*renamed, *_changes(_flat(_binding(one)), _flat(_binding(other))))
    groups["tool"] = tuple(_changes(_tool(one.manifest), _tool(other.manifest)))
    return RunDifference(
        before=one.name,
        after=other.name,
        groups={name: groups[name] for name in GROUPS},
        same=found.same,
        not_comparable=(*found.lacking, *_unmatched(one, other, {label for label, _, _ in nodes})),
    )


def _record(path: Path) -> _Record:
    if is_figures(path):
        figures = open_figures(path)
        return _Record(figures.name, figures.setup, {}, {}, figures.manifest, {})
    run = open_run(path, lenient=True)
    binding = run.binding or {}
    roles = {str(node.get("role")): str(node.get("name")) for node in binding.get("nodes", [])}
    return _Record(run.name, run.setup, run.plan, binding, run.manifest, roles)


def _node_pairs(one: _Record, other: _Record) -> list[tuple[str, SetupRecord, SetupRecord]]:
    """(label, record, record): nodes of one name; nodes of other names by the role that they had."""
    pairs = [(name, one.setup[name], other.setup[name]) for name in sorted(one.setup.keys() & other.setup.keys())]
    taken = {name for name, _, _ in pairs}
    for role in sorted(one.roles.keys() & other.roles.keys()):
        mine, theirs = one.roles[role], other.roles[role]
        if mine in one.setup and theirs in other.setup and not {mine, theirs} & taken:
            pairs.append((role, one.setup[mine], other.setup[theirs]))
            taken |= {mine, theirs}
    return pairs


def _unmatched(one: _Record, other: _Record, labels: set[str]) -> Iterator[tuple[str, str]]:
    for mine, theirs, lacking in ((one, other, "B"), (other, one, "A")):
        by_role = {node for role, node in mine.roles.items() if role in labels}
        for name in sorted(mine.setup.keys() - theirs.setup.keys() - by_role):
            yield f"{name}, all {len(mine.setup[name].before)} facts", f"no such node in {lacking}"


def _facts(record: SetupRecord) -> dict[str, Fact]:
    """As found before the run; what only the running processes could tell (their UCX, say) was noted after it."""
    return {**record.after, **record.before}


def _compare_facts(label: str, mine: Mapping[str, Fact], theirs: Mapping[str, Fact], found: _Found) -> None:
    for key in sorted(mine.keys() | theirs.keys()):
        one, other = (facts[key].value if key in facts else None for facts in (mine, theirs))
        if one == other:
            found.same += 1
        elif one is None or other is None:
            found.lacking.append((f"{label}.{key}", f"absent in {'A' if one is None else 'B'}"))
        else:
            kind = _class_of(key)
            within = kind is KeyClass.TOLERANT and same(key, one, other)
            found.differences.append((label, kind, Difference(key, one, other, within)))


def _class_of(key: str) -> KeyClass:
    """A key that this version does not know may well be one of identity."""
    try:
        return class_of(key)
    except LabError:
        return KeyClass.IDENTITY


def _merged(found: list[tuple[str, KeyClass, Difference]], nodes: int) -> Iterator[Difference]:
    """A difference that all of several nodes share is told once, without a node."""
    by_change: dict[str, list[str]] = {}
    for label, _, each in found:
        by_change.setdefault(repr(each), []).append(label)
    told = set()
    for label, _, each in found:
        if nodes > 1 and len(by_change[repr(each)]) == nodes:
            if repr(each) not in told:
                told.add(repr(each))
                yield each
        else:
            yield Difference(f"{label}.{each.key}", each.before, each.after, each.within)


def _plan_changes(one: JsonObject, other: JsonObject) -> Iterator[Difference]:
    """Arms go by their names; one that only one plan has is one difference, not one for each of its keys."""
    arms, others = ({str(arm.get("name")): arm for arm in plan.get("arms", [])} for plan in (one, other))
    if one and other:
        for name in [*arms, *(name for name in others if name not in arms)]:
            if name in arms and name in others:
                yield from _changes(*(_flat(plan[name], f"arm {name}: ") for plan in (arms, others)))
            else:
                before, after = ("planned" if name in plan else None for plan in (arms, others))
                yield Difference(f"arm {name}", before, after)
    kept = [{key: value for key, value in plan.items() if key not in (*_DERIVED, "arms")} for plan in (one, other)]
    yield from _changes(*map(_flat, kept))


def _binding(record: _Record) -> JsonObject:
    """Nodes by role; their names are told apart, since with other names every line would differ."""
    nodes = {
        str(node.get("role")): {key: value for key, value in node.items() if key not in ("name", "role")}
        for node in record.binding.get("nodes", [])
    }
    kept = {key: value for key, value in record.binding.items() if key not in _DERIVED}
    return {**kept, "nodes": nodes} if kept else {}


def _tool(manifest: Manifest | None) -> dict[str, Any]:
    return {} if manifest is None else dict(manifest.tool.model_dump())


def _flat(value: JsonObject, prefix: str = "") -> dict[str, Any]:
    """Dotted keys; a list is one value."""
    flat: dict[str, Any] = {}
    for key, inner in value.items():
        if isinstance(inner, dict) and inner:
            flat |= _flat(inner, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = inner
    return flat


def _changes(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[Difference]:
    """Keys that differ; a record that is not there at all (figures have no plan) differs in nothing."""
    if not one or not other:
        return
    for key in sorted(one.keys() | other.keys()):
        if one.get(key) != other.get(key):
            yield Difference(key, one.get(key), other.get(key))
