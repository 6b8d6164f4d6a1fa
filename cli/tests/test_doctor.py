"""doctor, site and testbed as a person meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.doctor_text import as_document, told
from cli.main import main
from experiments.doctor import Examination, LaneVerdict
from experiments.launchers.tests.real_sshd import real_sshd
from experiments.preflight import examine
from experiments.preflight.tests.recorded_ports import lane, published_node, view
from store.errors import Exit, LabError


def no_rdma() -> bool:
    return not Path("/sys/class/infiniband").is_dir() or not any(Path("/sys/class/infiniband").iterdir())


@pytest.mark.skipif(not no_rdma(), reason="this machine has RDMA devices")
def test_a_machine_without_rdma_is_told_so_in_words_that_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert "no RDMA port" in text and "tcp: ok" in text and "testbed softroce up" in text


@pytest.mark.skipif(not no_rdma(), reason="this machine has RDMA devices")
def test_a_lane_that_cannot_run_here_is_exit_5(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--lane", "rc_verbs"]) == 5
    assert main(["doctor", "--lane", "tcp"]) == 0


def test_json_has_nodes_and_lanes(capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert document["format"] == "rdmalab.doctor"
    assert {"tcp", "shm"} <= {found["name"] for found in document["lanes"] if found["runnable"]}
    assert document["nodes"][0]["facts"]["kernel.release"]["status"] == "measured"


def test_an_inherited_ucx_variable_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UCX_TLS", "tcp,self")
    assert main(["doctor", "--lane", "shm"]) == 3
    assert "UCX_TLS=tcp,self" in capsys.readouterr().out


def published(lane_name: str) -> Examination:
    views = {"n17": view(published_node(12)), "n18": view(published_node(14))}
    found = examine(lane_name, lane(lane_name), views, owner="n17", consumer="n18")
    verdicts = (
        LaneVerdict(lane_name, found.refusal(), found.checks),
        LaneVerdict("shm", LabError("lane shm: one host")),
    )
    return Examination("cluster", ("n17", "n18"), views, verdicts)


def test_the_published_setup_as_doctor_shows_it() -> None:
    text = told(published("rc_mlx5_ib"))
    words = " ".join(text.split())
    assert "mlx5_2:1 InfiniBand ACTIVE 400 Gb/s MTU 4096 LID 12 SM 3 fw 28.43.1014 usable for IB lanes" in words
    assert "not usable: link DOWN" in text
    assert "same fabric not disproven" in text
    assert "rc_mlx5_ib: ok" in text and "shm: no: the lane: one host" in text


def test_ports_in_json_say_why_not() -> None:
    ports = {port["device"]: port for port in as_document(published("rc_mlx5_ib"))["nodes"][0]["ports"]}
    assert ports["mlx5_2"]["usable"] and ports["mlx5_2"]["lid"] == 12
    assert not ports["mlx5_1"]["usable"] and "DOWN" in ports["mlx5_1"]["reason"]


def test_site_init_writes_a_site_that_check_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert main(["site", "init", "mine"]) == 0
    written = Path(capsys.readouterr().out.strip())
    assert written == tmp_path / "rdmalab" / "sites" / "mine.yaml"
    assert main(["site", "check", "mine", "--lane", "tcp"]) == 0
    assert main(["site", "check", str(written), "--lane", "tcp"]) == 0
    assert main(["site", "init", "mine"]) == 2
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["Bad Name"], ["ok", "user@@host"], ["ok", "host:99999"], ["ok", "-oProxyCommand=x"]]
)
def test_site_init_refuses_what_names_nothing(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert main(["site", "init", *words]) == Exit.USAGE
    assert not (tmp_path / "rdmalab").exists()


def test_site_init_tells_why_a_node_cannot_be_reached(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with real_sshd(tmp_path) as server:
        host = f"{server.target.user}@127.0.0.1:{server.target.port}"
        code = main(
            ["site", "init", "far", host, "--identity", str(tmp_path / "none"), "--out", str(tmp_path / "f.yaml")]
        )
    assert code == 5
    message = capsys.readouterr().err
    assert "127.0.0.1" in message and ("host key" in message or "no key opens it" in message)
    assert not (tmp_path / "f.yaml").exists()


def test_testbed_status_tells_each_node(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["testbed", "softroce", "status", "--json"]) in (0, 1)
    nodes = json.loads(capsys.readouterr().out)["nodes"]
    assert [node["name"] for node in nodes] == ["node1", "node2"]
