"""Synthetic runs of the operations engine: the samples of a recipe, told as reads, writes and sends. For tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from analysis.tests.synthetic import Recipe, Sample, plan_of
from store.json_file import JsonObject

WINDOW = 16
MESSAGES = 100

Change = Callable[[Sample], None]


def operations(
    recipe: Recipe, mode: str = "rate", change: Change | None = None, peers: Mapping[str, str] | None = None
) -> Recipe:
    """The recipe with engine `operations`: each total is the time of one message, MESSAGES of them a sample.

    peers: arm -> the tool that is said to have measured it.
    """
    plan = plan_of(recipe)
    # The keys of a get stay for the writer of the lines, which are told anew afterwards.
    arms = [{**arm, **_arm(str(arm["name"]), mode), "peer": (peers or {}).get(arm["name"])} for arm in plan["arms"]]
    cells = [{**cell, "window": 1 if mode == "latency" else WINDOW} for cell in plan["cells"]]
    said: JsonObject = {"engine": "operations", "windows": [cells[0]["window"]], "arms": arms, "cells": cells}

    def lines(texts: list[str]) -> list[str]:
        return [_told(json.loads(text), mode, change) for text in texts]

    return replace(recipe, plan={**recipe.plan, **said}, lines=lines)


def _told(line: JsonObject, mode: str, change: Change | None) -> str:
    if line["kind"] == "sample":
        line = _sample(line, mode)
        if change is not None:
            change(line)
    return json.dumps(line, separators=(",", ":"))


def _arm(name: str, mode: str) -> JsonObject:
    return {
        "name": name,
        "op": "send",
        "mode": mode,
        "recv_depth": 128,
        "iterations": 0,
        "duration_ms": 100,
        "signal_every": 0,
        "inline_bytes": 0,
        "post_list": 0,
        "memory": "host",
        "working_set_bytes": 1 << 26,
        "peer": None,
        "proof": {"operation": "send", "protocols": None},
    }


def _sample(line: JsonObject, mode: str) -> Sample:
    spread = np.linspace(0.5, 1.5, MESSAGES) * line["total_ns"]
    latencies = [int(value) for value in spread]
    rate = mode == "rate"
    elapsed = MESSAGES * int(line["total_ns"])
    kept = {key: line[key] for key in ("kind", "pair", "block", "rep", "order", "cell", "arm", "size")}
    return {
        **kept,
        "op": "send",
        "backend": "verbs",
        "mode": mode,
        "window": WINDOW if rate else 1,
        "recv_depth": 128,
        "signal_every": 8,
        "inline": False,
        "post_list": 32,
        "memory": "host",
        "working_set_bytes": 1 << 26,
        "warmup": line["warmup"],
        "messages": MESSAGES,
        "bytes": MESSAGES * line["size"],
        "elapsed_ns": elapsed,
        "start_ns": line["start_ns"],
        "start_utc_ns": line["start_utc_ns"],
        "sub_windows": [{"ns": elapsed, "messages": MESSAGES}] if rate else [],
        "latency_ns": None if rate else latencies,
        "verified": True,
        "counters": {"completed": MESSAGES, "received": MESSAGES, "rcvd_rnr_err": 0, "owner_send_rnr_err": 0},
        "error": None,
    }
