"""Writes a synthetic run as a sealed run folder, as the engine and the tool would (docs/formats.md). For tests."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.tests.synthetic import LANES, STARTED, STARTED_NS, Recipe, Sample, plan_of, times
from store.facts import Fact
from store.json_file import JsonObject
from store.records import OriginRecord, PairRecord, ProcessRecord, SetupRecord, ToolVersion
from store.write import Outcome, RunWriter


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
        metrics = _metrics(recipe, rows)
        (folder / "consumer.metrics").write_text(recipe.metrics(metrics) if recipe.metrics else metrics)
        blocks = sorted({int(block) for block in rows["block"]})
        writer.put_pair(_pair_record(number, int(str(planned)), blocks))
    if recipe.lane_proof is not None:
        proof = {"format": "rdmalab.lane_proof", "version": 1, "lane": recipe.lane, **recipe.lane_proof}
        (writer.path / "lane.json").write_text(json.dumps(proof))
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
    config = f"{LANES[recipe.lane]['transports'][-1]}/{recipe.device or 'memory'}"
    row = {"from_bytes": 0, "to_bytes": None, "protocol": protocol, "config": config, "estimate": False}
    accepted = {"operation": "get", "rows": [row], "verdict": "accepted", "text": f"0..inf {protocol}"}
    return {**text, "lane_check": recipe.lane_check or accepted}


def _metrics(recipe: Recipe, rows: pd.DataFrame) -> str:
    """The consumer's counters, as the engine exports them."""
    text = "# TYPE rdmalab_gets counter\n"
    for at, arm in enumerate(recipe.arms):
        count = int((rows["arm_id"] == at).sum())
        text += f'rdmalab_gets_total{{role="consumer",arm="{arm.name}",path="{arm.path}",reason="ok"}} {count}\n'
    return f"{text}# EOF\n"


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
