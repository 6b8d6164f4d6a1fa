"""Caveats from the setup record and the processes' own words: disturbed nodes, unequal sides, odp, a slow baseline."""

from __future__ import annotations

from collections.abc import Iterator

from analysis import units
from analysis.caveats.caveat import Rule
from analysis.study import Study
from analysis.wording import join
from store.facts import Fact
from store.json_file import JsonObject

SLOW_BASELINE = 0.5
_NAMED = 4
_TROUBLE = ("cpu.throttle.", "memory.swap.in", "memory.swap.out")
_TROUBLE_WORDS = (".pcie.errors.", "error", "discard", "retry_exceeded", "out_of_sequence", "rnr", "_drop")


def _facts(study: Study) -> Iterator[tuple[str, dict[str, Fact], dict[str, Fact]]]:
    """(node, facts before, facts after) over all runs and epochs."""
    for each in study.runs:
        if each.run is not None:
            for nodes in each.run.setups.values():
                for node, record in nodes.items():
                    yield node, dict(record.before), dict(record.after)


def _disturbed(study: Study) -> str | None:
    """Counters of trouble that rose during the run: throttling, swapping, errors of links and buses."""
    told = []
    for node, before, after in _facts(study):
        for key, late in after.items():
            early = before.get(key)
            if early is None or not _is_trouble(key):
                continue
            if (
                isinstance(early.value, (int, float))
                and isinstance(late.value, (int, float))
                and late.value > early.value
            ):
                told.append(f"{key} of {node} rose by {units.significant(late.value - early.value)}")
    rest = len(told) - _NAMED
    return (join(told) if rest <= 0 else f"{', '.join(told[:_NAMED])} and {rest} more") if told else None


def _is_trouble(key: str) -> bool:
    return key.startswith(_TROUBLE) or any(word in key for word in _TROUBLE_WORDS)


def _busy(study: Study) -> str | None:
    """More runnable processes than cores before the run began: the two sides had to share."""
    for node, before, _ in _facts(study):
        load, cores = before.get("cpu.load"), before.get("cpu.count")
        if load is None or cores is None or not isinstance(load.value, float) or not isinstance(cores.value, int):
            continue
        if load.value > 0.5 * cores.value:
            return f"{node} had a load of {load.value} on {cores.value} cores when the run began"
    return None


def _sides_differ(study: Study) -> str | None:
    """Owner and consumer of one pair must be the same program with the same UCX, as each saw itself."""
    found: set[str] = set()
    for each in study.runs:
        for roles in each.engines.by_pair.values():
            if "owner" in roles and "consumer" in roles:
                found |= set(_differences(roles["owner"], roles["consumer"]))
    return f"owner and consumer differ in {join(sorted(found))}" if found else None


def _differences(owner: JsonObject, consumer: JsonObject) -> Iterator[str]:
    for key in ("engine_version", "binary_sha256", "kernel_page_bytes"):
        if owner.get(key) != consumer.get(key):
            yield key
    mine, theirs = owner.get("ucx") or {}, consumer.get("ucx") or {}
    for key in ("header", "runtime", "library_sha256", "conf_sha256"):
        if mine.get(key) != theirs.get(key):
            yield f"ucx.{key}"
    for group in ("env", "settings"):
        one, other = mine.get(group) or {}, theirs.get(group) or {}
        yield from (
            name for name in sorted(one.keys() | other.keys()) if one.get(name) != other.get(name) and _counts(name)
        )


def _counts(name: str) -> bool:
    """Whether a difference in this setting is one of the setup.

    The log file is each side's own, a device is bound per node, and UCX prints the progress factor through its own
    calibration of the processor's clock, so that it differs a little between any two processes.
    """
    return name.removeprefix("UCX_") not in ("LOG_FILE", "NET_DEVICES", "DYNAMIC_TL_PROGRESS_FACTOR")


def _odp(study: Study) -> str | None:
    for node, before, after in _facts(study):
        for key, fact in {**before, **after}.items():
            if key.startswith("arena.") and key.endswith(".registration") and fact.value == "odp":
                return f"{key.split('.')[1]} of {node} was registered on demand (odp), not pinned"
    return None


def _slow_baseline(study: Study) -> str | None:
    """The chunked path's network against the lane's: a slow one flatters the rdma arm."""
    lane = study.bound(next(iter(study.arms)))
    if lane is None or lane.name != "port data rate":
        return None
    for node, before, _ in _facts(study):
        fact = before.get("control.rate")
        if fact is None or not isinstance(fact.value, (int, float)):
            continue
        rate = float(fact.value) * 1e6 / 8
        if rate < SLOW_BASELINE * lane.bytes_per_second:
            share = units.percent(rate / lane.bytes_per_second, 2)
            return (
                f"{node}'s control network carries the chunked arm at {fact.value} Mbit/s, {share} of the lane's port"
            )
    return None


RULES = (
    Rule(
        "disturbed",
        _disturbed,
        forbids="calling the machine quiet",
        remedy="a machine without throttling, swapping and link errors",
    ),
    Rule("busy_machine", _busy, forbids="small differences", remedy="a machine with nothing else to do"),
    Rule(
        "sides_differ",
        _sides_differ,
        forbids="any conclusion about one setup",
        remedy="one binary, one UCX, one environment",
    ),
    Rule(
        "odp", _odp, forbids="calling the arm pinned", remedy="UCX without on-demand paging (see the ucx.conf it read)"
    ),
    Rule(
        "slow_baseline",
        _slow_baseline,
        forbids="the size of the advantage",
        remedy="the chunked path over a network as fast as the lane's (control: {interface})",
    ),
)
