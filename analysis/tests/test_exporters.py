"""Exports, read by the readers that they are made for; the same run gives the same bytes."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.exporters import FORMATS, export_run
from analysis.study import Study
from analysis.tests.synthetic import RDMA, Recipe, Sample
from analysis.tests.synthetic_run import make_run
from store.errors import Exit, LabError
from store.facts import Fact
from store.names import PUBLISHED
from store.write import set_writable

BENCHSTAT = shutil.which("benchstat") or os.environ.get("RDMALAB_BENCHSTAT", "")
GOOGLE_COMPARE = Path(os.environ.get("RDMALAB_BENCHMARK_COMPARE", "/usr/share/benchmark/compare.py"))
GO_CONFIGURATION = re.compile(r"^[a-z][^\sA-Z]*: \S.*$")
GO_RESULT = re.compile(r"^Benchmark[A-Z][A-Za-z0-9]*(/[^\s/=]+=[^\s/]+)*\t\d+(\t-?[0-9.e+-]+ [^\s\d][^\s]*)+$")


def two_go_wrong(sample: Sample) -> None:
    """One transfer fell back, one failed: neither is a measurement of its arm."""
    if (sample["block"], sample["cell"]) == (3, 3):
        sample.update(path="chunked", reason="get_failed")
    if (sample["block"], sample["cell"]) == (4, 3):
        sample.update(error={"phase": "transfer", "code": "timeout", "text": "no answer of node1, 10.1.2.3"})


RECIPE = Recipe(
    sizes=(4096, 1 << 20), reps=9, mutate=two_go_wrong, facts={"host.name": Fact("node1.lab.example", None, "uname")}
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    store = tmp_path_factory.mktemp("store")
    yield make_run(store, RECIPE)
    set_writable(store, True)


@pytest.fixture(scope="module")
def slower(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    store = tmp_path_factory.mktemp("slower")
    arms = (RECIPE.arms[0], replace(RDMA, fixed_ns=120_000))
    yield make_run(store, replace(RECIPE, arms=arms, seed=2, mutate=None))
    set_writable(store, True)


def exported(run: Path, name: str, *, anonymous: bool = False) -> bytes:
    out = io.BytesIO()
    export_run(run, name, out, anonymous=anonymous)
    return out.getvalue()


@pytest.mark.parametrize("anonymous", [False, True])
@pytest.mark.parametrize("name", FORMATS)
def test_the_same_run_gives_the_same_bytes_in_another_folder(
    run: Path, tmp_path: Path, name: str, anonymous: bool
) -> None:
    elsewhere = shutil.copytree(run, tmp_path / run.name)
    assert exported(run, name, anonymous=anonymous) == exported(elsewhere, name, anonymous=anonymous)
    set_writable(elsewhere, True)


def google(run: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(exported(run, "google-benchmark"))
    return value


def test_google_benchmark_json_has_each_warm_sample_and_what_was_left_out(run: Path) -> None:
    value = google(run)
    entries = [each for each in value["benchmarks"] if each["run_name"] == "synthetic/rdma/4096"]
    single = [each for each in entries if each["run_type"] == "iteration"]
    assert [each["repetition_index"] for each in single] == list(range(8))
    assert {each["repetitions"] for each in entries} == {8}
    key = next(key for key in Study.of_runs([run]).cells if (key.arm, key.size) == ("rdma", 4096))
    estimate = Study.of_runs([run]).median(key)
    assert estimate is not None
    told = {each["aggregate_name"]: each["real_time"] for each in entries if each["run_type"] == "aggregate"}
    assert told["median"] == estimate.value == np.median([each["real_time"] for each in single])
    assert told["cv"] == pytest.approx(told["stddev"] / told["mean"])
    assert value["context"]["left_out"] == "4 warmup, 1 fell_back, 1 failed"
    assert value["context"]["num_cpus"] == 8


def test_google_benchmark_json_has_the_keys_that_its_readers_take(run: Path) -> None:
    taken = {"name", "run_name", "run_type", "iterations", "real_time", "cpu_time", "time_unit", "repetitions"}
    value = google(run)
    assert {"date", "host_name", "num_cpus", "mhz_per_cpu", "caches", "library_build_type"} <= value["context"].keys()
    for each in value["benchmarks"]:
        assert taken <= each.keys()
        assert each["time_unit"] == "ns"
        assert each["cpu_time"] == 0, "CPU time is not measured"


@pytest.mark.skipif(
    not GOOGLE_COMPARE.is_file(), reason="Google Benchmark's compare.py is not here (libbenchmark-tools)"
)
def test_google_benchmarks_own_compare_reads_two_runs(run: Path, slower: Path, tmp_path: Path) -> None:
    files = [tmp_path / "then.json", tmp_path / "now.json"]
    for file, each in zip(files, (run, slower), strict=True):
        file.write_bytes(exported(each, "google-benchmark"))
    command = [sys.executable, str(GOOGLE_COMPARE), "--no-color", "--no-utest", "benchmarks", *map(str, files)]
    beside = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}  # it imports a neighbour
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=beside)
    line = next(line for line in done.stdout.splitlines() if "rdma/4096_median" in line)
    assert 0.8 < float(line.split()[1]) < 1.1, line


@pytest.mark.skipif(not BENCHSTAT, reason="benchstat is not here (golang.org/x/perf/cmd/benchstat)")
def test_benchstat_reads_the_text_and_finds_the_change(run: Path, slower: Path, tmp_path: Path) -> None:
    files = [tmp_path / "then.txt", tmp_path / "now.txt"]
    for file, each in zip(files, (run, slower), strict=True):
        file.write_bytes(exported(each, "go-benchmark"))
    left_out = ",".join(f"left-out-{use}" for use in ("fell-back", "failed"))
    command = [BENCHSTAT, "-ignore", f"run,{left_out}", "-format", "csv", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    line = next(line for line in done.stdout.splitlines() if "arm=rdma/size=4096" in line)
    assert "+9" in line or "+10" in line, line
    assert "n=8" in line, line
    same = next(line for line in done.stdout.splitlines() if "arm=chunked/size=4096" in line)
    assert "~" in same, same


def test_go_text_is_in_the_benchmark_format(run: Path) -> None:
    head, _, body = exported(run, "go-benchmark").decode().partition("\n\n")
    assert all(GO_CONFIGURATION.match(line) for line in head.splitlines())
    assert {"goos: linux", "goarch: amd64", "lane: tcp", "left-out-failed: 1"} <= set(head.splitlines())
    lines = body.splitlines()
    assert all(GO_RESULT.match(line) for line in lines)
    assert len(lines) == 2 * 2 * 8 - 2
    name, count, *values = lines[0].split("\t")
    assert (name, count) == ("BenchmarkSynthetic/arm=chunked/size=4096", "1")
    ns, rate = (float(value.split()[0]) for value in values[:2])
    assert [value.split()[1] for value in values] == ["ns/op", "MB/s", "acquire-ns/op", "transfer-ns/op"]
    assert rate == pytest.approx(4096 / ns * 1e3)


def test_a_name_never_ends_as_if_it_named_processors(run: Path) -> None:
    names = [line.split("\t")[0] for line in exported(run, "go-benchmark").decode().splitlines() if "\t" in line]
    assert not [name for name in names if re.search(r"-\d+$", name)]


def test_csv_and_parquet_have_every_sample_with_units(run: Path) -> None:
    csv = pd.read_csv(io.BytesIO(exported(run, "csv")))
    parquet = pd.read_parquet(io.BytesIO(exported(run, "parquet")))
    assert list(csv.columns) == list(parquet.columns)
    assert len(csv) == len(parquet) == 2 * 2 * 9
    assert {"size_bytes", "total_ns", "moved_bytes", "use", "file", "line", "run"} <= set(csv.columns)
    for name in ("use", "total_ns", "arm", "size_bytes"):
        assert csv[name].tolist() == parquet[name].tolist()
    assert csv["use"].value_counts().to_dict() == {"warm": 30, "warmup": 4, "fell_back": 1, "failed": 1}
    assert csv["total_ns"].dtype == np.int64
    row = csv.iloc[0]
    line = json.loads((run / row["file"]).read_text().splitlines()[row["line"] - 1])
    assert (line["total_ns"], line["cell"]) == (row["total_ns"], row["cell"])


def test_every_column_of_a_table_that_has_a_unit_says_it(run: Path) -> None:
    columns = set(pd.read_csv(io.BytesIO(exported(run, "csv"))).columns)
    assert not columns & {"size", "bytes", "chunk", "value", "kind"}


def test_anonymous_exports_name_no_machine(run: Path) -> None:
    assert google(run)["context"]["host_name"] == "node1.lab.example"
    for name in ("google-benchmark", "go-benchmark", "csv"):
        text = exported(run, name, anonymous=True).decode()
        assert "node1" not in text
        assert "10.1.2.3" not in text
    assert "no answer of host1, address1" in exported(run, "csv", anonymous=True).decode()


def test_figures_of_others_have_no_samples_to_export() -> None:
    with pytest.raises(LabError, match="holds figures of others and no samples") as refused:
        exported(PUBLISHED / "velo_rdma", "csv")
    assert refused.value.exit_code == Exit.USAGE


def test_a_run_without_a_finished_block_is_refused(tmp_path: Path) -> None:
    empty = make_run(tmp_path, replace(RECIPE, mutate=None, lines=lambda lines: lines[:1]))
    with pytest.raises(LabError, match="no sample of a finished block"):
        exported(empty, "csv")
    set_writable(tmp_path, True)


def test_an_unknown_format_is_answered_with_the_nearest(run: Path) -> None:
    with pytest.raises(LabError, match="no format is called 'parquett'") as refused:
        exported(run, "parquett")
    assert "did you mean parquet?" in str(refused.value)
