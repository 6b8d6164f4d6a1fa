"""Exports, read by the readers that they are made for; the same run gives the same bytes."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.cells import Key
from analysis.exporters import FORMATS
from analysis.study import Study
from analysis.tests.synthetic import RDMA, Recipe
from analysis.tests.synthetic_run import make_run

RECIPE = Recipe(sizes=(4096, 1 << 20), reps=9)
BENCHSTAT = shutil.which("benchstat") or os.environ.get("RDMALAB_BENCHSTAT", "")
GOOGLE_COMPARE = Path(os.environ.get("RDMALAB_BENCHMARK_COMPARE", "/usr/share/benchmark/compare.py"))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return Study.of_runs([make_run(tmp_path_factory.mktemp("store"), RECIPE)])


@pytest.fixture(scope="module")
def slower(tmp_path_factory: pytest.TempPathFactory) -> Study:
    arms = (RECIPE.arms[0], replace(RDMA, fixed_ns=120_000))
    return Study.of_runs([make_run(tmp_path_factory.mktemp("store"), replace(RECIPE, arms=arms, seed=2))])


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_run_gives_the_same_bytes(study: Study, name: str) -> None:
    run = study.runs[0].run
    assert run is not None
    make = FORMATS[name][1]
    assert make(study) == make(Study.of_runs([run.path]))


def test_google_benchmark_json_has_every_warm_sample(study: Study) -> None:
    value = json.loads(FORMATS["google-benchmark"][1](study))
    mine = [each for each in value["benchmarks"] if each["name"] == "rdma/1048576"]
    estimate = study.median(Key("rdma", 1 << 20))
    assert estimate is not None
    assert len(mine) == mine[0]["repetitions"] == 8
    assert np.median([each["real_time"] for each in mine]) == estimate.value
    assert value["context"]["num_cpus"] == 8


@pytest.mark.skipif(
    not GOOGLE_COMPARE.is_file(), reason="Google Benchmark's compare.py is not here (libbenchmark-tools)"
)
def test_google_benchmarks_own_compare_reads_two_runs(study: Study, slower: Study, tmp_path: Path) -> None:
    files = []
    for number, each in enumerate((study, slower)):
        files.append(tmp_path / f"{number}.json")
        files[-1].write_bytes(FORMATS["google-benchmark"][1](each))
    command = [sys.executable, str(GOOGLE_COMPARE), "--no-utest", "benchmarks", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    line = next(line for line in done.stdout.splitlines() if "rdma/4096" in line)
    assert "+0.9" in line or "+1.0" in line, line


@pytest.mark.skipif(not BENCHSTAT, reason="benchstat is not here (golang.org/x/perf/cmd/benchstat)")
def test_benchstat_reads_the_text_and_finds_the_change(study: Study, slower: Study, tmp_path: Path) -> None:
    files = []
    for number, each in enumerate((study, slower)):
        files.append(tmp_path / f"{number}.txt")
        files[-1].write_bytes(FORMATS["go-benchmark"][1](each))
    command = [BENCHSTAT, "-ignore", "run", "-format", "csv", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    line = next(line for line in done.stdout.splitlines() if "arm=rdma/size=4096" in line)
    assert "+9" in line or "+10" in line, line
    assert "n=8+8" in line or "n=8" in line, line
    same = next(line for line in done.stdout.splitlines() if "arm=chunked/size=4096" in line)
    assert "~" in same, same


def test_go_text_is_in_the_benchmark_format(study: Study) -> None:
    lines = FORMATS["go-benchmark"][1](study).decode().splitlines()
    assert "lane: tcp" in lines
    fields = [line.split() for line in lines if line.startswith("Benchmark")]
    assert len(fields) == 2 * 2 * 8
    assert all(field[1] == "1" and field[3] == "ns/op" and field[5] == "MB/s" for field in fields)
    assert all(float(field[2]) > 0 for field in fields)


def test_csv_and_parquet_have_every_sample_with_units(study: Study) -> None:
    csv = pd.read_csv(io.BytesIO(FORMATS["csv"][1](study)))
    parquet = pd.read_parquet(io.BytesIO(FORMATS["parquet"][1](study)))
    assert list(csv.columns) == list(parquet.columns)
    assert len(csv) == len(parquet) == 2 * 2 * 9
    assert {"size_bytes", "total_ns", "moved_bytes", "use", "line", "run"} <= set(csv.columns)
    assert csv["use"].tolist() == parquet["use"].tolist()
    assert csv["total_ns"].tolist() == parquet["total_ns"].tolist()
