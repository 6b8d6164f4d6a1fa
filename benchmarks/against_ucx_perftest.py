"""Our transfers beside ucx_perftest's on the same library, lane, cores and error handling: interleaved rounds.

    .venv/bin/python -m benchmarks.against_ucx_perftest [--rounds 5] [--lanes tcp,shm]

Prints one markdown table a lane: the median over the rounds of each round's median. `ours` moves one payload again
and again, unverified (back_to_back.py); `peer` is ucx_perftest on one buffer, with one operation in flight as ours, and
with its default window. `interleaved` is the same cell in a run of speed.yaml as experiments are run: the cells in
turn, a fresh payload in each block, every byte verified, hence cold caches.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import back_to_back

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / ".build" / "rdmalab_engine"
SPEED = "benchmarks/speed.yaml"
LATENCY_SIZES = (4 << 10, 16 << 10, 64 << 10)
BANDWIDTH_SIZES = (1 << 20, 4 << 20, 16 << 20)
ARMS = ("get_into", "get_pinned", "overlapped", "after")
MIB = 1 << 20
# What an acquire sends (engine/rendezvous): a header either way, and back a descriptor of 49 bytes and more.
HEADER_BYTES, DATA_BYTES = 48, 32


def tool(*arguments: str) -> str:
    done = subprocess.run(("./rdmalab", *arguments), cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"./rdmalab {' '.join(arguments)} failed with {done.returncode}:\n{done.stderr}")
    return done.stdout


def interleaved(lane: str, store: Path) -> tuple[back_to_back.Samples, dict[str, dict[str, Any]]]:
    """One run of speed.yaml: its samples, and how its two roles were bound."""
    run = Path(tool("run", SPEED, "--no-report", "--lane", lane, "--store", str(store)).split()[-1])
    samples: back_to_back.Samples = {}
    for path in run.glob("pairs/*/samples.jsonl"):
        for line in path.read_text().splitlines():
            sample = json.loads(line)
            if sample["kind"] == "sample" and not sample["warmup"]:
                samples.setdefault((sample["arm"], sample["size"]), []).append(sample)
    return samples, {node["role"]: node for node in json.loads((run / "binding.json").read_text())["nodes"]}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def peer_us(nodes: dict[str, dict[str, Any]], lane: dict[str, Any], test: str, size: int, *options: str) -> float:
    """The median of one ucx_perftest run in microseconds. ucp_am_lat halves its round trip: doubled here."""
    owner, consumer = nodes["owner"], nodes["consumer"]
    prefix = Path(str(consumer["ucx_prefix"]))
    env = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(prefix / "lib"), **consumer["env"], **lane["env"]}
    for name in ("UCX_LOG_FILE", "UCX_PROTO_INFO"):
        env.pop(name, None)
    program, port = str(prefix / "bin/ucx_perftest"), str(free_port())
    errors = ["-e"] if lane["error_handling"] == "peer" else []
    server = subprocess.Popen(
        ("stdbuf", "-oL", "taskset", "-c", str(owner["cpus"][0]), program, "-p", port, *errors),
        env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert server.stdout
    while "Waiting for connection" not in (line := server.stdout.readline()):
        if not line:
            sys.exit("ucx_perftest did not start")
    count = 2 * back_to_back.transfers(size) if test == "ucp_get" else 20_000
    client = subprocess.run(
        ("taskset", "-c", str(consumer["cpus"][0]), program, "127.0.0.1", "-p", port, "-t", test, "-s", str(size),
         "-n", str(count), "-w", str(count // 10), *options, *errors),
        env=env, check=False, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    server.communicate(timeout=20)
    final = re.search(r"Final:\s+\d+\s+([\d.]+)", client.stdout)
    if not final:
        sys.exit(f"ucx_perftest -t {test} -s {size} failed:\n{client.stdout}{client.stderr}")
    return float(final[1]) * (2 if test == "ucp_am_lat" else 1)


def median_us(samples: list[dict[str, Any]], *phases: str) -> float:
    return float(statistics.median(sum(sample[phase] for phase in phases) for sample in samples)) / 1000


def measure(lane: str, rounds: int) -> dict[str, list[float]]:
    """Every figure's value in each round, microseconds."""
    figures: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        figures.setdefault(name, []).append(value)

    plan = back_to_back.plan_of(json.loads(tool("plan", SPEED, "--lane", lane, "--json")), ("get_pinned", "overlapped"))
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(rounds):
            cold, nodes = interleaved(lane, Path(scratch) / "runs")
            folder = Path(scratch) / f"round-{number}"
            folder.mkdir()
            hot = back_to_back.run(ENGINE, plan, nodes, folder)
            for size in (*LATENCY_SIZES, *BANDWIDTH_SIZES):
                note(f"peer one {size}", peer_us(nodes, plan["lane"], "ucp_get", size, "-O", "1"))
                note(f"peer default {size}", peer_us(nodes, plan["lane"], "ucp_get", size))
                for kind, samples in (("hot", hot), ("cold", cold)):
                    for arm in ARMS:
                        note(f"{kind} {arm} {size}", median_us(samples[arm, size], "transfer_ns", "copy_ns"))
            for kind, samples in (("hot", hot), ("cold", cold)):
                note(f"{kind} acquire", median_us(samples["get_into", 4096], "acquire_ns"))
                note(f"{kind} total", median_us(samples["after", 4096], "total_ns"))
            note("peer am", peer_us(nodes, plan["lane"], "ucp_am_lat", DATA_BYTES))
            note("peer am header", peer_us(nodes, plan["lane"], "ucp_am_lat", DATA_BYTES, "-H", str(HEADER_BYTES)))
    return figures


def show(lane: str, figures: dict[str, list[float]]) -> None:
    mid = {name: statistics.median(values) for name, values in figures.items()}
    print(f"\n## {lane}\n")
    print("| figure | ours | peer, one in flight | ratio | peer, default window | ratio | goal | interleaved |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")

    def row(name: str, values: tuple[float, float, float], goal: str, cold: float, digits: int) -> None:
        ours, one, default = values
        print(
            f"| {name} | {ours:.{digits}f} | {one:.{digits}f} | {ours / one:.3f} | {default:.{digits}f} "
            f"| {ours / default:.3f} | {goal} | {cold:.{digits}f} |"
        )

    for size in LATENCY_SIZES:
        values = mid[f"hot get_into {size}"], mid[f"peer one {size}"], mid[f"peer default {size}"]
        row(f"GET {size >> 10} KiB, us", values, "<= 1.05", mid[f"cold get_into {size}"], 2)
    for size in BANDWIDTH_SIZES:
        names = (f"hot get_into {size}", f"peer one {size}", f"peer default {size}", f"cold get_into {size}")
        ours, one, default, cold = (size / MIB / (mid[name] / 1e6) for name in names)
        row(f"GET {size >> 20} MiB, MiB/s", (ours, one, default), ">= 0.98", cold, 0)

    print("\n| figure | ours | against | ours / that | goal | interleaved |\n| --- | --- | --- | --- | --- | --- |")
    for name, peer in (("a ping-pong of active messages", "peer am"), ("the same with headers", "peer am header")):
        ours = mid["hot acquire"]
        print(f"| acquire via am against {name}, us | {ours:.2f} | {mid[peer]:.2f} | {ours / mid[peer]:.3f} | <= 1.25 "
              f"| {mid['cold acquire']:.2f} |")  # fmt: skip
    whole, bare = mid["hot total"], mid["peer am"] + mid[f"peer one {LATENCY_SIZES[0]}"]
    print(f"| warm 4 KiB get via am against ping-pong and GET, us | {whole:.2f} | {bare:.2f} | {whole / bare:.3f} "
          f"| < 60 us on tcp | {mid['cold total']:.2f} |")  # fmt: skip
    goal = 0.8 if lane == "shm" else 1.0
    for size in BANDWIDTH_SIZES[1:]:
        ratio = {kind: mid[f"{kind} get_pinned {size}"] / mid[f"{kind} overlapped {size}"] for kind in ("hot", "cold")}
        copied, pinned = (size / mid[f"hot {arm} {size}"] / 1e3 for arm in ("overlapped", "get_pinned"))
        print(f"| overlapped get against get_pinned, {size >> 20} MiB, GB/s | {copied:.2f} | {pinned:.2f} "
              f"| {ratio['hot']:.3f} | >= {goal} | ratio {ratio['cold']:.3f} |")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--lanes", default="tcp,shm")
    arguments = parser.parse_args()
    for lane in arguments.lanes.split(","):
        show(lane, measure(lane, arguments.rounds))


if __name__ == "__main__":
    main()
