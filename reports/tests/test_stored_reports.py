"""What an audit finds in a stored report that somebody edited: numbers, words, facts, verdicts, files."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analysis.tests.synthetic import Recipe
from analysis.tests.synthetic_run import make_run
from reports.render import render_report
from reports.stored import ReportAudit, audit_report

OF = {"of": "rdma", "over": "chunked"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = Recipe(sizes=(4096, 1 << 20), reps=8, verdicts=({"advantage": OF},))
    return make_run(tmp_path_factory.mktemp("base") / "runs", recipe)


@pytest.fixture(scope="module")
def report(run: Path) -> Path:
    return render_report([run], run.parents[1] / "reports" / run.name).path.parent


def audited(run: Path, report: Path, folder: Path, edit: Callable[[Path], None]) -> ReportAudit:
    copy = folder / run.name
    shutil.copytree(report, copy)
    edit(copy)
    return audit_report(copy, run, run.parent)


def in_text(old: str, new: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        path = folder / "report.md"
        text, count = re.subn(old, new, path.read_text(), count=1)
        assert count == 1, old
        path.write_text(text)

    return edit


def in_numbers(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        path = folder / "numbers.json"
        value = json.loads(path.read_text())
        change(value)
        path.write_text(json.dumps(value, indent=1) + "\n")

    return edit


def outcome(value: dict[str, Any]) -> None:
    value["verdicts"][0]["data"]["sizes"][0]["outcome"] = "faster by far"


def one_more(value: dict[str, Any]) -> None:
    value["numbers"]["cell/rdma/4096/n"]["n"] += 1


def twice_as_fast(value: dict[str, Any]) -> None:
    value["numbers"]["latency/rdma/4096/median"]["value"] /= 2


def left_out(value: dict[str, Any]) -> None:
    del value["numbers"]["latency/rdma/4096/median"]


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (in_text(r"kernel 6\.1", "kernel 6.2"), r"report\.md: line \d+ is '.*kernel 6\.2"),
        (in_text("is slower than", "is faster than"), r"report\.md: line \d+ is '.*is faster than"),
        (in_text(r"- `one_pair`:.*\n", ""), r"report\.md: line \d+ is .*one_pair"),
        (in_numbers(outcome), r"numbers\.json: verdicts / 0 / data / sizes / 0 / outcome is \"faster by far\""),
        (in_numbers(one_more), r"numbers\.json: numbers / cell/rdma/4096/n / n is 8, and would be 7"),
        (in_numbers(twice_as_fast), r"numbers\.json: latency/rdma/4096/median: its value was"),
        (in_numbers(left_out), r"report\.md: latency/rdma/4096/median: is missing"),
        (lambda folder: (folder / "latency.png").unlink(), r"latency\.png: is missing"),
        (lambda folder: (folder / "own.png").touch(), r"own\.png: is not part of this report"),
    ],
)
def test_an_edit_is_found_and_named(
    run: Path, report: Path, tmp_path: Path, edit: Callable[[Path], None], told: str
) -> None:
    found = audited(run, report, tmp_path, edit)
    assert len(found.wrong) == 1, found.wrong
    assert re.search(told, found.wrong[0]), found.wrong[0]


def test_a_sound_report_holds(run: Path, report: Path, tmp_path: Path) -> None:
    found = audited(run, report, tmp_path, lambda folder: None)
    assert (found.wrong, found.redrawn) == ((), ())
    assert found.numbers > 20


def redraw(folder: Path) -> None:
    (folder / "latency.png").write_bytes(b"x")


def test_a_picture_that_is_drawn_differently_is_no_proof_of_an_edit(run: Path, report: Path, tmp_path: Path) -> None:
    found = audited(run, report, tmp_path, redraw)
    assert (found.wrong, found.redrawn) == ((), ("latency.png",))


def test_words_of_another_renderer_are_its_own_and_its_numbers_are_not(run: Path, report: Path, tmp_path: Path) -> None:
    def older(value: dict[str, Any]) -> None:
        value["rendered_by"] = "rdmalab 0.0.1, renderer 0"

    def edit(folder: Path) -> None:
        in_numbers(older)(folder)
        in_text("is slower than", "is faster than")(folder)

    assert audited(run, report, tmp_path / "words", edit).wrong == ()

    def also_a_number(folder: Path) -> None:
        edit(folder)
        in_numbers(twice_as_fast)(folder)

    (wrong,) = audited(run, report, tmp_path / "number", also_a_number).wrong
    assert "latency/rdma/4096/median" in wrong
