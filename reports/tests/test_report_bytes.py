"""The same run gives the same bytes: in another folder, locale, time zone, hash seed, and with numpy's dispatch on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.tests.synthetic import RDMA, Recipe
from analysis.tests.synthetic_run import make_run
from reports.differences import differences
from reports.pinned import pinned_environment
from reports.render import check_report, render_report
from reports.version import RENDERER
from store.errors import Exit, LabError

OF = {"of": "rdma", "over": "chunked"}
VERDICTS = (
    {"advantage": OF}, {"crossover": OF}, {"fixed_plus_marginal": {"arm": "rdma"}}, {"threshold_advice": OF},
    {"wireup_cost": OF}, {"knee": {"arm": "rdma"}}, {"equivalence": OF}, {"copy_share": {"arm": "rdma"}},
)  # fmt: skip
RECIPE = Recipe(reps=9, verdicts=VERDICTS)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("store") / "runs", RECIPE)


@pytest.fixture(scope="module")
def fresh(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report as it is rendered; not to be changed."""
    return render_report([run], tmp_path_factory.mktemp("fresh") / "report").path.parent


@pytest.fixture
def report(fresh: Path, tmp_path: Path) -> Path:
    """A copy of it, to be edited."""
    return Path(shutil.copytree(fresh, tmp_path / "report"))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_report_has_text_numbers_and_pictures_and_tells_its_answers(run: Path, tmp_path: Path) -> None:
    result = render_report([run], tmp_path / "out")
    assert result.path == tmp_path / "out" / "report.md"
    assert set(contents(tmp_path / "out")) == {
        "report.md", "numbers.json", "latency.png", "advantage.png", "phases.png", "rate.png", "samples.png",
    }  # fmt: skip
    assert len(result.answers) == len(VERDICTS)
    assert all(answer.startswith("on tcp, emulated GET: ") for answer in result.answers)
    assert any(caveat.startswith("emulated_get: ") for caveat in result.caveats)
    assert "\x02" not in result.path.read_text() + "".join(result.answers)


def test_rendered_elsewhere_the_bytes_are_the_same(run: Path, report: Path, tmp_path: Path) -> None:
    moved = tmp_path / "another place" / run.name
    shutil.copytree(run, moved)
    code = "import sys; from pathlib import Path; from reports.render import render_report; "
    code += "render_report([Path(sys.argv[1])], Path(sys.argv[2]))"
    settings = {"LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "4711"}
    (tmp_path / "matplotlibrc").write_text("font.size: 30\n")
    subprocess.run(
        [sys.executable, "-c", code, str(moved), str(tmp_path / "again")],
        check=True,
        cwd=tmp_path,
        env={**os.environ, **settings, "MPLBACKEND": "svg", "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert contents(tmp_path / "again") == contents(report)


def test_numpys_dispatch_does_not_show(run: Path, report: Path, tmp_path: Path) -> None:
    """The process started without the pin of numpy: what the pin protects against does not differ on this CPU."""
    env = pinned_environment() | {"NPY_DISABLE_CPU_FEATURES": ""}
    asked = {"what": "report", "runs": [str(run)], "out": str(tmp_path / "other")}
    command = [sys.executable, "-m", "reports.rendering_process"]
    subprocess.run(command, input=json.dumps(asked), text=True, check=True, env=env, capture_output=True)
    assert contents(tmp_path / "other") == contents(report)


def test_the_rendering_process_runs_with_dispatch_off() -> None:
    code = "import sys; from reports.pinned import is_pinned; sys.exit(not is_pinned())"
    subprocess.run([sys.executable, "-c", code], check=True, env=pinned_environment())


def test_check_renders_again_and_compares_bytes(run: Path, report: Path) -> None:
    assert check_report([run], report) == []
    path = report / "rate.png"
    path.write_bytes(path.read_bytes()[:-1])
    assert [str(difference) for difference in check_report([run], report)] == ["rate.png: is drawn differently"]


def test_a_changed_byte_of_any_file_is_found_and_the_file_named(report: Path, fresh: Path) -> None:
    assert differences(report, fresh) == []
    for path in sorted(report.iterdir()):
        good = path.read_bytes()
        path.write_bytes(good[:-20] + bytes([good[-20] ^ 1]) + good[-19:])
        assert [difference.file for difference in differences(report, fresh)] == [path.name]
        path.write_bytes(good)
    (report / "rate.png").unlink()
    assert [str(difference) for difference in differences(report, fresh)] == ["rate.png: is missing"]


def test_a_changed_figure_is_told_from_changed_words(report: Path, fresh: Path) -> None:
    text = (report / "report.md").read_text()
    (report / "report.md").write_text(text.replace("**Question.**", "**A question.**"))
    assert [each.kind for each in differences(report, fresh)] == ["wording"]
    numbers = json.loads((report / "numbers.json").read_text())
    entry = numbers["numbers"]["advantage/rdma~chunked/1048576/ratio"]
    line, column = entry["places"][0]
    lines = text.split("\n")
    assert lines[line - 1][column - 1 :].startswith(entry["printed"])
    lines[line - 1] = lines[line - 1][: column - 1] + "9" + lines[line - 1][column:]
    (report / "report.md").write_text("\n".join(lines))
    found = differences(report, fresh)
    assert [(each.file, each.kind) for each in found] == [("report.md", "figures")]
    assert f"line {line}" in found[0].text
    numbers["numbers"]["advantage/rdma~chunked/1048576/ratio"]["value"] = 9.9
    (report / "numbers.json").write_text(json.dumps(numbers))
    assert "advantage/rdma~chunked/1048576/ratio was 9.9" in str(differences(report, fresh)[0])


def test_both_renderers_are_named_when_they_differ(report: Path, fresh: Path) -> None:
    path = report / "numbers.json"
    path.write_text(path.read_text().replace(f"renderer {RENDERER}", "renderer 0"))
    found = differences(report, fresh)
    assert [each.kind for each in found] == ["wording"]
    assert "renderer 0, checked with rdmalab" in str(found[0])


def test_a_picture_of_an_earlier_rendering_goes(run: Path, report: Path, fresh: Path) -> None:
    (report / "old.png").write_bytes(b"x")
    assert [str(each) for each in differences(report, fresh)] == ["old.png: is not part of this report"]
    render_report([run], report)
    assert not (report / "old.png").exists()


def test_no_report_and_no_run_are_refused(tmp_path: Path, run: Path) -> None:
    with pytest.raises(LabError, match="no report here") as missing:
        check_report([run], tmp_path / "nothing")
    assert missing.value.exit_code == Exit.USAGE
    with pytest.raises(LabError, match="not a run") as none:
        render_report([tmp_path], tmp_path / "out")
    assert none.value.exit_code == Exit.USAGE


def test_a_report_over_a_run_and_its_refinement_has_the_sizes_of_both(tmp_path: Path) -> None:
    one = make_run(tmp_path / "runs", replace(RECIPE, sizes=(32768, 131072)))
    two = make_run(tmp_path / "runs", replace(RECIPE, sizes=(65536, 98304)))
    result = render_report([one, two], tmp_path / "report")
    text = result.path.read_text()
    assert all(f"| {size} " in text for size in ("32 KiB", "64 KiB", "96 KiB", "128 KiB"))
    assert one.name in text
    assert two.name in text


def test_alt_texts_say_what_the_pictures_show(report: Path) -> None:
    text = (report / "report.md").read_text()
    alts = [line.split("](")[0] for line in text.split("\n") if line.startswith("![")]
    assert len(alts) == 5
    assert all("rdma" in alt or "samples" in alt for alt in alts)
    assert all(len(alt) > 60 for alt in alts)


def test_the_first_screen_has_question_answer_caveats_evidence_and_setup_before_the_first_picture(report: Path) -> None:
    text = (report / "report.md").read_text()
    places = [
        text.index(mark) for mark in ("**Question.**", "**Answer 1.**", "**Caveats.**", "**Evidence.**", "**Setup.**")
    ]
    assert places == sorted(places)
    assert places[-1] < text.index("![")
    assert "node1 (both): Model of a processor, 8 cores" in text
    assert "./rdmalab run --like" in text


def test_pinned_environment_passes_no_variable_that_changes_figures() -> None:
    env = pinned_environment(
        {"PATH": "/bin", "LC_ALL": "x", "NPY_DISABLE_CPU_FEATURES": "y", "LD_PRELOAD": "z", "A": "b"}
    )
    assert env["LC_ALL"] == "C.UTF-8"
    assert "LD_PRELOAD" not in env
    assert "A" not in env


def test_a_run_with_copies_and_pairs_renders(tmp_path: Path) -> None:
    arm = replace(RDMA, name="copying", read="get", copy_bytes_per_ns=6.0)
    run = make_run(tmp_path / "runs", replace(RECIPE, arms=(*RECIPE.arms, arm), pairs=3, reps=5))
    text = render_report([run], tmp_path / "report").path.read_text()
    assert "## Differences between pairs and within them" in text
    assert "geometric mean of 3 pair medians" in text
