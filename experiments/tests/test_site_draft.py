"""`site init`: what it writes can be loaded, and says only what was found without doubt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from experiments.config import load_site_file
from experiments.config_site import Ssh
from experiments.preflight.tests.recorded_ports import device_text, infiniband, node, published_node, view
from experiments.setup_record.snapshot import CommandText, Snapshot
from experiments.site_draft import DraftNode, addresses, draft

IP = "1: lo    inet 127.0.0.1/8 scope host lo\n2: eth0    inet 192.0.2.{0}/24 brd x scope global eth0\n{1}"


def with_addresses(snapshot: Snapshot, last: int, more: str = "") -> Snapshot:
    text = CommandText(0, IP.format(last, more), "")
    return replace(snapshot, commands={**snapshot.commands, "addresses": text})


def remote(name: str, snapshot: Snapshot) -> DraftNode:
    return DraftNode(name, view(snapshot), Ssh(host=f"{name}.example", user="lab"))


def written(tmp_path: Path, *nodes: DraftNode) -> tuple[str, Path]:
    text = draft("mine", list(nodes), "2026-01-02")
    (tmp_path / "mine.yaml").write_text(text)
    return text, tmp_path / "mine.yaml"


def test_the_published_setup_becomes_a_site(tmp_path: Path) -> None:
    docker = "3: docker0    inet 172.17.0.1/16 scope global docker0\n"
    nodes = [remote(f"n{lid}", with_addresses(published_node(lid), lid, docker)) for lid in (12, 14)]
    text, path = written(tmp_path, *nodes)
    site = load_site_file(path)
    assert [each.address for each in site.nodes] == ["192.0.2.12", "192.0.2.14"]
    assert site.control is not None and site.control.interface == "eth0"
    assert isinstance(site.nodes[0].device, dict)
    assert site.nodes[0].device["rc_mlx5_ib"] == "mlx5_2:1"
    assert "# mlx5_1:1 Ethernet DOWN" in text and "not usable: link DOWN" in text
    # Any usable port serves plain verbs, so a person must say which is meant.
    assert "# lane rc_verbs: name one of mlx5_0:1, mlx5_2:1" in text


def test_several_ports_are_left_to_a_person(tmp_path: Path) -> None:
    two = node(device_text("mlx5_0", infiniband(4)), device_text("mlx5_3", infiniband(5)))
    text, path = written(tmp_path, remote("a", two), remote("b", two))
    assert "# lane rc_mlx5_ib: name one of mlx5_0:1, mlx5_3:1 under device" in text
    assert load_site_file(path).nodes[0].device is None


def test_several_networks_are_left_to_a_person(tmp_path: Path) -> None:
    more = "3: eth1    inet 198.51.100.9/24 scope global eth1\n"
    text, path = written(tmp_path, *(remote(name, with_addresses(node(), 5, more)) for name in "ab"))
    assert load_site_file(path).control is None
    assert "# control: {interface: NAME}" in text and "also: eth0 192.0.2.5, eth1 198.51.100.9" in text


def test_this_host_becomes_a_local_site(tmp_path: Path) -> None:
    _, path = written(tmp_path, DraftNode("localhost", view(node()), None))
    site = load_site_file(path)
    assert site.launcher == "local" and site.nodes[0].device == {"tcp": "lo"}


def test_addresses_leave_out_loopback_and_bridges() -> None:
    found = addresses(
        view(with_addresses(node(), 7, "4: br-1a    inet 10.0.0.1/8 x\n5: eth2@if3    inet 10.1.1.1/8 x\n"))
    )
    assert found == {"eth0": "192.0.2.7", "eth2": "10.1.1.1"}
