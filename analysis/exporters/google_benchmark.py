"""Google Benchmark's JSON: one iteration entry per warm sample, read by its compare.py and by dashboards made for it.

A name is `arm/size` or `arm/size/window`; times are nanoseconds. The benchmarks' own aggregates are left to the
reader, whose medians then rest on the same samples as ours.
"""

from __future__ import annotations

import json
from typing import Any

from analysis.cells import Cell
from analysis.study import Study


def google_benchmark(study: Study) -> bytes:
    """The file's bytes. Cells without a warm sample are left out: the format has no word for them but an error."""
    measured = [cell for cell in study.cells.values() if cell.n]
    entries = [entry for family, cell in enumerate(measured) for entry in _entries(family, cell)]
    value = {"context": _context(study), "benchmarks": entries}
    return (json.dumps(value, indent=1, ensure_ascii=True, allow_nan=False) + "\n").encode()


def _context(study: Study) -> dict[str, Any]:
    """The keys that Google Benchmark's own reporter writes, as far as the record knows them."""
    run = study.runs[0].run
    facts = next(iter(run.setup.values())).before if run is not None and run.setup else {}

    def value(key: str, otherwise: Any) -> Any:
        fact = facts.get(key)
        return otherwise if fact is None or fact.value is None else fact.value

    return {
        "date": run.manifest.started_utc if run is not None and run.manifest else "",
        "host_name": value("host.name", ""),
        "executable": "rdmalab_engine",
        "num_cpus": value("cpu.count", 0),
        "mhz_per_cpu": round(float(value("cpu.mhz", 0))),
        "cpu_scaling_enabled": value("cpu.governor", "performance") != "performance",
        "caches": [],
        "load_avg": [],
        "library_build_type": "release",
        "rdmalab_run": study.runs[0].name,
        "rdmalab_lane": str(study.lane().get("name")),
    }


def _entries(family: int, cell: Cell) -> list[dict[str, Any]]:
    key = cell.key
    name = f"{key.arm}/{key.size}" + (f"/{key.window}" if key.window else "")
    values = [float(value) for value in cell.values()]
    return [
        {
            "name": name,
            "family_index": family,
            "per_family_instance_index": 0,
            "run_name": name,
            "run_type": "iteration",
            "repetitions": len(values),
            "repetition_index": index,
            "threads": 1,
            "iterations": 1,
            "real_time": value,
            "cpu_time": value,
            "time_unit": "ns",
            "bytes_per_second": key.size * 1e9 / value,
        }
        for index, value in enumerate(values)
    ]
