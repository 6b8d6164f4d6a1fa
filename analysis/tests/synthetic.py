"""Runs with known truth: medians, noise, pair effect, drift, crossover, errors, fallbacks. For tests of analysis.

`make_study` gives a Study without files, fast enough for a thousand seeds; `synthetic_run.make_run` writes the same
samples as a sealed run folder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd

from analysis.frame import Samples
from analysis.study import Measured, Study
from store.facts import Fact
from store.json_file import JsonObject

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
    lane_proof: JsonObject | None = None
    owner: JsonObject = field(default_factory=dict)
    metrics: Callable[[str], str] | None = None


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
