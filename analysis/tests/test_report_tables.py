"""What every table of a report shows beside a median or a percentile, whatever the samples are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from analysis.numbers import Number, Source, plain
from analysis.report_tables.registry import all_tables
from analysis.study import Study
from analysis.tables import Table
from analysis.tests.synthetic import Recipe, Sample
from analysis.tests.synthetic_operations import MESSAGES, operations
from analysis.tests.synthetic_run import make_run

OF = {"of": "rdma", "over": "chunked"}
RECIPE = Recipe(sizes=(4096, 1 << 20), reps=64, pairs=1, verdicts=({"advantage": OF},))


def some_fall_back(sample: Sample) -> None:
    if sample["cell"] == 1 and sample["rep"] in (3, 4):
        sample["path"], sample["reason"] = "chunked", "get_failed"


def tables(folder: Path, recipe: Recipe) -> dict[str, Table]:
    study = Study.of_runs([make_run(folder / "runs", recipe)])
    return {table.id: table for table in all_tables(study)}


@pytest.mark.parametrize(
    ("table", "median", "beside"),
    [
        ("latency", "median", ("n", "min", "max", "interval")),
        ("first", "wireup", ("n", "wireup_min", "wireup_max")),
        ("first", "total", ("n", "total_min", "total_max")),
        ("excluded", "median", ("count", "min", "max")),
    ],
)
def test_a_median_stands_with_its_n_minimum_and_maximum(
    tmp_path: Path, table: str, median: str, beside: tuple[str, ...]
) -> None:
    found = tables(tmp_path, replace(RECIPE, mutate=some_fall_back))[table]
    assert found.rows
    for row in found.rows:
        assert row.get(median) is not None
        assert all(row.get(column) is not None for column in beside), row


def test_a_percentile_that_n_does_not_carry_is_not_printed_and_the_n_is_said(tmp_path: Path) -> None:
    rows = tables(tmp_path, RECIPE)["percentiles"].rows
    assert {(plain(str(row["n"])), row["p99"]) for row in rows} == {("63", "needs n 299")}


def test_operations_have_messages_a_second_and_bytes_a_second_in_both_units(tmp_path: Path) -> None:
    row = tables(tmp_path, operations(replace(RECIPE, noise=0)))["latency"].rows[0]
    median, mops, gib, rate = (row[name] for name in ("median", "mops", "gib", "rate"))
    assert isinstance(median, Number) and isinstance(mops, Number) and isinstance(gib, Number)
    assert isinstance(rate, Number)
    assert mops.value == pytest.approx(1 / median.value)
    assert gib.value == pytest.approx(rate.value * 1e9 / 2**30)
    assert gib.value == pytest.approx(4096 * mops.value * 1e6 / 2**30)


def test_percentiles_of_latencies_are_of_single_operations(tmp_path: Path) -> None:
    table = tables(tmp_path, operations(replace(RECIPE, noise=0), mode="latency"))["percentiles"]
    row = table.rows[0]
    n, half, most = row["n"], row["p50"], row["p99"]
    assert isinstance(n, Number) and isinstance(half, Number) and isinstance(most, Number)
    assert n.value == 63 * MESSAGES
    assert half.n == 63 * MESSAGES
    assert most.value / half.value == pytest.approx(1.49, abs=0.01)
    assert {source.column for source in most.sources if isinstance(source, Source)} == {"latency_ns"}
