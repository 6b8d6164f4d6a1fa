"""The setup of a run for readers: one line per node, and every fact for the folded part. Not for comparing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from analysis import units
from analysis.study import Measured
from store.facts import Fact
from store.records import SetupRecord

_IN_ONE_LINE = ("cpu.model", "cpu.count", "memory.total", "kernel.release", "os.name", "ucx.runtime_version")


@dataclass(frozen=True)
class FactRow:
    """One fact as text: value with unit before and, where it differs, after the run."""

    key: str
    value: str
    after: str
    status: str
    source: str


def node_lines(each: Measured) -> list[str]:
    """`node1 (owner, consumer): Model, 8 cores, ...`, one for each node of the run; empty without a setup record."""
    run = each.run
    if run is None:
        return []
    roles: dict[str, list[str]] = {}
    for node in (run.binding or {}).get("nodes", []):
        device = f" on {node['device']}" if node.get("device") else ""
        roles.setdefault(str(node.get("name")), []).append(f"{node.get('role')}{device}")
    lines = []
    for name, record in sorted(run.setup.items()):
        role = f" ({', '.join(roles[name])})" if roles.get(name) else ""
        lines.append(f"{name}{role}: {', '.join(_words(record, each))}")
    return lines


def _words(record: SetupRecord, each: Measured) -> list[str]:
    facts = record.before
    words = []
    for key in _IN_ONE_LINE:
        fact = facts.get(key)
        if fact is not None and fact.value is not None:
            words.append(_phrase(key, fact))
    if "ucx.runtime_version" not in facts:
        words += sorted({f"UCX {data['ucx']['runtime']}" for _, _, data in each.engines.all() if data.get("ucx")})
    return words or ["no facts recorded"]


def _phrase(key: str, fact: Fact) -> str:
    if key == "cpu.count":
        return units.plural(int(str(fact.value)), "core")
    if key == "memory.total" and isinstance(fact.value, (int, float)):
        return f"{units.significant(float(fact.value) / units.KIB**3)} GiB"
    if key == "kernel.release":
        return f"kernel {fact.value}"
    if key == "ucx.runtime_version":
        return f"UCX {fact.value}"
    return str(fact.value)


def fact_rows(record: SetupRecord) -> list[FactRow]:
    """Every fact of a node, by key."""
    keys = sorted(record.before.keys() | record.after.keys())
    return [_fact_row(key, record.before, record.after) for key in keys]


def _fact_row(key: str, before: Mapping[str, Fact], after: Mapping[str, Fact]) -> FactRow:
    fact, late = before.get(key), after.get(key)
    shown = fact if fact is not None else late
    assert shown is not None, "the key came from one of the two"
    changed = late is not None and fact is not None and late.value != fact.value
    return FactRow(
        key=key,
        value=_text(shown),
        after=_text(late) if changed and late is not None else "",
        status=shown.status.value,
        source=shown.source,
    )


def _text(fact: Fact) -> str:
    if fact.value is None:
        return units.MISSING
    value = ", ".join(map(str, fact.value)) if isinstance(fact.value, list) else str(fact.value)
    return f"{value} {fact.unit}" if fact.unit else value
