"""What `plan` and `list` show, and that `plan --json` is the canonical plan and nothing else."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from cli.main import main
from store.errors import Exit

OUT = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def nobody_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No user configs, no engine, no UCX override of whoever runs the tests."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("RDMALAB_ENGINE", str(tmp_path / "no_engine"))
    (tmp_path / "ucx" / "lib").mkdir(parents=True)
    (tmp_path / "ucx" / "lib" / "libucp.so.0").touch()
    monkeypatch.setenv("RDMALAB_UCX_PREFIX", str(tmp_path / "ucx"))


def test_json_is_the_canonical_plan_alone(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["plan", "noise", "--json"]) == 0
    text = capfdbinary.readouterr().out
    plan = json.loads(text)
    assert plan["format"] == "rdmalab.plan"
    assert text == (json.dumps(plan, sort_keys=True, separators=(",", ":")) + "\n").encode()


def test_view_says_what_would_run(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["plan", "noise", "--json"]) == 0
    digest = hashlib.sha256(capfdbinary.readouterr().out).hexdigest()
    assert main(["plan", "noise"]) == 0
    view = capfdbinary.readouterr().out.decode()
    assert f"digest    {digest}" in view
    assert "2 arms x 4 sizes x 31 reps x 3 pairs = 744 in 93 blocks" in view
    assert "sizes     4KiB, 64KiB, 1MiB, 4MiB" in view
    assert "order     interleaved, seed " in view
    assert "0: pair 0 rep 0 (warm-up): " in view
    assert "binding   site local, lane tcp, about " in view
    assert f"  owner     localhost, lo, {_pinned()}" in view


def _pinned() -> str:
    return "CPU " if len(os.sched_getaffinity(0)) > 1 else "not pinned"


def test_overrides_reach_the_view(capsys: OUT) -> None:
    assert main(["plan", "noise", "--set", "reps=2", "--set", "sizes=[8KiB]", "--lane", "shm"]) == 0
    view = capsys.readouterr().out
    assert "2 arms x 1 sizes x 2 reps x 3 pairs = 12 in 6 blocks" in view
    assert "lane shm" in view


def test_plan_that_cannot_run_here_is_still_shown(capsys: OUT) -> None:
    assert main(["plan", "noise", "--lane", "rc_mlx5_ib"]) == 0
    view = capsys.readouterr().out
    assert "digest    " in view
    assert "cannot run here" in view or "about" in view


def test_missing_run_time_is_told_in_the_binding(monkeypatch: pytest.MonkeyPatch, capsys: OUT) -> None:
    monkeypatch.setenv("RDMALAB_UCX_PREFIX", "/nowhere/at/all")
    assert main(["plan", "noise"]) == 0
    assert "cannot run here: ucx_prefix /nowhere/at/all: no lib/libucp.so.0 there" in capsys.readouterr().out


def test_own_file_is_planned_from_anywhere(tmp_path: Path, capsys: OUT) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("question: Mine?\nsizes: [4KiB]\nreps: 2\narms: {a: {path: rdma}}\n")
    assert main(["plan", str(path)]) == 0
    assert capsys.readouterr().out.startswith("mine: Mine?\n")


def test_list_answers_for_each_experiment(capsys: OUT) -> None:
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    assert "quickstart        From which payload size" in text
    assert "on local/tcp, about " in text
    assert "never run on hardware by us" in text


def test_list_says_why_not(capsys: OUT) -> None:
    assert main(["list", "--lane", "rc_mlx5_ib", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["experiments"]}
    row = rows["quickstart"]
    assert row["lane"] == "rc_mlx5_ib"
    assert "rdma_port" in row["needs"]
    if not row["runnable"]:
        assert "rc_mlx5_ib needs" in row["why_not"]
        assert row["advice"]


def test_list_json_has_the_agreed_keys(capsys: OUT) -> None:
    assert main(["list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"experiments", "lanes"}
    for row in found["experiments"]:
        assert set(row) == {
            "name", "question", "lane", "site", "needs", "pinned_bytes", "estimate_s", "runnable", "why_not", "advice",
        }  # fmt: skip
        assert row["runnable"] or row["lane"] == "verbs", row["why_not"]
        assert not row["runnable"] or row["estimate_s"] > 0


@pytest.mark.parametrize("option", [["--site", "lcal"], ["--lane", "tpc"]])
def test_list_of_an_unknown_place_is_exit_2(option: list[str], capsys: OUT) -> None:
    assert main(["list", *option]) == Exit.USAGE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "did you mean" in captured.err


def test_broken_own_experiment_does_not_hide_the_others(tmp_path: Path, capsys: OUT) -> None:
    folder = tmp_path / "rdmalab" / "experiments"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("question: q\nreps: 0\n")
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    assert "mine.yaml:2:7: reps: '0' is too small" in text
    assert "quickstart" in text
    assert main(["list", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["experiments"]}
    assert rows["mine"]["question"] is None
    assert "reps: '0' is too small" in rows["mine"]["why_not"]
    assert rows["quickstart"]["runnable"]


def test_value_that_the_engine_lacks_is_exit_5(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: OUT) -> None:
    engine = tmp_path / "engine"
    engine.write_text('#!/bin/sh\necho \'{"format":"rdmalab.capabilities","version":1,"engines":["rendezvous"]}\'\n')
    engine.chmod(0o755)
    monkeypatch.setenv("RDMALAB_ENGINE", str(engine))
    assert main(["plan", "noise"]) == Exit.CANNOT_RUN
    assert "valid, but not built in this engine" in capsys.readouterr().err
