"""A pair of engines that moves each cell's payload again and again, as a tool like ucx_perftest does.

An experiment's blocks stage every payload anew and take the cells in turn, so its samples meet cold caches. For a
comparison with a loop over one buffer the same plan is given blocks that name a cell many times, and no verification,
as the peer has none: the same arms, the same timed part, and caches as warm as the peer's.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MIB = 1 << 20
DEADLINE_S = 300

Samples = dict[tuple[str, int], list[dict[str, Any]]]


def transfers(size: int) -> int:
    """How often a payload of `size` bytes is moved in a row."""
    return 1000 if size < MIB else 200 if size < 16 * MIB else 40


def plan_of(plan: dict[str, Any], alternating: Sequence[str] = ()) -> dict[str, Any]:
    """`plan` with one block per cell, the cell many times in it; the arms `alternating`, which are compared with each
    other, take turns in one block per size, so that both meet the same state of the machine."""
    together: dict[tuple[str, int], list[int]] = {}
    for number, cell in enumerate(plan["cells"]):
        name = plan["arms"][cell["arm"]]["name"]
        together.setdefault(("" if name in alternating else name, cell["size"]), []).append(number)
    blocks = [
        {"pair": 0, "rep": rep, "warmup": False, "cells": cells * transfers(size)}
        for rep, ((_, size), cells) in enumerate(together.items())
    ]
    return {**plan, "verify": False, "reps": len(blocks), "pairs": 1, "blocks": blocks}


def run(engine: Path, plan: dict[str, Any], nodes: dict[str, dict[str, Any]], folder: Path) -> Samples:
    """Runs the pair on this host, on the cores and with the environment bound in `nodes`, and with the lane's.

    Returns the samples of each cell but for its first tenth, which is its warm-up.

    Raises RuntimeError with both logs when a side fails, subprocess.TimeoutExpired when DEADLINE_S passes.
    """
    path = folder / "plan.json"
    path.write_text(json.dumps(plan, sort_keys=True, separators=(",", ":")) + "\n")
    (folder / "exchange").mkdir()
    token = secrets.token_hex(16)
    sides = {}
    for role in ("owner", "consumer"):
        node, out = nodes[role], folder / role
        out.mkdir()
        with (out / "stdout").open("w") as stdout, (out / "stderr").open("w") as stderr:
            sides[role] = subprocess.Popen(
                ("taskset", "-c", str(node["cpus"][0]), str(engine), f"--role={role}", f"--plan={path}", "--pair=0",
                 f"--blocks=0-{len(plan['blocks']) - 1}", f"--exchange=dir:{folder / 'exchange'}",
                 f"--token={token}", f"--out={out}"),
                env={"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": f"{node['ucx_prefix']}/lib",
                     **node["env"], **plan["lane"]["env"], "UCX_PROTO_INFO": "y",
                     "UCX_LOG_FILE": str(out / f"{role}.ucx.log")},
                stdout=stdout, stderr=stderr,
            )  # fmt: skip
    try:
        codes = {role: side.wait(DEADLINE_S) for role, side in sides.items()}
    finally:
        for side in sides.values():
            side.kill()
            side.wait()
    if any(codes.values()):
        logs = "\n".join((folder / role / "stderr").read_text() for role in sides)
        raise RuntimeError(f"the pair ended with {codes}:\n{logs}")
    samples: Samples = {}
    for line in (folder / "consumer" / "samples.jsonl").read_text().splitlines():
        sample = json.loads(line)
        if sample["kind"] == "sample":
            samples.setdefault((sample["arm"], sample["size"]), []).append(sample)
    return {cell: taken[len(taken) // 10 :] for cell, taken in samples.items()}
