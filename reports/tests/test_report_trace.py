"""Every number of a report ends at sample lines from which this test computes it again, on its own."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.cells import Key
from analysis.lines_behind import ranges
from analysis.statistics import mad_outliers, mann_whitney, median_interval, ratio_of_medians
from analysis.study import seed_of
from analysis.tests.synthetic import Arm, Recipe, Sample
from analysis.tests.synthetic_run import make_run
from reports.recompute import recompute
from reports.render import render_report
from reports.trace import Trace, trace
from store.errors import LabError

ARMS = (
    Arm("chunked+get", 20_000, 1.0, path="chunked", read="get", copy_bytes_per_ns=6.0),
    Arm("rdma+get", 60_000, 3.0, read="get", copy_bytes_per_ns=6.0, wireup_ns=4_000_000),
)
OF = {"of": "rdma+get", "over": "chunked+get"}
VERDICTS = ({"crossover": OF}, {"advantage": OF}, {"copy_share": {"arm": "rdma+get"}})
FORMULA = re.compile(r"^(median|minimum|maximum) of (\w+)")


def some_fail(sample: Sample) -> None:
    if sample["block"] == 5 and sample["cell"] == 1:
        sample.update(path="chunked", reason="get_failed")


RECIPE = Recipe(arms=ARMS, sizes=(4096, 65536, 1 << 20), reps=20, verdicts=VERDICTS, mutate=some_fail)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("base")
    run = make_run(base / "runs", RECIPE)
    return render_report([run], base / "reports" / run.name).path


def numbers(report: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((report.parent / "numbers.json").read_text())["numbers"]
    return found


def values_of(found: Trace, report: Path) -> list[list[float]]:
    """Each source's values, read here from the lines that the trace names."""
    result = []
    for behind in found.lines:
        text = (report.parents[2] / "runs" / behind.run / behind.file).read_text().splitlines()
        lines = [json.loads(text[number - 1]) for number in behind.lines]
        result.append([float(line[behind.column]) for line in lines])
    return result


def computed(found: Trace, report: Path) -> float | None:
    """The number from its lines, by its formula's words; None for a formula that this test does not know."""
    formula, values = found.entry["formula"], values_of(found, report)
    scale = {"us": 1e3, "ms": 1e6}.get(found.entry["unit"], 1.0)
    kind = FORMULA.match(formula)
    if found.id.startswith("copy_share/") and found.id.endswith("/share"):
        raw = [json.loads(line) for line in _raw(found, report)]
        return 100 * float(np.median([line["copy_ns"] / line["total_ns"] for line in raw]))
    if (formula.startswith("count of") and "MAD" not in formula) or formula == "count":
        return float(sum(len(part) for part in values))
    if "MAD" in formula:
        return float(mad_outliers(values[0]).sum())
    if formula.startswith(("low end of the interval of the median", "high end of the interval of the median")):
        interval = median_interval(values[0]).interval
        assert interval is not None
        return (interval.low if formula.startswith("low") else interval.high) / scale
    if kind:
        every = [value for part in values for value in part]
        reduced = {"median": float(np.median(every)), "minimum": min(every), "maximum": max(every)}
        return reduced[kind.group(1)] / scale
    return None


def _raw(found: Trace, report: Path) -> list[str]:
    behind = found.lines[0]
    text = (report.parents[2] / "runs" / behind.run / behind.file).read_text().splitlines()
    return [text[number - 1] for number in behind.lines]


def test_every_number_ends_at_lines_that_give_it_again(report: Path) -> None:
    known = unknown = 0
    for name, entry in numbers(report).items():
        (found,) = trace(report, name)
        if name.startswith("evidence/"):
            continue
        assert found.lines, name
        if name.startswith("advantage/"):
            known += _advantage_holds(found, report)
            continue
        value = computed(found, report)
        if value is None and "payload / median" in entry["formula"]:
            value = int(name.split("/")[-2]) / float(np.median(values_of(found, report)[0]))
        if value is None:
            unknown += 1
            continue
        known += 1
        assert value == pytest.approx(entry["value"], rel=1e-12), (name, entry["formula"])
    assert known > 80
    assert unknown <= 12, "only the intervals of copy shares need more than this test knows"


def _advantage_holds(found: Trace, report: Path) -> bool:
    size = int(found.id.split("/")[2])
    by_block = []
    for behind in found.lines:
        text = (report.parents[2] / "runs" / behind.run / behind.file).read_text().splitlines()
        lines = [json.loads(text[number - 1]) for number in behind.lines]
        by_block.append((lines[0]["arm"], {line["block"]: float(line["total_ns"]) for line in lines}))
    arms = dict(by_block)
    shared = sorted(arms["rdma+get"].keys() & arms["chunked+get"].keys())
    slow = [arms["chunked+get"][block] for block in shared]
    fast = [arms["rdma+get"][block] for block in shared]
    seed = seed_of(Key("chunked+get", size), Key("rdma+get", size))
    ratio = ratio_of_medians([slow], [fast], paired=True, seed=seed)
    assert ratio.ratio == pytest.approx(float(np.median(slow)) / float(np.median(fast)), rel=1e-9)
    interval = ratio.interval()
    assert interval is not None
    part = found.id.rsplit("/", 1)[1]
    value = found.entry["value"]
    if part == "p_holm":
        p = mann_whitney(list(arms["rdma+get"].values()), list(arms["chunked+get"].values()))
        assert p is not None
        return bool(p <= value <= 3 * p * (1 + 1e-9))
    expected = {"ratio": ratio.ratio, "low": interval.low, "high": interval.high, "n": float(len(shared))}[part]
    assert value == pytest.approx(expected, rel=1e-9), found.id
    return True


def test_every_measured_number_of_the_first_screen_is_marked(report: Path) -> None:
    """What is printed between the answers and the setup and is no size, level or count of the plan has an id."""
    text = report.read_text()
    screen = text[: text.index("**Setup.**")]
    entries = numbers(report)
    covered = {
        (line, column + offset)
        for entry in entries.values()
        for line, column in entry["places"]
        for offset in range(len(entry["printed"]))
    }
    plan_words = re.compile(
        r"\d+(\.\d+)? ?(KiB|MiB|B\b)|95 % interval|factor of [\d.]+|than the [\d.]+ asked|1 of rdma\+get|fewer than \d+"
    )
    for number, line in enumerate(screen.split("\n"), start=1):
        if line.startswith(("#", "**Question", "**Evidence")):
            continue
        allowed = {at for found in plan_words.finditer(line) for at in range(found.start() + 1, found.end() + 1)}
        allowed |= {at + 1 for found in re.finditer(r"\*\*Answer \d+\.\*\*", line) for at in range(*found.span())}
        for at, character in enumerate(line, start=1):
            assert not character.isdigit() or at in allowed or (number, at) in covered, (line, line[at - 5 : at + 5])


def test_places_are_where_the_numbers_are_printed(report: Path) -> None:
    lines = report.read_text().split("\n")
    for name, entry in numbers(report).items():
        assert entry["places"], name
        for line, column in entry["places"]:
            assert lines[line - 1][column - 1 :].startswith(entry["printed"]), name


def test_a_line_of_the_report_gives_its_numbers_from_left_to_right(report: Path) -> None:
    lines = report.read_text().split("\n")
    at = next(number for number, line in enumerate(lines, start=1) if line.startswith("| 4 KiB"))
    found = trace(report, f"L{at}")
    assert found[0].id == "latency/chunked+get/4096/median"
    assert len(found) > 6


def test_an_unknown_id_and_a_line_without_numbers_are_refused_with_the_nearest(report: Path) -> None:
    with pytest.raises(LabError, match="no number") as unknown:
        trace(report, "latency/rdma+get/4096/mediam")
    assert "latency/rdma+get/4096/median" in str(unknown.value)
    with pytest.raises(LabError, match=r"line 2 of report\.md"):
        trace(report, "L2")
    with pytest.raises(LabError, match="no report"):
        trace(report.parents[1], "L1")


def test_recomputing_finds_nothing_in_a_sound_report_and_an_edited_number_by_name(report: Path, tmp_path: Path) -> None:
    assert recompute(report.parent) == []
    good = report.read_text()
    entry = numbers(report)["latency/rdma+get/65536/median"]
    line, column = entry["places"][0]
    lines = good.split("\n")
    lines[line - 1] = lines[line - 1][: column - 1] + "7" + lines[line - 1][column:]
    report.write_text("\n".join(lines))
    try:
        found = recompute(report.parent)
    finally:
        report.write_text(good)
    (told,) = map(str, found)
    assert told.startswith(f"report.md:{line}:{column}: latency/rdma+get/65536/median: prints '7")


def test_an_edited_figure_in_numbers_json_is_found(report: Path) -> None:
    path = report.parent / "numbers.json"
    good = path.read_text()
    value = json.loads(good)
    value["numbers"]["latency/rdma+get/65536/max"]["value"] *= 2
    path.write_text(json.dumps(value))
    try:
        (told,) = map(str, recompute(report.parent))
        assert told.startswith("numbers.json: latency/rdma+get/65536/max: its value was")
    finally:
        path.write_text(good)


def test_a_run_that_changed_its_manifest_is_not_traced(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", replace(RECIPE, sizes=(4096, 8192), reps=3))
    report = render_report([run], tmp_path / "reports" / run.name).path
    manifest = run / "manifest.json"
    manifest.chmod(0o644)
    manifest.write_text(manifest.read_text().replace('"cause": null', '"cause": "edited"'))
    with pytest.raises(LabError, match="another manifest"):
        trace(report, "latency/rdma+get/4096/median")


def test_ranges_join_neighbours() -> None:
    assert ranges((1,)) == "1"
    assert ranges((3, 4, 5, 9, 11, 12)) == "3-5,9,11-12"
    assert math.isfinite(1.0)
