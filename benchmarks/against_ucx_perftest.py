"""Our transfers beside ucx_perftest's on the same library, lane, cores and error handling: interleaved rounds.

    .venv/bin/python benchmarks/against_ucx_perftest.py [--rounds 5] [--lanes tcp,shm]

Prints one markdown table a lane: the median over the rounds of each round's median, ours against the peer's, and the
ratio. Both sides busy-poll on one core each; the peer repeats one buffer, ours changes its payload
before each transfer and verifies it after, outside the timed part.
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

ROOT = Path(__file__).resolve().parent.parent
LATENCY_SIZES = (4 << 10, 16 << 10, 64 << 10)
BANDWIDTH_SIZES = (1 << 20, 4 << 20, 16 << 20)
MIB = 1 << 20


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def ours(lane: str, store: Path) -> tuple[dict[tuple[str, int], list[dict[str, float]]], dict[str, Any]]:
    """One run of speed.yaml: samples by (arm, size), and its binding."""
    done = subprocess.run(
        ("./rdmalab", "run", "benchmarks/speed.yaml", "--no-report", "--lane", lane, "--store", str(store)),
        cwd=ROOT, check=False, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"our run failed with {done.returncode}:\n{done.stderr}")
    run = Path(done.stdout.split()[-1])
    samples: dict[tuple[str, int], list[dict[str, float]]] = {}
    for path in run.glob("pairs/*/samples.jsonl"):
        for line in path.read_text().splitlines():
            sample = json.loads(line)
            if sample["kind"] == "sample" and not sample["warmup"]:
                samples.setdefault((sample["arm"], sample["size"]), []).append(sample)
    return samples, json.loads((run / "binding.json").read_text())


def peer_us(node: dict[str, Any], cpus: tuple[int, int], test: str, size: int, lane: str) -> float:
    """The median of one ucx_perftest run in microseconds. ucp_am_lat halves its round trip: doubled here."""
    prefix = Path(str(node["ucx_prefix"]))
    env = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(prefix / "lib"), **node["env"]}
    for name in ("UCX_LOG_FILE", "UCX_PROTO_INFO"):
        env.pop(name, None)
    program, port = str(prefix / "bin/ucx_perftest"), str(free_port())
    errors = ["-e"] if lane == "tcp" else []
    server = subprocess.Popen(
        ("stdbuf", "-oL", "taskset", "-c", str(cpus[0]), program, "-p", port, *errors),
        env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert server.stdout
    while "Waiting for connection" not in (line := server.stdout.readline()):
        if not line:
            sys.exit("ucx_perftest did not start")
    count = 2000 if size < MIB else 200 if size < 16 * MIB else 60
    client = subprocess.run(
        ("taskset", "-c", str(cpus[1]), program, "127.0.0.1", "-p", port, "-t", test, "-s", str(size),
         "-n", str(count), "-w", str(count // 10), *errors),
        env=env, check=False, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    server.communicate(timeout=20)
    final = re.search(r"Final:\s+\d+\s+([\d.]+)", client.stdout)
    if not final:
        sys.exit(f"ucx_perftest -t {test} -s {size} failed:\n{client.stdout}{client.stderr}")
    return float(final[1]) * (2 if test == "ucp_am_lat" else 1)


def median_us(samples: list[dict[str, float]], *phases: str) -> float:
    return statistics.median(sum(sample[phase] for phase in phases) for sample in samples) / 1000


def measure(lane: str, rounds: int) -> dict[str, list[float]]:
    """Every figure's value in each round, microseconds."""
    figures: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        figures.setdefault(name, []).append(value)

    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(rounds):
            samples, binding = ours(lane, Path(scratch) / "runs")
            owner, consumer = sorted(binding["nodes"], key=lambda node: node["role"] != "owner")
            cpus = (owner["cpus"][0], consumer["cpus"][0])
            for size in (*LATENCY_SIZES, *BANDWIDTH_SIZES):
                note(f"get_into {size}", median_us(samples["get_into", size], "transfer_ns"))
                note(f"peer get {size}", peer_us(consumer, cpus, "ucp_get", size, lane))
                for arm in ("get_pinned", "overlapped", "after"):
                    note(f"{arm} {size}", median_us(samples[arm, size], "transfer_ns", "copy_ns"))
            note("acquire", median_us(samples["get_into", 4096], "acquire_ns"))
            note("total 4096", median_us(samples["after", 4096], "total_ns"))
            note("peer am", peer_us(consumer, cpus, "ucp_am_lat", 64, lane))
    return figures


def show(lane: str, figures: dict[str, list[float]]) -> None:
    mid = {name: statistics.median(values) for name, values in figures.items()}
    print(f"\n## {lane}\n\n| figure | ours | peer | ours / peer | goal |\n| --- | --- | --- | --- | --- |")
    for size in LATENCY_SIZES:
        a, b = mid[f"get_into {size}"], mid[f"peer get {size}"]
        print(f"| GET {size >> 10} KiB, us | {a:.2f} | {b:.2f} | {a / b:.3f} | <= 1.05 |")
    for size in BANDWIDTH_SIZES:
        a, b = (size / MIB / (mid[name] / 1e6) for name in (f"get_into {size}", f"peer get {size}"))
        print(f"| GET {size >> 20} MiB, MiB/s | {a:.0f} | {b:.0f} | {a / b:.3f} | >= 0.98 |")
    print(f"| acquire via am against a ping-pong, us | {mid['acquire']:.2f} | {mid['peer am']:.2f} "
          f"| {mid['acquire'] / mid['peer am']:.3f} | <= 1.25 |")  # fmt: skip
    whole, bare = mid["total 4096"], mid["peer am"] + mid["peer get 4096"]
    print(f"| warm 4 KiB get via am, us | {whole:.2f} | {bare:.2f} | {whole / bare:.3f} | < 60 us on tcp |")
    goal = 0.8 if lane == "shm" else 1.0
    for size in BANDWIDTH_SIZES[1:]:
        copied, pinned = (size / mid[f"{arm} {size}"] / 1e3 for arm in ("overlapped", "get_pinned"))
        print(
            f"| overlapped get against get_pinned, {size >> 20} MiB, GB/s | {copied:.2f} | {pinned:.2f} "
            f"| {copied / pinned:.3f} | >= {goal} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--lanes", default="tcp,shm")
    arguments = parser.parse_args()
    for lane in arguments.lanes.split(","):
        show(lane, measure(lane, arguments.rounds))


if __name__ == "__main__":
    main()
