"""How the audit of many runs grows: makes stores of runs of 1 MiB, audits each with the real command, prints the curve.

    PYTHONPATH=. python benchmarks/audit_scale.py [FOLDER]

Aim: 1,000 runs within 20 s on 2 cores, linear. The runs are sealed ones of two arms with the same samples; seconds are
those of the whole process, start included, beside its CPU time, which a busy machine does not change.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from analysis.tests.synthetic import Recipe
from analysis.tests.synthetic_run import make_run
from store.write import set_writable

ROOT = Path(__file__).resolve().parents[1]
FIRST = datetime(2026, 11, 30, tzinfo=UTC)
OF = {"of": "rdma", "over": "chunked"}
RECIPE = Recipe(reps=72, verdicts=({"crossover": OF}, {"advantage": OF}))
RUNS = (125, 250, 500, 1000)


def make_store(store: Path, runs: int) -> int:
    """A store of copies of one sealed run, each under its own name; returns the bytes of one."""
    made = make_run(store / "first", RECIPE)
    texts = {file.relative_to(made): file.read_bytes() for file in made.rglob("*") if file.is_file()}
    for number in range(runs):
        name = f"{FIRST + timedelta(seconds=number):%Y%m%dT%H%M%SZ}-synthetic-{number:08x}"
        for relative, text in texts.items():
            place = store / "runs" / name / relative
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.replace(made.name.encode(), name.encode()))
    set_writable(store / "first", True)
    return sum(map(len, texts.values()))


def audited(store: Path) -> tuple[float, float]:
    """(seconds, CPU seconds) of `audit` over the store; CalledProcessError when a run does not hold."""
    spent, started = _cpu(), time.perf_counter()
    command = [sys.executable, "-m", "cli.main", "audit", "--quick", str(store / "runs")]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started, _cpu() - spent


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(folder: Path) -> None:
    """Print one line per size of store."""
    print(" runs   MiB each   audit s   CPU s", flush=True)
    for runs in RUNS:
        store = folder / f"audit-{runs}"
        each = make_store(store, runs) / (1 << 20)
        seconds, cpu = audited(store)
        print(f"{runs:5}   {each:8.2f}   {seconds:7.1f}   {cpu:5.1f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            main(Path(made))
