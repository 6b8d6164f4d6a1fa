"""Google Benchmark's JSON: what its own `compare.py` reads. One entry per warm sample, then the cell's aggregates.

`real_time` is the time per operation. CPU time is not measured; readers demand the key, so it is 0 and the context says
so. Samples that count for nothing (warm-up, failed, fallen back) are counted in the context and left out.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from typing import IO, Any

from analysis.cells import Key
from analysis.exporters.exported import Exported, WarmSample


def write(exported: Exported, out: IO[bytes]) -> None:
    """The whole file: context, then benchmarks by cell, each in the order it ran."""
    cells: dict[int, list[WarmSample]] = {}
    for sample in exported.warm():
        cells.setdefault(sample.cell, []).append(sample)
    entries = [entry for cell in sorted(cells) for entry in _cell(exported.run.experiment, cell, cells[cell])]
    text = json.dumps({"context": _context(exported), "benchmarks": entries}, indent=2, allow_nan=False)
    out.write(f"{text}\n".encode())


def _context(exported: Exported) -> dict[str, Any]:
    run, load = exported.run, exported.fact("cpu.load")
    tool = run.manifest.tool.version if run.manifest else "?"
    return {
        "date": exported.started_utc,
        "host_name": str(exported.fact("host.name") or "not recorded"),
        "executable": "rdmalab",
        "num_cpus": int(exported.fact("cpu.count") or 0),
        "mhz_per_cpu": round(float(exported.fact("cpu.mhz") or 0)),
        "cpu_scaling_enabled": exported.fact("cpu.governor") not in (None, "performance"),
        "caches": [],
        "load_avg": [] if load is None else [float(load)],
        "library_version": f"rdmalab {tool}",
        "library_build_type": "release",
        "json_schema_version": 1,
        "run": run.name,
        "plan_sha256": run.plan_sha256,
        "manifest_sha256": run.manifest_sha256 or "none: not sealed",
        "lane": exported.lane,
        "site": exported.site,
        "cpu_time": "not measured, written as 0",
        "left_out": ", ".join(f"{count} {use}" for use, count in exported.left_out().items()) or "nothing",
    }


def benchmark_name(experiment: str, key: Key) -> str:
    """`quickstart/rdma+get/65536`, as a function with arguments is named; `/window:8` where the cell has one."""
    return f"{experiment}/{key.arm}/{key.size}" + (f"/window:{key.window}" if key.window else "")


def _cell(experiment: str, cell: int, samples: list[WarmSample]) -> Iterator[dict[str, Any]]:
    name = benchmark_name(experiment, samples[0].key)
    head = {"family_index": cell, "per_family_instance_index": 0, "run_name": name}
    for index, sample in enumerate(samples):
        yield {
            "name": name,
            **head,
            "run_type": "iteration",
            "repetitions": len(samples),
            "repetition_index": index,
            "threads": 1,
            "iterations": sample.operations,
            **_times(sample.ns, "ns"),
            "bytes_per_second": sample.key.size / sample.ns * 1e9 if sample.ns else 0.0,
            **sample.phases,
        }
    values = [sample.ns for sample in samples]
    mean, spread = statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0
    aggregates = (("mean", mean), ("median", statistics.median(values)), ("stddev", spread))
    of_all = {"run_type": "aggregate", "repetitions": len(values), "threads": 1}
    for word, value in (*aggregates, ("cv", spread / mean if mean else 0.0)):
        unit = "percentage" if word == "cv" else "time"
        told = {"aggregate_name": word, "aggregate_unit": unit, "iterations": len(values)}
        yield {"name": f"{name}_{word}", **head, **of_all, **told, **_times(value, "ns")}


def _times(value: float, unit: str) -> dict[str, Any]:
    return {"real_time": value, "cpu_time": 0.0, "time_unit": unit}
