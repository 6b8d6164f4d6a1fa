"""`audit` over runs, folders, archives and reports, `annotate` and `diff`, as a person meets them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from analysis.tests.synthetic import Arm, Recipe
from analysis.tests.synthetic_run import make_run
from cli import audit as audit_verb
from cli.main import main
from store.facts import Fact
from store.names import PUBLISHED
from store.write import set_writable

ARMS = (Arm("chunked", 20_000, 1.0, path="chunked"), Arm("rdma", 60_000, 3.0))
OF = {"of": "rdma", "over": "chunked"}
RECIPE = Recipe(arms=ARMS, sizes=(4096, 1 << 20), reps=12, verdicts=({"crossover": OF}, {"advantage": OF}))


class Lab:
    """A store and the command line in this process."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.store = folder, folder / "runs"
        self._capsys = capsys

    def do(self, *words: str) -> tuple[int, str, str]:
        self._capsys.readouterr()
        code = main([*words, "--store", str(self.store)])
        out, err = self._capsys.readouterr()
        return code, out, err

    def audit(self, *words: str) -> tuple[int, list[dict[str, Any]]]:
        code, out, _ = self.do("audit", "--json", *words)
        return code, json.loads(out)["runs"]


@pytest.fixture
def lab(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield Lab(tmp_path, capsys)
    set_writable(tmp_path, True)


def test_an_audit_says_what_the_record_allows_and_forbids(lab: Lab) -> None:
    run = make_run(lab.store, RECIPE)
    code, (row,) = lab.audit()
    assert (code, row["holds"], row["allows"]) == (0, True, ["crossover", "advantage"])
    assert "statements about RDMA (emulated_get)" in row["forbids"]
    assert "changes between runs (one_pair)" in row["forbids"]
    code, out, _ = lab.do("audit", run.name)
    head, line = out.splitlines()
    assert head.split()[:6] == ["run", "integrity", "blocks", "lane", "staging", "allows"]
    assert "crossover, advantage" in line


def test_what_the_samples_do_not_decide_is_not_allowed(lab: Lab) -> None:
    twins = (ARMS[0], replace(ARMS[0], name="rdma", path="rdma"))
    make_run(lab.store, replace(RECIPE, arms=twins, noise=0.2))
    _, (row,) = lab.audit()
    assert "crossover" not in row["allows"]
    assert "crossover of rdma over chunked (inconclusive)" in row["forbids"]
    assert any(note.startswith("crossover of rdma over chunked is inconclusive: ") for note in row["notes"])


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("setup/node1.json", "6.1.0", "6.1.1"),
        ("pairs/0/samples.jsonl", '"total_ns":', '"total_ns":1'),
        ("pairs/0/pair.json", '"exit": 0', '"exit": 1'),
        ("plan.json", '"seed":', '"seed":1'),
    ],
)
def test_one_edited_fact_or_sample_forbids_everything_and_is_named(lab: Lab, file: str, old: str, new: str) -> None:
    run = make_run(lab.store, RECIPE)
    set_writable(run, True)
    text = (run / file).read_text()
    assert old in text
    (run / file).write_text(text.replace(old, new, 1))
    code, out, err = lab.do("audit")
    assert (code, "BROKEN" in out) == (1, True)
    assert err == f"{run.name}: {file} changed after the run\n"
    _, (row,) = lab.audit()
    assert (row["allows"], row["forbids"]) == ([], ["any conclusion: the record is not what was sealed"])


def edit_one_number(report: Path) -> str:
    """Another figure in the first place of report.md where a number of the tables stands; returns the number's id."""
    numbers = json.loads((report.parent / "numbers.json").read_text())["numbers"]
    name = next(name for name in numbers if name.startswith("latency/") or "/median" in name)
    ((line, column), *_), printed = numbers[name]["places"], numbers[name]["printed"]
    lines = report.read_text().split("\n")
    changed = re.sub(r"\d", lambda digit: str((int(digit.group()) + 1) % 10), printed, count=1)
    text = lines[line - 1]
    lines[line - 1] = text[: column - 1] + changed + text[column - 1 + len(printed) :]
    report.write_text("\n".join(lines))
    return str(name)


def test_a_report_whose_numbers_hold_is_noted_and_an_edited_one_is_named(lab: Lab) -> None:
    run = make_run(lab.store, RECIPE)
    assert lab.do("report", run.name)[0] == 0
    code, (row,) = lab.audit()
    assert code == 0
    assert any(re.fullmatch(r"report: \d+ numbers computed again, all hold", note) for note in row["notes"])
    report = lab.folder / "reports" / run.name / "report.md"
    name = edit_one_number(report)
    code, out, err = lab.do("audit", run.name)
    assert (code, "REPORT" in out) == (1, True)
    assert f"{report}:" in err
    assert name in err
    assert lab.do("audit", run.name, "--quick")[0] == 0, "a quick audit looks at no report"


def test_a_sealed_run_of_a_newer_version_does_not_pass(lab: Lab) -> None:
    run = make_run(lab.store, RECIPE)
    set_writable(run, True)
    samples = run / "pairs/0/samples.jsonl"
    samples.write_text(samples.read_text().replace('"version":1', '"version":2', 1))
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["files"]["pairs/0/samples.jsonl"]["sha256"] = sha256(samples.read_bytes()).hexdigest()
    (run / "manifest.json").write_text(json.dumps(manifest))
    code, out, err = lab.do("audit", run.name)
    assert (code, "UNREADABLE" in out) == (1, True)
    assert err == f"{run.name}: pairs/0/samples.jsonl: version 2 of rdmalab.samples; this tool reads version 1\n"


def test_a_report_of_another_record_is_told(lab: Lab) -> None:
    run = make_run(lab.store, RECIPE)
    lab.do("report", run.name)
    numbers = lab.folder / "reports" / run.name / "numbers.json"
    value = json.loads(numbers.read_text())
    value["runs"][0]["manifest_sha256"] = "0" * 64
    numbers.write_text(json.dumps(value))
    code, (row,) = lab.audit()
    assert code == 1
    assert "was made from another record" in row["wrong"][0]


def test_a_report_that_cannot_be_read_is_told(lab: Lab) -> None:
    run = make_run(lab.store, RECIPE)
    folder = lab.folder / "reports" / run.name
    folder.mkdir(parents=True)
    (folder / "numbers.json").write_text("half a rep")
    code, (row,) = lab.audit()
    assert code == 1
    assert "cannot be computed again" in row["wrong"][0]


def test_archives_are_audited_alone_and_in_a_folder(lab: Lab) -> None:
    run = make_run(lab.store, RECIPE)
    file = lab.folder / "kept" / f"{run.name}.tar.gz"
    file.parent.mkdir()
    code, out, _ = lab.do("export", run.name, "archive", "--out", str(file))
    assert (code, out) == (0, f"{file}\n")
    for what in (file, file.parent):
        code, (row,) = lab.audit(str(what))
        assert (code, row["run"], row["integrity"], row["allows"]) == (0, run.name, "ok", ["crossover", "advantage"])
    file.write_bytes(file.read_bytes()[:-100])
    code, out, err = lab.do("audit", str(file.parent))
    assert (code, "UNREADABLE" in out) == (1, True)
    assert err.startswith(f"{file.name}: ")


def test_an_anonymous_archive_is_reported_and_says_what_it_is(lab: Lab) -> None:
    run = make_run(lab.store, RECIPE)
    file = lab.folder / f"{run.name}-anonymous.tar.gz"
    assert lab.do("export", run.name, "archive", "--anonymous", "--out", str(file))[0] == 0
    _, (row,) = lab.audit(str(file))
    assert (row["holds"], "names of machines and people are replaced" in row["notes"]) == (True, True)
    code, out, _ = lab.do("report", str(file), "--out", str(lab.folder / "report"))
    assert code == 0
    text = Path(out.strip()).read_text()
    assert "host1" in text
    assert "node1" not in text


def test_published_results_are_audited_with_their_report(lab: Lab) -> None:
    code, (row,) = lab.audit("published/one_vs_two_sided")
    assert (code, row["kind"]) == (0, "published")
    assert row["allows"]
    assert "intervals and tests" in row["forbids"]
    assert any(note.startswith("report: ") for note in row["notes"])


def test_many_runs_are_audited_by_their_records(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_verb, "DEEP_RUNS", 1)
    for seed in (1, 2):
        make_run(lab.store, replace(RECIPE, seed=seed))
    code, out, err = lab.do("audit", "--json")
    rows = json.loads(out)["runs"]
    assert (code, len(rows)) == (0, 2)
    assert "2 runs: by their records" in err
    assert all(row["allows"] == ["crossover", "advantage"] for row in rows)
    assert all("statements about RDMA (emulated_get)" in row["forbids"] for row in rows)
    assert not any("one_pair" in text for row in rows for text in row["forbids"]), "needs the samples"
    assert "by their records" not in lab.do("audit", "--deep")[2]


@pytest.mark.timeout(300)
def test_a_withdrawn_run_is_told_everywhere(lab: Lab) -> None:
    run = make_run(lab.store, RECIPE)
    lab.do("report", run.name)
    before = (lab.folder / "reports" / run.name / "report.md").read_text()
    code, out, _ = lab.do("annotate", "@last", "--withdrawn", "the cable was bad")
    assert (code, out) == (0, f"{run}.annotations.jsonl\n")
    code, (row,) = lab.audit()
    assert (code, row["allows"], row["notes"][0]) == (0, [], "withdrawn: the cable was bad")
    assert row["forbids"][0] == "any conclusion (withdrawn)"
    assert "the cable was bad" in lab.do("list", "--runs")[1]
    (listed,) = json.loads(lab.do("list", "--runs", "--json")[1])["runs"]
    assert listed["withdrawn"] == "the cable was bad"
    assert lab.do("report", run.name, "--check")[0] == 1, "the stored report does not say it yet"
    _, out, err = lab.do("report", run.name)
    assert "caveat    withdrawn: the cable was bad" in err
    after = Path(out.strip()).read_text()
    assert "**Withdrawn.** the cable was bad" in after.split("**Question.**")[0]
    assert "Withdrawn" not in before
    assert lab.do("audit")[0] == 0


def test_withdrawn_figures_of_others_allow_nothing(lab: Lab) -> None:
    copy = shutil.copytree(PUBLISHED / "one_vs_two_sided", lab.store / "one_vs_two_sided")
    assert lab.do("annotate", str(copy), "--withdrawn", "a typing error")[0] == 0
    code, (row,) = lab.audit(str(copy))
    assert (code, row["allows"], row["forbids"]) == (0, [], ["any conclusion (withdrawn)"])
    assert "withdrawn: a typing error" in row["notes"]
    _, out, _ = lab.do("report", str(copy), "--out", str(lab.folder / "report"))
    assert "**Withdrawn.** a typing error" in Path(out.strip()).read_text()


def test_runs_are_listed_by_any_fact_of_their_setup(lab: Lab) -> None:
    for seed, firmware in enumerate(("28.43", "28.45")):
        make_run(lab.store, replace(RECIPE, seed=seed, facts={"nic.mlx5_0.firmware": Fact(firmware, None, "sysfs")}))
    code, out, _ = lab.do("list", "--runs", "nic.firmware=28.45", "lane=tcp", "--json")
    assert (code, len(json.loads(out)["runs"])) == (0, 1)
    assert len(json.loads(lab.do("list", "--runs", "nic.firmware=28.4*", "--json")[1])["runs"]) == 2
    assert lab.do("list", "--runs", "nic.firmware=1")[1] == "no runs\n"
    code, _, err = lab.do("list", "--runs", "no.such.fact=1")
    assert (code, "no run has a setup fact 'no.such.fact'" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["annotate", "@last"], "annotate with what?"),
        (["annotate", "@last", "--withdrawn", " "], "needs its reason"),
        (["annotate", "nosuch", "--withdrawn", "x"], "no run is called 'nosuch'"),
        (["export", "@last", "parquett"], "did you mean parquet?"),
        (["export", "@last", "csv", "--out", "."], ". is a folder"),
        (["export", "published/velo_rdma", "csv", "--out", "x"], "no samples"),
        (["diff", "@last", "@last-1"], "there is no run @last-1"),
        (["audit", "."], "holds no runs"),
    ],
)
def test_what_is_asked_wrongly_is_exit_2_with_advice(
    lab: Lab, words: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(lab.store, RECIPE)
    monkeypatch.chdir(lab.folder)
    code, out, err = lab.do(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert not (lab.folder / "x").exists()


def test_a_report_in_a_place_that_cannot_be_written_is_one_line(lab: Lab) -> None:
    make_run(lab.store, RECIPE)
    code, _, err = lab.do("export", "@last", "csv", "--out", str(lab.folder / "absent" / "x.csv"))
    assert code == 1
    assert "cannot write" in err


def test_diff_puts_identity_first(lab: Lab) -> None:
    one = make_run(lab.store / "a", replace(RECIPE, facts={"kernel.release": Fact("6.1.0", None, "uname")}))
    other = make_run(lab.store / "b", replace(RECIPE, facts={"kernel.release": Fact("6.6.1", None, "uname")}, seed=2))
    code, out, _ = lab.do("diff", str(one), str(other))
    lines = out.splitlines()
    assert code == 0
    assert lines[2].split() == ["identity", "node1.kernel.release", "6.1.0", "->", "6.6.1"]
    assert lines[-1].startswith("same       5 facts")
    code, out, _ = lab.do("diff", str(one), str(other), "--json")
    assert json.loads(out)["groups"]["identity"][0]["after"] == "6.6.1"
