"""`import`: another tool's output becomes a read-only run with report, tables and audit; other text is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.main import main
from experiments.imports import importable, read_for_import

FIXTURES = Path(__file__).parents[2] / "readers" / "tests" / "fixtures"
FILES = {
    "perftest": "perftest_read_bw.txt",
    "perftest_json": "perftest_old.json",
    "nixlbench": "nixlbench_new.txt",
    "message_sweep": "sweep.csv",
    "velo_sweep": "velo.txt",
    "ucx_perftest": "proto_113_log.txt",
}


def test_every_importable_format_has_its_fixture() -> None:
    assert set(FILES) == set(importable())


@pytest.mark.parametrize("kind", sorted(FILES))
def test_an_import_is_reported_audited_and_checked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kind: str
) -> None:
    store = ["--store", str(tmp_path / "runs")]
    assert main(["import", kind, str(FIXTURES / FILES[kind]), *store]) == 0
    folder = Path(capsys.readouterr().out.strip())
    assert folder.parent == tmp_path / "runs"
    assert main(["report", "@last", *store]) == 0
    assert main(["report", "@last", "--check", *store]) == 0
    assert main(["audit", "@last", *store]) == 0
    capsys.readouterr()
    assert main(["tables", "@last", "--format", "json", *store]) == 0
    rows = json.loads(capsys.readouterr().out)["results"]["rows"]
    _, expected = read_for_import(kind, FILES[kind], (FIXTURES / FILES[kind]).read_bytes())
    assert len(rows) == len(expected["results"])


def test_auto_finds_the_format(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["import", "auto", str(FIXTURES / "velo.txt"), "--store", str(tmp_path / "runs")]) == 0
    assert "imported_velo_sweep" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["perftst", "velo.txt"], "did you mean perftest"),
        (["nonsense", "velo.txt"], "no import format"),
        (["perftest", "velo.txt"], "not the output of a perftest program"),
        (["auto", "ibdev2netdev.txt"], "no result of a known tool"),
        (["auto", "nowhere.txt"], "No such file"),
    ],
)
def test_what_cannot_be_imported_is_refused_and_leaves_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str], words: str
) -> None:
    kind, name = arguments
    assert main(["import", kind, str(FIXTURES / name), "--store", str(tmp_path / "runs")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert not (tmp_path / "runs").exists()


def test_what_the_tool_did_not_print_stays_empty() -> None:
    _, rows = read_for_import("perftest", "x", (FIXTURES / "perftest_read_bw.txt").read_bytes())
    assert rows["results"][0]["bandwidth_peak_mib_per_second"] == ""
    assert rows["results"][0]["bandwidth_average_mib_per_second"] == "2750.5"
