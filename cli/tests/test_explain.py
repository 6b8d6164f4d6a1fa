"""`explain`: the exact JSON, the words for a person, the exit codes; through the command line itself."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.main import main

FIXTURES = Path(__file__).parents[2] / "readers" / "tests" / "fixtures"


def explained(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, Any]:
    assert main(["explain", *arguments, "--json"]) == code
    document = json.loads(capsys.readouterr().out)
    assert isinstance(document, dict)
    return document


def test_ports_have_the_agreed_keys(capsys: pytest.CaptureFixture[str]) -> None:
    document = explained(capsys, str(FIXTURES / "devinfo_published_node.txt"))
    assert document["kind"] == "ibv_devinfo"
    agreed = ("device", "port", "state", "link_layer", "usable", "reason")
    assert [tuple(port[key] for key in agreed) for port in document["ports"]] == [
        ("mlx5_0", 1, "ACTIVE", "Ethernet", True, "ACTIVE, serves RoCE lanes"),
        ("mlx5_1", 1, "DOWN", "Ethernet", False, "link DOWN: administratively or by cable"),
        ("mlx5_2", 1, "ACTIVE", "InfiniBand", True, "ACTIVE, serves IB lanes"),
    ]
    assert "get" not in document
    assert "tables" not in document


def test_a_lane_makes_ports_of_another_kind_unusable(capsys: pytest.CaptureFixture[str]) -> None:
    document = explained(capsys, str(FIXTURES / "devinfo_published_node.txt"), "--lane", "rc_mlx5_ib")
    assert [port["usable"] for port in document["ports"]] == [False, False, True]


def test_tables_and_get_have_the_agreed_keys(capsys: pytest.CaptureFixture[str]) -> None:
    document = explained(capsys, str(FIXTURES / "proto_get_122.txt"), "--get-size", "4KiB")
    rows = document["tables"][0]["rows"]
    agreed = ("from", "to", "protocol", "lanes", "estimate")
    assert [tuple(row[key] for key in agreed) for row in rows][-1] == (
        2049,
        None,
        "zero-copy",
        ["rc_mlx5/mlx5_4:1"],
        False,
    )
    assert (document["tables"][0]["scope"], document["get"]["size"]) == ("inter-node", 4096)
    assert (document["get"]["verdict"], document["get"]["zero_copy"]) == ("one_sided", True)
    assert document["get"]["row"] == rows[-1]


@pytest.mark.parametrize(
    ("name", "arguments", "verdict", "code"),
    [
        ("proto_get_122.txt", ("rc_mlx5_ib", "4KiB"), "proven", 0),
        ("proto_get_122.txt", ("rc_mlx5_ib", "64"), "refuted", 3),
        ("proto_get_122.txt", ("tcp", "4KiB"), "refuted", 3),
        ("proto_113_log.txt", ("tcp", "1MiB"), "proven", 0),
        ("ucx_log.txt", ("rc_mlx5_ib", "1MiB"), "unproven", 3),
    ],
)
def test_a_lane_holds_or_does_not(
    capsys: pytest.CaptureFixture[str], name: str, arguments: tuple[str, str], verdict: str, code: int
) -> None:
    lane, size = arguments
    document = explained(capsys, str(FIXTURES / name), "--lane", lane, "--get-size", size, code=code)
    assert document["lane"]["verdict"] == verdict


def test_a_missing_device_in_the_log_refutes_the_lane(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text(
        "x.c:1 UCX  WARN  network device 'mlx5_8:1' is not available, please use one or more of: 'lo'(tcp)\n"
    )
    document = explained(capsys, str(log), "--lane", "rc_mlx5_ib", "--get-size", "4KiB", code=3)
    assert document["lane"]["verdict"] == "refuted"
    assert set(document["findings"][0]) >= {"cause", "advice"}


def test_results_have_units_in_their_keys(capsys: pytest.CaptureFixture[str]) -> None:
    document = explained(capsys, str(FIXTURES / "nixlbench_new.txt"))
    assert document["rows"][0]["bandwidth_gb_per_second"] == 3.25
    assert document["skipped_lines"] == 1


@pytest.mark.parametrize("text", ["", "hello\n", "\x00\x01"])
def test_unknown_input_is_said_to_be_unknown(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> None:
    file = tmp_path / "what.txt"
    file.write_text(text)
    assert main(["explain", str(file)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "unknown" in captured.err
    assert explained(capsys, str(file), code=2)["kind"] == "unknown"


@pytest.mark.parametrize("arguments", [["nowhere.txt"], ["."], ["-", "--get-size", "4KB"], ["-", "--lane", "nolane"]])
def test_a_wrong_argument_ends_with_2(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main(["explain", *arguments]) == 2
    assert capsys.readouterr().out == ""


def test_text_comes_from_stdin_and_answers_before_it_explains(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (FIXTURES / "proto_113_log.txt").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert main(["explain", "-"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "This is a UCX protocol table, with the output of ucx_perftest."
    assert any(line.startswith("A GET of 1MiB: emulated, not zero-copy") for line in shown)
    assert any("(?) an estimate, no evidence" in line for line in shown)


@pytest.mark.parametrize("fixture", sorted(path.name for path in FIXTURES.iterdir()))
def test_every_fixture_is_explained_in_words(capsys: pytest.CaptureFixture[str], fixture: str) -> None:
    assert main(["explain", str(FIXTURES / fixture)]) == 0
    assert capsys.readouterr().out.startswith("This is ")
