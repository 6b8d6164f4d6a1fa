"""The committed reports over published figures are what the renderer makes of them, byte for byte."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from reports.build import build_report
from reports.render import check_report, render_report
from store.errors import LabError
from store.names import PUBLISHED, ROOT

NAMES = ("velo_rdma", "one_vs_two_sided")


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_report_is_rendered_again_byte_for_byte(name: str) -> None:
    assert check_report([PUBLISHED / name], ROOT / "reports" / "published" / name) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_byte_is_found(tmp_path: Path, name: str) -> None:
    copy = tmp_path / name
    shutil.copytree(ROOT / "reports" / "published" / name, copy)
    text = (copy / "report.md").read_text()
    (copy / "report.md").write_text(text.replace("holds", "hold5", 1))
    assert check_report([PUBLISHED / name], copy) != []


@pytest.mark.parametrize("name", NAMES)
def test_every_number_has_its_place_formula_and_source(name: str) -> None:
    folder = ROOT / "reports" / "published" / name
    lines = (folder / "report.md").read_text().split("\n")
    numbers = json.loads((folder / "numbers.json").read_text())["numbers"]
    assert len(numbers) > 50
    for entry in numbers.values():
        assert entry["formula"]
        assert entry["sources"] or entry["formula"] != "as printed"
        for line, column in entry["places"]:
            assert lines[line - 1][column - 1 :].startswith(entry["printed"])


def test_published_figures_share_a_report_with_nothing() -> None:
    with pytest.raises(LabError, match="a report of its own"):
        build_report([PUBLISHED / name for name in NAMES])


def test_the_report_s_first_screen_answers_before_it_explains(tmp_path: Path) -> None:
    result = render_report([PUBLISHED / "velo_rdma"], tmp_path / "out")
    text = result.path.read_text()
    assert text.index("**Answer.**") < text.index("**Caveats.**") < text.index("## Claims")
    assert result.answers == [
        "of 12 parts of its claims 9 hold, 3 are not decidable; 2 places do not agree with the source's own figures"
    ]
