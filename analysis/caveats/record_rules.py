"""Caveats about the record: incomplete, changed, of several setups, waived, with clocks and counts that disagree."""

from __future__ import annotations

import numpy as np

from analysis import units
from analysis.caveats.caveat import Rule
from analysis.study import Study
from analysis.units import plural
from analysis.wording import join
from store.epochs import identity_changes
from store.integrity import check_integrity

CLOCKS_APART = 0.01
CLOCKS_APART_NS = 10e6
_NAMED = 4
_GETS = "rdmalab_gets_total{"


def _changed(study: Study) -> str | None:
    told = []
    for each in study.runs:
        if each.run is None or each.run.manifest is None:
            continue
        integrity = check_integrity(each.run.path)
        if integrity.status == "broken":
            names = [str(finding) for finding in integrity.findings]
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            told.append(f"{each.name}: {', '.join(names[:_NAMED])}{more}")
    return "; ".join(told) or None


def _unreadable(study: Study) -> str | None:
    problems = [p for each in study.runs for p in ((each.run.problems if each.run else ()) + each.engines.problems)]
    return "; ".join(problems[:_NAMED]) or None


def _incomplete(study: Study) -> str | None:
    told = []
    for each in study.runs:
        if each.run is None:
            continue
        planned, missing = len(each.plan.get("blocks", [])), len(each.run.missing_blocks)
        manifest = each.run.manifest
        if manifest is None:
            told.append(f"{each.name} is not sealed: in progress, or its tool died")
        elif manifest.status != "done":
            told.append(f"{each.name} ended as {manifest.status}" + (f" ({manifest.cause})" if manifest.cause else ""))
        if missing:
            told.append(f"{planned - missing} of {plural(planned, 'block')} are finished")
    return "; ".join(told) or None


def _mixed_setups(study: Study) -> str | None:
    """Several epochs of one run, or runs that differ in an identity fact."""
    told = []
    setups = []
    for each in study.runs:
        if each.run is None:
            continue
        if len(each.run.setups) > 1:
            first, *later = each.run.setups.values()
            changed = sorted({key for other in later for key in identity_changes(first, other)})
            told.append(f"{each.name} was resumed on another setup: {_some(changed)}")
        if each.run.setup:
            setups.append((each.name, each.run.setup))
    for name, setup in setups[1:]:
        changed = identity_changes(setups[0][1], setup)
        if changed:
            told.append(f"{name} differs from {setups[0][0]} in {_some(changed)}")
    return "; ".join(told) or None


def _some(names: list[str]) -> str:
    rest = len(names) - _NAMED
    return join(names) if rest <= 0 else f"{', '.join(names[:_NAMED])} and {rest} more"


def _waived(study: Study) -> str | None:
    waived = sorted({w for each in study.runs if each.run and each.run.manifest for w in each.run.manifest.waived})
    return f"the run was started although it did not meet {join(waived)}" if waived else None


def _clocks_apart(study: Study) -> str | None:
    """The samples' clock against the wall clock, pair by pair: both must see the same time pass."""
    for each in study.runs:
        frame = each.samples.samples
        if "start_utc_ns" not in frame or frame.empty:
            continue
        spans = frame.groupby("launched")[["start_ns", "start_utc_ns"]].agg(["min", "max"])
        own = (spans["start_ns", "max"] - spans["start_ns", "min"]).to_numpy(dtype=np.float64)
        wall = (spans["start_utc_ns", "max"] - spans["start_utc_ns", "min"]).to_numpy(dtype=np.float64)
        apart = np.abs(own - wall)
        bad = np.flatnonzero((apart > CLOCKS_APART_NS) & (apart > CLOCKS_APART * np.maximum(own, wall)))
        if bad.size:
            at = int(bad[0])
            clocks = f"{units.duration(own[at])} by the samples' clock, {units.duration(wall[at])} by the wall clock"
            return f"pair {spans.index[at]} lasted {clocks}"
    return None


def _wall_time(study: Study) -> str | None:
    """A block cannot last less than its transfers, which run one after the other."""
    for each in study.runs:
        frame, blocks = each.samples.samples, each.samples.blocks
        if "total_ns" not in frame or frame.empty or blocks.empty:
            continue
        spent = frame.groupby(["launched", "block"])["total_ns"].sum()
        wall = blocks.dropna(subset=["wall_ns"]).groupby(["launched", "block"])["wall_ns"].last()
        short = (spent > 1.001 * wall.reindex(spent.index)).to_numpy(dtype=bool)
        if short.any():
            pair, block = spent.index[np.flatnonzero(short)[0]]
            return (
                f"the transfers of {plural(int(short.sum()), 'block')} take longer than the block itself "
                f"(first: pair {pair}, block {block})"
            )
    return None


def _counts_differ(study: Study) -> str | None:
    """The engine's own count of a block's samples against the lines that are there."""
    told = []
    for each in study.runs:
        frame, blocks = each.samples.samples, each.samples.blocks
        said = blocks.dropna(subset=["samples"]).groupby(["launched", "block"])["samples"].last()
        found = frame.groupby(["launched", "block"]).size().reindex(said.index, fill_value=0)
        wrong = (said != found).to_numpy(dtype=bool)
        if wrong.any():
            pair, block = said.index[np.flatnonzero(wrong)[0]]
            told.append(f"{plural(int(wrong.sum()), 'block')} of {each.name} (first: pair {pair}, block {block})")
    return f"the block lines count other samples than there are: {join(told)}" if told else None


def _counters_differ(study: Study) -> str | None:
    """The consumer's counters against its samples, per launched pair. A pair that ended well has counted each sample;
    one that was cut short has counted those of its unfinished block too, so there the counters may be higher.
    """
    told = []
    for each in study.runs:
        frame = each.samples.samples
        ended = {pair.number for pair in (each.run.pairs if each.run else ()) if pair.record and pair.record.exit == 0}
        for pair, counters in each.engines.counters.items():
            rows = frame[(frame["launched"] == pair).to_numpy(dtype=bool)]
            for arm in sorted({str(name) for name in rows["arm"].dropna().unique()}):
                mark = f'arm="{arm}"'
                counted = sum(n for name, n in counters.items() if name.startswith(_GETS) and mark in name)
                there = int((rows["arm"] == arm).sum())
                if counted < there or (pair in ended and counted != there):
                    told.append(f"{arm} in pair {pair}: {counted} counted, {plural(there, 'sample')}")
    return "; ".join(told[:_NAMED]) or None


RULES = (
    Rule(
        "changed_after_the_run",
        _changed,
        forbids="any conclusion",
        remedy="the run as it was sealed: from its archive, or measured again",
    ),
    Rule("unreadable_record", _unreadable, forbids="what these files would prove", remedy="the files named, whole"),
    Rule("incomplete", _incomplete, forbids="statements about what was not measured", remedy="resume RUN"),
    Rule(
        "mixed_setups",
        _mixed_setups,
        forbids="attributing differences between these samples to the arms alone",
        remedy="one run on one setup",
    ),
    Rule("requirement_waived", _waived, forbids="what the requirement protects", remedy="a run without --allow-unmet"),
    Rule(
        "clocks_apart", _clocks_apart, forbids="all times of that pair", remedy="a steady clock source; no suspended VM"
    ),
    Rule(
        "wall_time",
        _wall_time,
        forbids="the times of these blocks",
        remedy="the run again; the record contradicts itself",
    ),
    Rule(
        "counters_differ",
        _counters_differ,
        forbids="calling the record whole",
        remedy="the run again; a transfer was made that no sample tells, or a sample was added",
    ),
    Rule("counts_differ", _counts_differ, forbids="calling the record whole", remedy="the run again"),
)
