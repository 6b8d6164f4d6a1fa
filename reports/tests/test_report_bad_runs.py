"""Reports over unsound runs: what can be shown is shown and marked, the rest is one clear line, never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.tests.synthetic import Recipe, Sample
from analysis.tests.synthetic_run import make_run
from reports.build import Built, build_report
from store.errors import LabError

OF = {"of": "rdma", "over": "chunked"}
VERDICTS = ({"advantage": OF}, {"crossover": OF}, {"fixed_plus_marginal": {"arm": "rdma"}}, {"wireup_cost": OF})
RECIPE = Recipe(sizes=(4096, 65536, 1 << 20), reps=7, verdicts=VERDICTS)


def built(tmp_path: Path, recipe: Recipe, spoil: Callable[[Path], object] | None = None) -> Built:
    run = make_run(tmp_path / "runs", recipe)
    for path in (run, *run.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    if spoil:
        spoil(run)
    return build_report([run], draw=False)


def text(found: Built) -> str:
    return found.files["report.md"].decode()


def halve(name: str) -> Callable[[Path], object]:
    def spoil(run: Path) -> None:
        (path,) = run.rglob(name)
        path.write_text(path.read_text()[: path.stat().st_size // 2])

    return spoil


@pytest.mark.parametrize("name", ["manifest.json", "node1.json", "binding.json", "consumer.json"])
def test_half_a_record_is_told_and_the_rest_is_shown(tmp_path: Path, name: str) -> None:
    found = built(tmp_path, RECIPE, halve(name))
    assert any(caveat.startswith("unreadable_record: ") and name in caveat for caveat in found.caveats)
    assert "| 64 KiB " in text(found)


def test_half_a_plan_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"plan\.json: not JSON"):
        built(tmp_path, RECIPE, halve("plan.json"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"arms": []}, "plan.json: cells.0.arm is none of the 0 arms"),
        ({"arms": None}, "plan.json: arms must be a list of objects"),
        ({"cells": [{"arm": 0, "size": "big"}]}, "plan.json: cells.0.size must be a number of bytes"),
    ],
)
def test_a_plan_without_sound_cells_is_one_clear_line(tmp_path: Path, change: dict[str, object], told: str) -> None:
    def spoil(run: Path) -> None:
        value = json.loads((run / "plan.json").read_text())
        (run / "plan.json").write_text(json.dumps({**value, **change}))

    with pytest.raises(LabError) as refused:
        built(tmp_path, RECIPE, spoil)
    assert refused.value.message.endswith(told)


def test_a_folder_in_the_place_of_samples_is_told(tmp_path: Path) -> None:
    def spoil(run: Path) -> None:
        samples = run / "pairs" / "0" / "samples.jsonl"
        samples.unlink()
        samples.mkdir()

    found = built(tmp_path, RECIPE, spoil)
    assert any("pairs/0/samples.jsonl: not a file" in caveat for caveat in found.caveats)


@pytest.mark.parametrize("name", ["plan.json", "manifest.json", "pairs/0/pair.json", "pairs/0/samples.jsonl"])
def test_a_newer_version_is_refused_by_name(tmp_path: Path, name: str) -> None:
    def newer(run: Path) -> None:
        first, rest = (run / name).read_text(), ""
        if name.endswith(".jsonl"):
            first, rest = first.split("\n", 1)
        (run / name).write_text(json.dumps({**json.loads(first), "version": 2}) + "\n" + rest)

    with pytest.raises(LabError) as refused:
        built(tmp_path, RECIPE, newer)
    assert "version 2" in refused.value.message
    assert "newer rdmalab" in str(refused.value.advice)


def test_a_run_without_a_finished_block_has_a_report_that_says_so(tmp_path: Path) -> None:
    found = built(tmp_path, replace(RECIPE, lines=lambda lines: lines[:3]))
    assert all("inconclusive, because" in answer for answer in found.answers)
    assert any(caveat.startswith("incomplete: ") and "0 of 7 blocks" in caveat for caveat in found.caveats)
    assert "no warm sample" in text(found)


def test_a_run_without_any_pair_has_a_report_that_says_so(tmp_path: Path) -> None:
    import shutil

    found = built(tmp_path, RECIPE, lambda run: shutil.rmtree(run / "pairs"))
    assert all("inconclusive, because" in answer for answer in found.answers)


def test_a_cell_with_one_sample_is_shown_without_an_interval(tmp_path: Path) -> None:
    found = built(tmp_path, replace(RECIPE, reps=2))
    assert "an interval needs n 6" in text(found)
    assert any(caveat.startswith("too_few_reps") for caveat in found.caveats)


def test_samples_that_are_all_equal_are_said_to_be(tmp_path: Path) -> None:
    found = built(tmp_path, replace(RECIPE, noise=0.0))
    assert "all samples are equal" in text(found)


def test_void_samples_are_listed_with_their_count(tmp_path: Path) -> None:
    def negative(sample: Sample) -> None:
        if sample["cell"] == 3 and sample["rep"] == 2:
            sample["transfer_ns"] = -7

    found = built(tmp_path, replace(RECIPE, mutate=negative))
    assert "## Samples that are left out" in text(found)
    assert "| invalid " in text(found)


def test_a_failed_cell_is_listed_with_its_cause_and_both_figures(tmp_path: Path) -> None:
    def fails(sample: Sample) -> None:
        if sample["cell"] == 1 and sample["rep"] in (3, 4):
            sample["path"], sample["reason"] = "chunked", "pool_exhausted"

    row = next(
        line
        for line in text(built(tmp_path, replace(RECIPE, mutate=fails))).split("\n")
        if "pool_exha" in line and line.startswith("|")
    )
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:4] == ["4 KiB", "rdma", "fell back", "pool_exhausted"]
    assert cells[4] == "2"
    assert all(float(cell) > 0 for cell in cells[5:8])


def test_arms_whose_names_need_escaping_stay_inside_their_cells(tmp_path: Path) -> None:
    arms = (replace(RECIPE.arms[0], name="a|b"), RECIPE.arms[1])
    found = text(built(tmp_path, replace(RECIPE, arms=arms, verdicts=())))
    rows = [line for line in found.split("\n") if "a\\|b" in line and line.startswith("| 4 KiB")]
    assert rows


def test_the_command_line_answers_a_folder_that_is_no_run_in_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cli.main", "report", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == 2
    assert done.stdout == ""
    assert "no run" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_command_line_renders_checks_and_traces(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", RECIPE)

    def lab(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "cli.main", *words, "--store", str(tmp_path / "runs")]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])

    made = lab("report", run.name)
    assert made.returncode == 0, made.stderr
    report = Path(made.stdout.strip())
    assert report == tmp_path / "reports" / run.name / "report.md"
    assert "answer    on tcp, emulated GET: " in made.stderr
    assert lab("report", "@last", "--check").returncode == 0
    report.write_text(report.read_text().replace("Question", "Questiom"))
    failed = lab("report", "@last", "--check")
    assert failed.returncode == 1
    assert failed.stderr.startswith("report.md: line 3 ")
    traced = lab("trace", f"{report}#latency/rdma/4096/median")
    assert "samples  total_ns of" in traced.stdout
    assert lab("trace", str(report)).returncode == 2
    tables = lab("tables", run.name, "--format", "csv,json,parquet", "--out", str(tmp_path / "t"))
    assert tables.returncode == 0, tables.stderr
    assert "interval_low_us" in (tmp_path / "t" / "latency.csv").read_text()
    assert lab("tables", run.name, "--format", "xlsx").returncode == 2
