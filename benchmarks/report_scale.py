"""How long a report takes over the number of samples, and how much memory: makes the runs and prints the curve.

    python -m benchmarks.report_scale [SAMPLES ...]      default: 10000 100000 1000000

The aim is 10 s and 1 GiB for a million samples on two cores, and time that grows linearly. A benchmark, not a test.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from reports.pinned import pinned_environment

ARMS = ("chunked+get", "rdma+get", "rdma+get_pinned", "rdma+get_into")
SIZES = tuple(4096 << step for step in range(11))
CELLS = len(ARMS) * len(SIZES)


def main(counts: list[int]) -> int:
    """Print one line per count."""
    print(f"{'samples':>10} {'MB':>7} {'wall s':>8} {'cpu s':>8} {'MiB':>6}")
    with tempfile.TemporaryDirectory(prefix="rdmalab-scale-") as folder:
        for count in counts:
            run = make_run(Path(folder) / f"20261130T101500Z-scale-{count:08x}", count)
            wall, cpu, memory = measure(run, Path(folder) / "report")
            size = (run / "pairs/0/samples.jsonl").stat().st_size / 1e6
            print(f"{count:>10} {size:>7.0f} {wall:>8.2f} {cpu:>8.2f} {memory:>6.0f}", flush=True)
    return 0


def measure(run: Path, out: Path) -> tuple[float, float, float]:
    """Wall seconds, processor seconds and peak MiB of one rendering process."""
    asked = json.dumps({"what": "report", "runs": [str(run)], "out": str(out)}).encode()
    started = time.monotonic()
    command = [sys.executable, "-m", "reports.rendering_process"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=pinned_environment())
    assert process.stdin is not None, "a pipe was asked for"
    process.stdin.write(asked)
    process.stdin.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"the rendering process ended with {process.returncode}")
    return time.monotonic() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def make_run(folder: Path, count: int) -> Path:
    """An unsealed run of one pair with about `count` samples in blocks of all cells."""
    (folder / "pairs" / "0").mkdir(parents=True)
    blocks = max(2, count // CELLS)
    (folder / "plan.json").write_text(json.dumps(plan(blocks)))
    with (folder / "pairs/0/samples.jsonl").open("w") as out:
        out.writelines(lines(blocks))
    return folder


def plan(blocks: int) -> dict[str, object]:
    """A plan of all arms and sizes that asks for a crossover and an advantage."""
    of = {"of": ARMS[1], "over": ARMS[0]}
    return {
        "format": "rdmalab.plan",
        "version": 1,
        "experiment": "scale",
        "question": "How long does a report take?",
        "engine": "rendezvous",
        "lane": {"name": "tcp", "env": {}, "accepts": {"get": ["software emulation"]}, "transports": ["tcp"]},
        "pair": "warm",
        "pairs": 1,
        "reps": blocks,
        "order": "interleaved",
        "seed": 1,
        "sizes": list(SIZES),
        "arms": [{"name": name, "path": "rdma" if at else "chunked", "read": "get"} for at, name in enumerate(ARMS)],
        "cells": [{"arm": arm, "size": size} for size in SIZES for arm in range(len(ARMS))],
        "blocks": [{"pair": 0, "rep": rep, "warmup": rep == 0, "cells": list(range(CELLS))} for rep in range(blocks)],
        "verify": True,
        "verdicts": [{"crossover": of}, {"advantage": of}],
    }


def lines(blocks: int) -> Iterator[str]:
    """The file's lines, with every key that the engine writes."""
    random = np.random.default_rng(1)
    clock = {"name": "tsc", "resolution_ns": 1.0, "overhead_ns": 20.0}
    yield text({"kind": "start", "format": "rdmalab.samples", "version": 1, "pair": 0, "clock": clock})
    now = 0
    for block in range(blocks):
        noise = np.exp(0.03 * random.standard_normal(CELLS))
        for cell in range(CELLS):
            sample = one_sample(block, cell, float(noise[cell]), now)
            now += int(str(sample["total_ns"])) + 1000
            yield text(sample)
        wait = {"stage": 1, "barrier": 2}
        done = {"kind": "block", "block": block, "pair": 0, "samples": CELLS, "failed": 0, "wait_ns": wait}
        yield text({**done, "verified_bytes": 1, "wall_ns": 10**12, "utc_ns": now})


def one_sample(block: int, cell: int, noise: float, now: int) -> dict[str, object]:
    """A sample of a get whose time is a fixed part and one per byte."""
    arm, size = cell % len(ARMS), SIZES[cell // len(ARMS)]
    acquire, transfer, copy = (int(noise * part) for part in (10_000, 20_000 + size / (1 + arm), size / 6))
    path, name = "rdma" if arm else "chunked", ARMS[arm]
    return {
        **{"kind": "sample", "pair": 0, "block": block, "rep": block, "order": block * CELLS + cell, "cell": cell},
        **{"arm": name, "size": size, "op": "get", "warmup": block == 0, "first": block == 0 and cell < len(ARMS)},
        **{"path": path, "path_asked": path, "reason": "ok", "refusal": None, "read": "get", "via": "am"},
        **{"staging": "pinned", "staging_asked": "pinned", "staging_reason": "ok", "min_bytes": 0, "chunk": 524288},
        **{"depth": 1, "chunks": 0, "piece_bytes": None, "bytes": size, "start_ns": now, "start_utc_ns": now},
        **{"wireup_ns": 0, "acquire_ns": acquire, "transfer_ns": transfer, "copy_ns": copy, "release_ns": 500},
        **{"total_ns": acquire + transfer + copy, "minor_faults": 0, "registrations": 0, "nic_registered": None},
        **{"md_map": "0x1", "verified": True, "error": None},
    }


def text(value: dict[str, object]) -> str:
    """One line of samples.jsonl."""
    return json.dumps(value, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    sys.exit(main([int(word) for word in sys.argv[1:]] or [10_000, 100_000, 1_000_000]))
