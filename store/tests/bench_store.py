"""How audit and listing grow with the number of runs. A benchmark, no test: makes stores and prints the curve.

    python -m store.tests.bench_store [FOLDER]

Aims: 1,000 runs of 1 MiB audited within 20 s, 10,000 runs listed within 1 s once indexed, both linear.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from store.audit import audit_run
from store.facts import said
from store.index import Filter, RunIndex
from store.names import run_names
from store.records import OriginRecord, SetupRecord, ToolVersion
from store.write import Outcome, RunWriter, set_writable

FIRST = datetime(2026, 11, 30, tzinfo=UTC)
UTC_TEXT = "2026-11-30T00:00:00.000Z"
TOOL = ToolVersion(version="0")
PLAN = {
    "format": "rdmalab.plan",
    "version": 1,
    "experiment": "scale",
    "lane": {"name": "tcp"},
    "blocks": [{"pair": 0, "rep": 0, "warmup": True, "cells": [0]}],
}


def make_run(store: Path, number: int, sample_bytes: int) -> None:
    """One sealed run with `sample_bytes` of samples and 200 setup facts."""
    writer = RunWriter.create(
        store,
        plan=json.dumps(PLAN).encode(),
        binding={"format": "rdmalab.binding", "version": 1, "site": "local"},
        origin=OriginRecord(started_utc=UTC_TEXT, command=["run"], tool=TOOL),
        experiment="scale",
        started=FIRST + timedelta(seconds=number),
    )
    facts = {f"nic.mlx5_{index}.firmware": said(f"28.{number % 7}.{index}", "made up") for index in range(200)}
    writer.put_setup(SetupRecord(node="n1", before=facts))
    sample = json.dumps({"kind": "sample", "block": 0, "staging_reason": "ok", "text": "x" * 500}) + "\n"
    block = json.dumps({"kind": "block", "block": 0, "samples": 1, "failed": 0}) + "\n"
    _, folder = writer.pair_folder()
    (folder / "samples.jsonl").write_text(sample * (sample_bytes // len(sample)) + block)
    writer.seal(Outcome("done", 0, None, None, UTC_TEXT, TOOL), FIRST)


def make_runs(store: Path, runs: int, sample_bytes: int) -> None:
    """Sealed runs, all but the first copied from it: fsync after fsync would make this take an hour."""
    make_run(store, 0, sample_bytes)
    (name,) = run_names(store)
    texts = {path.relative_to(store / name): path.read_bytes() for path in (store / name).rglob("*") if path.is_file()}
    for number in range(1, runs):
        copy = f"{FIRST + timedelta(seconds=number):%Y%m%dT%H%M%SZ}-scale-{number:08x}"
        for relative, text in texts.items():
            (store / copy / relative).parent.mkdir(parents=True, exist_ok=True)
            (store / copy / relative).write_bytes(text.replace(name.encode(), copy.encode()))


def seconds(work: Callable[[], object]) -> float:
    """How long `work` takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def listed(store: Path, cache: Path, *filters: str) -> int:
    """How many runs a fresh look at the index shows."""
    with RunIndex.open(store, cache) as index:
        index.refresh()
        return len(index.rows([Filter.parse(text) for text in filters]))


def audited(store: Path) -> None:
    """Audit every run of a store; each must hold."""
    rows = [audit_run(store / name) for name in run_names(store)]
    assert all(row.holds for row in rows), next(row.notes for row in rows if not row.holds)


def audit_line(folder: Path, runs: int) -> str:
    """Seconds that the audit of so many runs of 1 MiB takes."""
    store = folder / f"audit-{runs}"
    make_runs(store, runs, 1 << 20)
    took = seconds(lambda: audited(store))
    set_writable(store, True)
    return f"{runs:13}   {took:7.2f}"


def listing_line(folder: Path, runs: int) -> str:
    """Seconds of the first indexing, of a listing after it, and of one that is filtered by a setup fact."""
    store, cache = folder / f"list-{runs}", folder / f"cache-{runs}"
    make_runs(store, runs, 0)
    first = seconds(lambda: listed(store, cache))
    again = seconds(lambda: listed(store, cache))
    by_fact = seconds(lambda: listed(store, cache, "nic.firmware=28.0.3"))
    assert listed(store, cache) == runs
    set_writable(store, True)
    return f"{runs:5}   {first:13.2f}   {again:9.2f}   {by_fact:10.2f}"


def main(folder: Path) -> None:
    """Print one line per size of store."""
    print("runs of 1 MiB   audit s", flush=True)
    for runs in (125, 250, 500, 1000):
        print(audit_line(folder, runs), flush=True)
    print(" runs   first index s   listing s   filtered s", flush=True)
    for runs in (1250, 2500, 5000, 10000):
        print(listing_line(folder, runs), flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            main(Path(made))
