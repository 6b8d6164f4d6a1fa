"""Runs with known truth: medians, noise, pair effect, drift, crossover, errors, fallbacks. For tests of analysis.

`make_run` writes a sealed run folder as the engine and the tool would (docs/formats.md); `make_study` gives the same
samples as a Study without files, fast enough for a thousand seeds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.frame import Samples
from analysis.study import Measured, Study
from store.facts import Fact
from store.json_file import JsonObject
from store.records import OriginRecord, PairRecord, ProcessRecord, SetupRecord, ToolVersion
from store.write import Outcome, RunWriter

STARTED = datetime(2026, 11, 30, 10, 15, tzinfo=UTC)
STARTED_NS = int(STARTED.timestamp()) * 10**9
Sample = dict[str, Any]


@dataclass(frozen=True)
class Arm:
    """An arm whose true median total is fixed_ns + size / bytes_per_ns (+ size / copy_bytes_per_ns where it copies)."""

    name: str
    fixed_ns: float
    bytes_per_ns: float
    path: str = "rdma"
    read: str = "get_into"
    copy_bytes_per_ns: float | None = None
    wireup_ns: float = 0.0
    extra: JsonObject = field(default_factory=dict)

    def acquire_ns(self) -> float:
        """A fifth of the fixed part is the acquire; the rest belongs to the transfer."""
        return 0.2 * self.fixed_ns

    def copy_ns(self, size: int) -> float:
        """The true copy time."""
        return 0.0 if self.copy_bytes_per_ns is None else size / self.copy_bytes_per_ns

    def total_ns(self, size: int) -> float:
        """The true median total of a warm get."""
        return self.fixed_ns + size / self.bytes_per_ns + self.copy_ns(size)


CHUNKED = Arm("chunked", fixed_ns=20_000, bytes_per_ns=1.0, path="chunked")
RDMA = Arm("rdma", fixed_ns=60_000, bytes_per_ns=3.0, wireup_ns=4_000_000)


@dataclass(frozen=True)
class Recipe:
    """noise: log-normal sigma of single samples; pair_effect: of whole pairs; drift: relative change over each pair.

    mutate changes a sample line in place, or returns False to leave it out; lines is called with all lines of a file,
    and tail follows them without a line end.
    """

    arms: tuple[Arm, ...] = (CHUNKED, RDMA)
    sizes: tuple[int, ...] = tuple(4096 << step for step in range(11))
    reps: int = 11
    pairs: int = 1
    noise: float = 0.03
    pair_effect: float = 0.0
    drift: float = 0.0
    seed: int = 1
    pair: str = "warm"
    order: str = "interleaved"
    lane: str = "tcp"
    verdicts: tuple[JsonObject, ...] = ()
    experiment: str = "synthetic"
    mutate: Callable[[Sample], bool | None] | None = None
    lines: Callable[[list[str]], list[str]] | None = None
    tail: str = ""
    facts: dict[str, Fact] = field(default_factory=dict)
    facts_after: dict[str, Fact] = field(default_factory=dict)
    plan: JsonObject = field(default_factory=dict)
    device: str | None = None
    status: str = "done"
    waived: tuple[str, ...] = ()
    lane_check: JsonObject | None = None
    owner: JsonObject = field(default_factory=dict)


LANES: dict[str, JsonObject] = {
    "tcp": {"env": {"UCX_TLS": "tcp,self"}, "accepts": {"get": ["software emulation"]}, "transports": ["tcp"]},
    "shm": {"env": {"UCX_TLS": "posix,cma"}, "accepts": {"get": ["zero-copy"]}, "transports": ["posix", "cma"]},
    "rc_verbs": {"env": {"UCX_TLS": "rc_verbs"}, "accepts": {"get": ["zero-copy"]}, "transports": ["rc_verbs"]},
}


def plan_of(recipe: Recipe) -> JsonObject:
    """The recipe's plan; cell id = size index x arms + arm index, as the planner numbers them."""
    arms = [_arm(arm, max(recipe.sizes)) for arm in recipe.arms]
    cells = [{"arm": arm, "size": size} for size in recipe.sizes for arm in range(len(arms))]
    if recipe.pair == "cold":
        ids = [(rep, cell) for rep in range(recipe.reps) for cell in range(len(cells))]
        blocks = [{"pair": at, "rep": rep, "warmup": False, "cells": [c]} for at, (rep, c) in enumerate(ids)]
    else:
        every = list(range(len(cells)))
        passes = [(pair, rep) for pair in range(recipe.pairs) for rep in range(recipe.reps)]
        blocks = [{"pair": pair, "rep": rep, "warmup": rep == 0, "cells": every} for pair, rep in passes]
    lane = {"name": recipe.lane, "error_handling": "peer", **LANES[recipe.lane]}
    return {
        "format": "rdmalab.plan",
        "version": 1,
        "experiment": recipe.experiment,
        "question": "From which payload size does one RDMA GET beat chunked pulls?",
        "engine": "rendezvous",
        "lane": lane,
        "pair": recipe.pair,
        "pairs": len({block["pair"] for block in blocks}),
        "reps": recipe.reps,
        "order": recipe.order,
        "seed": recipe.seed,
        "sizes": list(recipe.sizes),
        "arms": arms,
        "cells": cells,
        "blocks": blocks,
        "limits": {"registered_bytes": 1 << 30, "arena_bytes": 1 << 26, "get_timeout_ms": 1000},
        "verify": True,
        "require": [],
        "verdicts": list(recipe.verdicts),
        **recipe.plan,
    }


def _arm(arm: Arm, largest: int) -> JsonObject:
    return {
        "name": arm.name,
        "path": arm.path,
        "op": "get",
        "read": arm.read,
        "via": "am",
        "copy": "after",
        "destination": "reused",
        "staging": "pinned",
        "min_bytes": 0 if arm.path == "rdma" else largest + 1,
        "chunk": 524288,
        "depth": 1,
        "piece": 524288,
        "kill_switch": False,
        "eager_endpoint": False,
        "progress": "inline",
        "spin_us": 0,
        "memory": "host",
        "layout": {"blocks": 1, "block_size": None},
        "proof": {"operation": "get", "protocols": None},
        **arm.extra,
    }


def times(recipe: Recipe, plan: JsonObject) -> pd.DataFrame:
    """One row per sample: block, rep, pair, cell, warmup, first, order, and the four phases; drawn at once."""
    random = np.random.default_rng(recipe.seed)
    blocks = plan["blocks"]
    block = np.repeat(np.arange(len(blocks)), [len(b["cells"]) for b in blocks])
    cell = np.concatenate([random.permutation(b["cells"]) for b in blocks])
    pair = np.array([b["pair"] for b in blocks])[block]
    rep = np.array([b["rep"] for b in blocks])[block]
    frame = pd.DataFrame({"block": block, "cell": cell, "pair": pair, "rep": rep})
    starts = np.flatnonzero(np.diff(pair, prepend=-1))
    lengths = np.diff(np.append(starts, pair.size))
    order = np.arange(pair.size) - np.repeat(starts, lengths)
    frame["order"] = order
    arm = np.array([c["arm"] for c in plan["cells"]])[cell]
    frame["arm_id"] = arm
    frame["size"] = np.array([c["size"] for c in plan["cells"]])[cell]
    frame["first"] = _firsts(pair * len(plan["arms"]) + arm)
    frame["warmup"] = _firsts(pair * len(plan["cells"]) + cell) | np.array([b["warmup"] for b in blocks])[block]
    trend = 1 + recipe.drift * (order / np.repeat(lengths, lengths) - 0.5)
    effect = np.exp(recipe.pair_effect * random.standard_normal(plan["pairs"]))[pair]
    scale = trend * effect * np.exp(recipe.noise * random.standard_normal(len(frame)))
    by_arm = recipe.arms
    fixed = np.array([a.fixed_ns for a in by_arm])[arm]
    rate = np.array([a.bytes_per_ns for a in by_arm])[arm]
    copy = np.array([0.0 if a.copy_bytes_per_ns is None else 1 / a.copy_bytes_per_ns for a in by_arm])[arm]
    size = frame["size"].to_numpy()
    wireup = np.array([a.wireup_ns for a in by_arm])[arm] * frame["first"].to_numpy()
    frame["wireup_ns"] = np.rint(wireup).astype(np.int64)
    frame["acquire_ns"] = np.rint(0.2 * fixed * scale).astype(np.int64)
    frame["transfer_ns"] = np.rint((0.8 * fixed + size / rate) * scale).astype(np.int64)
    frame["copy_ns"] = np.rint(size * copy * scale).astype(np.int64)
    frame["total_ns"] = sum(frame[name].to_numpy() for name in ("wireup_ns", "acquire_ns", "transfer_ns", "copy_ns"))
    return frame


def _firsts(ids: np.ndarray[tuple[int], np.dtype[np.int64]]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Where each id stands for the first time."""
    found = np.zeros(ids.size, dtype=np.bool_)
    found[np.unique(ids, return_index=True)[1]] = True
    return found


def make_study(recipe: Recipe, resamples: int = 400) -> Study:
    """A Study of the recipe without files; its samples are all warm or warm-up."""
    plan = plan_of(recipe)
    frame = times(recipe, plan)
    frame["launched"] = frame["pair"]
    names = [arm.name for arm in recipe.arms]
    frame["arm"] = pd.Categorical.from_codes(frame["arm_id"].to_numpy(), dtype=pd.CategoricalDtype(names))
    frame["line"] = np.arange(len(frame)) + 2
    frame["value"] = frame["total_ns"].astype(np.float64)
    frame["has_error"] = False
    uses = ["warm", "warmup", "fell_back", "unverified", "failed", "invalid", "duplicate"]
    codes = (frame["warmup"] & (recipe.pair == "warm")).to_numpy().astype(np.int8)
    frame["use"] = pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(uses))
    samples = Samples(frame, pd.DataFrame(columns=["launched", "block", "wall_ns", "samples"]), {}, (), ())
    return Study((Measured("synthetic", plan, samples),), resamples=resamples)


def make_run(store: Path, recipe: Recipe) -> Path:
    """A sealed run folder of the recipe; returns it."""
    plan = plan_of(recipe)
    frame = times(recipe, plan)
    text = json.dumps(plan, sort_keys=True, separators=(",", ":")) + "\n"
    started, tool = "2026-11-30T10:15:00.000Z", ToolVersion(version="0.1.0")
    writer = RunWriter.create(
        store,
        plan=text.encode(),
        binding=_binding(recipe),
        origin=OriginRecord(started_utc=started, command=["rdmalab", "run", recipe.experiment], tool=tool),
        experiment=recipe.experiment,
        started=STARTED,
    )
    node = SetupRecord(node="node1", before=_facts(recipe.facts), after=_facts(recipe.facts_after))
    writer.put_setup(node)
    for planned, rows in frame.groupby("pair"):
        number, folder = writer.pair_folder()
        lines = list(_lines(recipe, plan, number, rows))
        if recipe.lines:
            lines = recipe.lines(lines)
        (folder / "samples.jsonl").write_text("".join(line + "\n" for line in lines) + recipe.tail)
        for role in ("owner", "consumer"):
            (folder / f"{role}.json").write_text(json.dumps(_engine(recipe, role)))
        blocks = sorted({int(block) for block in rows["block"]})
        writer.put_pair(_pair_record(number, int(str(planned)), blocks))
    outcome = Outcome(
        status=recipe.status,  # type: ignore[arg-type]
        exit=0 if recipe.status == "done" else 1,
        cause=None,
        parent=None,
        started_utc=started,
        tool=tool,
        waived=recipe.waived,
    )
    writer.seal(outcome, STARTED)
    return writer.path


def _binding(recipe: Recipe) -> JsonObject:
    node: JsonObject = {
        "name": "node1",
        "role": "both",
        "address": "127.0.0.1",
        "device": recipe.device,
        "env": {},
        "cpus": [0, 1],
    }
    return {
        "format": "rdmalab.binding",
        "version": 1,
        "site": "local",
        "launcher": "local",
        "nodes": [{**node, "ucx_prefix": "ucx"}],
        "exchange": "dir",
        "estimate_s": 1.0,
    }


def _facts(extra: dict[str, Fact]) -> dict[str, Fact]:
    known = {
        "host.arch": Fact("x86_64", None, "uname"),
        "cpu.model": Fact("Model of a processor", None, "/proc/cpuinfo"),
        "cpu.count": Fact(8, None, "/proc/cpuinfo"),
        "cpu.load": Fact(0.1, "processes", "/proc/loadavg"),
        "kernel.release": Fact("6.1.0", None, "uname"),
        "os.name": Fact("Debian GNU/Linux 12 (bookworm)", None, "/etc/os-release"),
    }
    return {**known, **extra}


def _engine(recipe: Recipe, role: str) -> JsonObject:
    text: JsonObject = {
        "format": "rdmalab.engine",
        "version": 1,
        "role": role,
        "engine_version": "0.1.0",
        "binary_sha256": "ab" * 32,
        "hostname": "node1",
        "ucx": {"header": "1.22.0", "runtime": "1.22.0", "library_sha256": "cd" * 32, "settings": {}, "env": {}},
    }
    if role == "owner":
        return {**text, **recipe.owner}
    protocol = LANES[recipe.lane]["accepts"]["get"][0]
    row = {"sizes": "0..inf", "protocol": protocol, "config": f"{LANES[recipe.lane]['transports'][-1]}/dev0"}
    accepted = {"operation": "get", "rows": [row], "verdict": "accepted", "text": f"0..inf {protocol}"}
    return {**text, "lane_check": recipe.lane_check or accepted}


def _pair_record(number: int, planned: int, blocks: list[int]) -> PairRecord:
    process = ProcessRecord(argv=["rdmalab_engine"], node="node1", exit=0)
    return PairRecord(
        pair=number,
        planned_pair=planned,
        blocks=blocks,
        started_utc="2026-11-30T10:15:00.000Z",
        ended_utc="2026-11-30T10:16:00.000Z",
        owner=process,
        consumer=process,
        exit=0,
    )


def _lines(recipe: Recipe, plan: JsonObject, number: int, rows: pd.DataFrame) -> list[str]:
    def text(value: JsonObject) -> str:
        return json.dumps(value, separators=(",", ":"))

    clock = {"name": "tsc", "resolution_ns": 1.0, "overhead_ns": 20.0}
    head = {"kind": "start", "format": "rdmalab.samples", "version": 1, "plan_sha256": "00", "pair": number}
    lines = [text({**head, "role": "consumer", "clock": clock, "started_utc_ns": STARTED_NS})]
    now = 1_000_001
    for block, part in rows.groupby("block", sort=False):
        samples = [_sample(plan, number, row) for row in part.to_dict("records")]
        begun, kept = now, []
        for sample in samples:
            now += 1000
            sample["start_ns"], sample["start_utc_ns"] = now, STARTED_NS + now
            now += sample["total_ns"]
            if recipe.mutate is None or recipe.mutate(sample) is not False:
                kept.append(sample)
        lines += [text(sample) for sample in kept]
        failed = sum(sample["error"] is not None for sample in kept)
        done = {"kind": "block", "block": int(str(block)), "pair": number, "samples": len(kept), "failed": failed}
        wait = {"stage": 100, "barrier": 200}
        lines.append(
            text(
                {
                    **done,
                    "wait_ns": wait,
                    "verified_bytes": 1,
                    "wall_ns": now - begun + 5000,
                    "utc_ns": STARTED_NS + now,
                }
            )
        )
    end = {"kind": "end", "status": "done", "exit": 0, "samples": len(rows), "blocks": 1, "failed": 0, "error": None}
    return [*lines, text(end)]


def _sample(plan: JsonObject, number: int, row: Mapping[Any, Any]) -> Sample:
    arm = plan["arms"][row["arm_id"]]
    size = int(row["size"])
    chunked = arm["path"] == "chunked"
    return {
        "kind": "sample",
        "pair": number,
        **{key: int(row[key]) for key in ("block", "rep", "order", "cell")},
        "arm": arm["name"],
        "size": size,
        "op": "get",
        "warmup": bool(row["warmup"]),
        "first": bool(row["first"]),
        "path": arm["path"],
        "path_asked": arm["path"],
        "reason": "ok",
        "refusal": "below_min" if chunked else None,
        "read": arm["read"],
        "via": arm["via"],
        "staging": arm["staging"],
        "staging_asked": arm["staging"],
        "staging_reason": "ok",
        "min_bytes": arm["min_bytes"],
        "chunk": arm["chunk"],
        "depth": arm["depth"],
        "chunks": math.ceil(size / arm["chunk"]) if chunked else 0,
        "piece_bytes": None,
        "bytes": size,
        **{key: int(row[key]) for key in ("wireup_ns", "acquire_ns", "transfer_ns", "copy_ns")},
        "release_ns": 500,
        "total_ns": int(row["total_ns"]),
        "minor_faults": 0,
        "registrations": 0,
        "nic_registered": None,
        "md_map": "0x1",
        "verified": True,
        "error": None,
    }
