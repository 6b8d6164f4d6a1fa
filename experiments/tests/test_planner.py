"""Experiment + lane -> plan: the keys as docs/formats.md has them, the defaults resolved, the digest fixed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from experiments.config import load_experiment, load_lane, names
from experiments.planner import canonical, digest, make_plan
from store.errors import Exit, LabError

TINY = """\
question: Which is faster?
sizes: [4KiB, 1MiB+4097]
reps: 2
seed: 7
arms:
  rdma:    {path: rdma}
  chunked: {path: chunked, via: tcp, chunk: 1MiB, depth: 4}
require: [lane_proven]
verdicts:
  - crossover: {of: rdma, over: chunked}
  - wireup_cost: {of: rdma}
"""
TINY_DIGEST = "a18bfd48085ec437c23ee6827d9386adca147436093a42b792b2c141e1d984ea"
ARM_KEYS = {
    "name", "path", "op", "read", "via", "copy", "destination", "staging", "min_bytes", "chunk", "depth", "piece",
    "kill_switch", "eager_endpoint", "progress", "spin_us", "memory", "layout", "proof",
}  # fmt: skip


def tiny(folder: Path, *overrides: str, lane: str = "tcp") -> dict[str, Any]:
    path = folder / "tiny.yaml"
    path.write_text(TINY)
    loaded = load_experiment(str(path), overrides)
    return make_plan(loaded.name, loaded.experiment, lane, load_lane(lane), loaded.seed)


def test_golden_plan(tmp_path: Path) -> None:
    """Fails when a plan's bytes change: then runs of old plans can no longer be repeated under their digest."""
    assert digest(tiny(tmp_path)) == TINY_DIGEST


def test_plan_has_the_agreed_keys(tmp_path: Path) -> None:
    plan = tiny(tmp_path)
    assert set(plan) == {
        "format", "version", "experiment", "question", "engine", "lane", "pair", "pairs", "reps", "order", "seed",
        "sizes", "arms", "cells", "blocks", "limits", "verify", "require", "verdicts",
    }  # fmt: skip
    assert set(plan["lane"]) == {"name", "env", "error_handling", "accepts", "transports"}
    assert all(set(arm) == ARM_KEYS for arm in plan["arms"])
    assert plan["limits"] == {
        "registered_bytes": 2 << 30,
        "arena_bytes": 64 << 20,
        "get_timeout_ms": 30000,
        "exchange_timeout_ms": 30000,
        "lease_ms": 30000,
    }
    assert plan["arms"][0]["layout"] == {"blocks": 1, "block_size": None}
    assert plan["arms"][0]["proof"] == {"operation": "get", "protocols": None}


def test_lane_is_the_complete_declared_set(tmp_path: Path) -> None:
    assert tiny(tmp_path)["lane"] == {
        "name": "tcp",
        "env": {"UCX_TLS": "tcp"},
        "error_handling": "peer",
        "accepts": {"get": ["software emulation"]},
        "transports": ["tcp"],
    }
    assert tiny(tmp_path, lane="shm")["lane"]["error_handling"] == "none"


def test_min_bytes_is_resolved(tmp_path: Path) -> None:
    def least(*overrides: str) -> list[int]:
        return [arm["min_bytes"] for arm in tiny(tmp_path, *overrides)["arms"]]

    largest = (1 << 20) + 4097
    assert least() == [0, largest + 1]
    assert least("arms.chunked.min_bytes=above_largest") == [0, largest + 1]
    assert least("arms.chunked.min_bytes=8MiB") == [0, 8 << 20]
    assert least("arms.chunked.kill_switch=true") == [0, 0]
    assert least("arms.chunked.staging=plain") == [0, 0]
    assert least("arms.rdma.min_bytes=4KiB") == [4096, largest + 1]


def test_cells_and_warm_blocks(tmp_path: Path) -> None:
    plan = tiny(tmp_path, "pairs=2", "order=sequential")
    assert plan["sizes"] == [4096, 1052673]
    assert plan["cells"] == [
        {"arm": 0, "size": 4096},
        {"arm": 1, "size": 4096},
        {"arm": 0, "size": 1052673},
        {"arm": 1, "size": 1052673},
    ]
    assert plan["blocks"] == [
        {"pair": pair, "rep": rep, "warmup": rep == 0, "cells": [0, 1, 2, 3]} for pair in (0, 1) for rep in (0, 1)
    ]
    assert plan["pairs"] == 2


def test_cold_blocks_have_a_pair_each(tmp_path: Path) -> None:
    plan = tiny(tmp_path, "pair=cold", "reps=3")
    assert [block["pair"] for block in plan["blocks"]] == list(range(12))
    assert plan["pairs"] == 12
    assert not any(block["warmup"] for block in plan["blocks"])
    for rep in range(3):
        cells = [block["cells"] for block in plan["blocks"] if block["rep"] == rep]
        assert sorted(cells) == [[0], [1], [2], [3]]


def test_verdicts_are_resolved_and_stay_one_kind(tmp_path: Path) -> None:
    assert tiny(tmp_path)["verdicts"] == [
        {"crossover": {"of": "rdma", "over": "chunked", "within": 2.0, "confidence": 0.95}},
        {"wireup_cost": {"of": "rdma", "confidence": 0.95}},
    ]


def test_canonical_bytes(tmp_path: Path) -> None:
    plan = tiny(tmp_path, "question=Größer als 1 µs?")
    text = canonical(plan)
    assert text.endswith(b"}\n")
    assert text.count(b"\n") == 1
    assert text.isascii()
    assert json.loads(text) == plan
    assert text == (json.dumps(plan, sort_keys=True, separators=(",", ":")) + "\n").encode()
    assert digest(plan) == hashlib.sha256(text).hexdigest()


def test_nan_never_gets_into_a_plan(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical({"within": float("nan")})


@pytest.mark.parametrize("lane", ["tcp", "shm"])
@pytest.mark.parametrize("name", [name for name in names("experiment") if name != "verbs_against_perftest"])
def test_shipped_experiments_plan_on_both_local_lanes(name: str, lane: str) -> None:
    loaded = load_experiment(name)
    plan = make_plan(loaded.name, loaded.experiment, lane, load_lane(lane), loaded.seed)
    assert plan["blocks"]
    assert plan["verdicts"]


def test_quickstart_is_what_it_promises() -> None:
    loaded = load_experiment("quickstart")
    plan = make_plan("quickstart", loaded.experiment, "tcp", load_lane("tcp"), loaded.seed)
    assert [arm["name"] for arm in plan["arms"]] == ["chunked+get", "rdma+get", "rdma+get_pinned", "rdma+get_into"]
    assert len(plan["sizes"]) == 11
    assert sum(len(block["cells"]) for block in plan["blocks"]) == 5 * 880  # pairs of 4 arms x 11 sizes x 20 reps


def test_clean_arms_differ_in_their_path_only() -> None:
    loaded = load_experiment("threshold_clean")
    plan = make_plan("threshold_clean", loaded.experiment, "tcp", load_lane("tcp"), loaded.seed)
    rdma, chunked = plan["arms"]
    differing = {key for key in ARM_KEYS if rdma[key] != chunked[key]}
    assert differing == {"name", "path", "min_bytes"}
    assert rdma["staging"] == chunked["staging"] == "pinned"


def test_plan_that_cannot_be_pinned_is_refused_with_the_sum_per_arm(tmp_path: Path) -> None:
    with pytest.raises(LabError) as caught:
        tiny(tmp_path, "sizes=[64MiB, 4097]", "limits.registered_bytes=64MiB")
    assert caught.value.exit_code is Exit.USAGE
    assert "needs 128MiB+16KiB of pinned memory at the owner, the limit is 64MiB" in caught.value.message
    assert "(chunked 64MiB+8KiB, rdma 64MiB+8KiB)" in caught.value.message
    assert "limits.registered_bytes=129MiB" in (caught.value.advice or "")
