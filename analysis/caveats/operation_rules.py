"""Caveats about operations: receivers that were not ready, and peer tools that time something else than the engine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from analysis import units
from analysis.caveats.caveat import Rule
from analysis.comparison import compared_arms
from analysis.study import Measured, Study
from analysis.units import plural
from analysis.wording import join
from store.run import Run

# Found in the line's bytes: which counters a port has is its driver's choice, and no column of the frame.
_NOT_READY = re.compile(rb'"(\w*rnr\w*)":(-?[0-9]+)')
_NAMED = 4


@dataclass
class _Moved:
    """What moved in the lines of one run: events by counter, samples by (arm, size)."""

    events: Counter[str] = field(default_factory=Counter)
    samples: Counter[tuple[str, int]] = field(default_factory=Counter)


def _counted_lines(run: Run) -> Iterator[tuple[int, int, list[tuple[str, int]]]]:
    """(pair, line, counters that are not 0) of each line that has such."""
    for source in run.sample_sources():
        with source.path.open("rb") as file:
            for number, text in enumerate(file, start=1):
                moved = [(name.decode(), int(value)) for name, value in _NOT_READY.findall(text) if int(value) != 0]
                if moved:
                    yield source.pair, number, moved


def _moved(each: Measured) -> _Moved:
    found = _Moved()
    if each.run is None or each.plan.get("engine") != "operations":
        return found
    frame = each.samples.samples
    rows = {(int(p), int(n)): at for at, (p, n) in enumerate(zip(frame["launched"], frame["line"], strict=True))}
    for pair, line, counters in _counted_lines(each.run):
        at = rows.get((pair, line))
        if at is not None:
            found.events.update(dict(counters))
            found.samples[str(frame["arm"].iloc[at]), int(frame["size"].iloc[at])] += 1
    return found


def _receiver_not_ready(study: Study) -> str | None:
    events: Counter[str] = Counter()
    samples: Counter[tuple[str, int]] = Counter()
    for each in study.runs:
        moved = _moved(each)
        events += moved.events
        samples += moved.samples
    if not samples:
        return None
    cells = [f"{count} of {arm} at {units.size(size)}" for (arm, size), count in sorted(samples.items())]
    more = f" and {len(cells) - _NAMED} more" if len(cells) > _NAMED else ""
    counted = join([f"{name} by {count}" for name, count in sorted(events.items())])
    told = f"a port counted receivers that were not ready in {plural(sum(samples.values()), 'sample')}"
    return f"{told} ({join(cells[:_NAMED])}{more}): {counted}"


_HALF_ROUND_TRIP = "times half a round trip of a ping-pong"
_SOURCE_FREE = "counts a message as done when its source may be written again"
_OTHER_MEANINGS = {
    **{(tool, "latency", op): _HALF_ROUND_TRIP for tool in ("perftest", "ucx_perftest") for op in ("write", "send")},
    **{("ucx_perftest", "rate", op): _SOURCE_FREE for op in ("write", "send")},
}
"""(tool, mode, operation) -> what it measures; the engine times an operation until its bytes are at the peer."""


def _other_meaning_of_done(study: Study) -> str | None:
    told = []
    for pair in compared_arms(study):
        peers = [study.arms[name] for name in pair if study.arms[name].get("peer")]
        if len(peers) != 1:
            continue
        arm = peers[0]
        meaning = _OTHER_MEANINGS.get((arm["peer"], arm["mode"], arm["op"]))
        if meaning is not None:
            told.append(f"{arm['name']} {meaning}")
    if not told:
        return None
    return f"{join(list(dict.fromkeys(told)))}; the engine times an operation until its bytes are at the peer"


RULES = (
    Rule(
        "receiver_not_ready",
        _receiver_not_ready,
        forbids="calling these times those of the operation: the sender waited for a receive and sent again",
        remedy="a larger recv_depth, and a port that nobody else uses: its counters are those of all its users",
    ),
    Rule(
        "done_means_something_else",
        _other_meaning_of_done,
        forbids="calling either of the two faster",
        remedy="reads, or rates beside perftest: there both mean the same",
    ),
)
