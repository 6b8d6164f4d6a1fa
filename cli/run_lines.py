"""The lines that `run`, `resume` and `status` print about a run. Values in, text out; the label is apart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from cli.plan import told_seconds
from experiments.planner_estimate import estimate_seconds
from experiments.run_prepare import Planned
from experiments.sizes import rough_size
from store.records import Manifest, PreflightRecord
from store.run import Run

MOST_SAMPLES_READ = 200_000  # beyond this the count of the block lines has to do


def plan_line(planned: Planned) -> str:
    """`quickstart  4 arms x 11 sizes x 20 reps = 880 samples in 20 blocks, 0.6 GiB, about 55 s   digest 3f9c1a`."""
    plan = planned.plan
    samples = sum(len(block["cells"]) for block in plan["blocks"])
    size_of = [cell["size"] for cell in plan["cells"]]
    moved = sum(size_of[cell] for block in plan["blocks"] for cell in block["cells"])
    pairs = f" x {plan['pairs']} pairs" if plan["pair"] == "warm" and plan["pairs"] > 1 else ""
    seconds = told_seconds(estimate_seconds(plan, planned.site.estimate or planned.lane.estimate))
    return (
        f"{plan['experiment']}  {len(plan['arms'])} arms x {len(plan['sizes'])} sizes x {plan['reps']} reps{pairs}"
        f" = {samples} samples in {len(plan['blocks'])} blocks, {rough_size(moved)}, about {seconds}"
        f"   digest {planned.digest[:6]}"
    )


def preflight_line(preflight: PreflightRecord, site: str, lane: str) -> str:
    """`local/tcp   12 checks passed, 1 warning: governor powersave (doctor explains)`."""
    count = {
        status: [check for check in preflight.checks if check.status == status]
        for status in ("passed", "warning", "failed")
    }
    parts = [f"{len(count['passed'])} checks passed"]
    for status in ("warning", "failed"):
        if count[status]:
            shown = "; ".join(check.result for check in count[status][:2])
            plural = "s" if status == "warning" and len(count[status]) > 1 else ""
            parts.append(f"{len(count[status])} {status}{plural}: {shown} (doctor explains)")
    return f"{site}/{lane}   {', '.join(parts)}"


def verified_line(run: Run) -> str:
    """`880 of 880 transfers byte for byte; GET protocol (consumer's table): software emulation over tcp/lo`."""
    blocks = [line for source in run.sample_sources() for line in source.blocks.values()]
    samples = sum(int(line.get("samples", 0)) for line in blocks)
    if not run.plan.get("verify", True):
        return f"nothing: the plan says verify: false ({samples} transfers)"
    verified = samples - sum(int(line.get("failed", 0)) for line in blocks)
    if samples <= MOST_SAMPLES_READ:
        verified = sum(1 for line in run.samples() if line.data.get("verified") is True)
    return f"{verified} of {samples} transfers byte for byte; GET protocol (consumer's table): {_protocol(run)}"


def ended_line(manifest: Manifest) -> str:
    """How a run ended that did not end well: `interrupted by SIGINT; 12 of 20 blocks are kept`."""
    counts = manifest.counts
    kept = f"{counts.blocks_done} of {counts.blocks_planned} blocks are kept"
    return f"{manifest.cause or manifest.status}; {kept}"


def _protocol(run: Run) -> str:
    for pair in reversed(run.pairs):
        try:
            described = json.loads((pair.path / "consumer.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        check = described.get("lane_check") if isinstance(described, dict) else None
        if isinstance(check, Mapping):
            return _rows(check)
    return "not recorded"


def _rows(check: Mapping[str, Any]) -> str:
    """The distinct protocols of a lane check's rows, else its own text."""
    rows = [row for row in check.get("rows") or [] if isinstance(row, Mapping)]
    told = [f"{row.get('protocol')} over {row.get('config')}" for row in rows]
    return ", ".join(dict.fromkeys(told)) or str(check.get("text") or check.get("verdict") or "not recorded")
