"""The parts of the softroce testbed that need no emulation: command line, state, keys, modules, refusals, its site."""

from __future__ import annotations

import os
import socket
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.config import load_site
from experiments.testbeds import ensure
from experiments.testbeds.ensure import softroce_site
from experiments.testbeds.recorded_process import RecordedProcess
from experiments.testbeds.softroce import Testbed
from experiments.testbeds.softroce.initramfs import write_initramfs
from experiments.testbeds.softroce.kernel import Kernel, load_order
from experiments.testbeds.softroce.keys import known_hosts_text, make_key, public_of
from experiments.testbeds.softroce.machine import Machine, qemu_argv
from experiments.testbeds.softroce.state import NodeState, read_state, write_state
from store.errors import Exit, LabError

GONE = RecordedProcess(pid=2**22 - 3, start_ticks=1, boot_id="before the reboot")


def own_process() -> RecordedProcess:
    found = RecordedProcess.of(os.getpid())
    assert found is not None
    return found


def machine(folder: Path) -> Machine:
    return Machine(1, 2, folder, folder / "vmlinuz", folder / "initramfs", Path("/p"), folder / "share", 2201)


def test_ssh_is_reached_on_loopback_only_and_nothing_leads_out(tmp_path: Path) -> None:
    doors = [word for word in qemu_argv(machine(tmp_path)) if word.startswith("user,")]
    assert doors == ["user,id=door,restrict=on,hostfwd=tcp:127.0.0.1:2201-:22"]


def test_only_the_shared_folder_is_writable(tmp_path: Path) -> None:
    shares = [word for word in qemu_argv(machine(tmp_path)) if word.startswith("local,")]
    writable = [word for word in shares if "readonly=on" not in word]
    assert len(shares) == 3 and len(writable) == 1 and f"path={tmp_path / 'share'}," in writable[0]


def test_the_two_nodes_are_each_others_peer(tmp_path: Path) -> None:
    one = machine(tmp_path)
    links = [
        next(word for word in qemu_argv(each) if word.startswith("dgram"))
        for each in (one, replace(one, number=2, peer=1))
    ]
    assert "local.path=node1.net,remote.type=unix,remote.path=node2.net" in links[0]
    assert "local.path=node2.net,remote.type=unix,remote.path=node1.net" in links[1]


def test_modules_load_after_what_they_depend_on() -> None:
    depends: dict[str, tuple[str, ...]] = {"rxe": ("core", "tunnel"), "core": (), "tunnel": ("core",), "cm": ("core",)}
    assert load_order(("rxe", "cm"), depends) == ["core", "tunnel", "rxe", "cm"]
    with pytest.raises(LabError, match="ghost"):
        load_order(("a",), {"a": ("ghost",)})
    with pytest.raises(LabError, match="depends on itself"):
        load_order(("a",), {"a": ("b",), "b": ("a",)})


def test_the_state_survives_its_file(tmp_path: Path) -> None:
    nodes = {1: NodeState(1, 2201, GONE), 2: NodeState(2, 2202, own_process())}
    write_state(tmp_path / "nodes.json", nodes)
    assert read_state(tmp_path / "nodes.json") == nodes
    assert read_state(tmp_path / "none.json") == {}


@pytest.mark.parametrize("text", ["", "[]", '{"version": 9, "nodes": []}', '{"version": 1, "nodes": [{}]}'])
def test_a_state_file_of_another_shape_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "nodes.json").write_text(text)
    with pytest.raises(LabError):
        read_state(tmp_path / "nodes.json")


def test_status_names_what_is_down_and_what_is_dead(tmp_path: Path) -> None:
    testbed = Testbed(tmp_path)
    assert [node.condition for node in testbed.status()] == ["down", "down"]
    testbed.folder.mkdir(parents=True)
    write_state(testbed.folder / "nodes.json", {2: NodeState(2, 2202, GONE)})
    (testbed.folder / "node2.console").write_text("first\nKernel panic - not syncing\n")
    one, two = testbed.status()
    assert (one.condition, two.condition) == ("down", "dead")
    assert "Kernel panic" in two.detail
    with pytest.raises(LabError, match="node2 is dead"):
        testbed.nodes()


def test_a_node_without_its_ready_line_is_booting(tmp_path: Path) -> None:
    testbed = Testbed(tmp_path)
    testbed.folder.mkdir(parents=True)
    write_state(testbed.folder / "nodes.json", {1: NodeState(1, 9, own_process())})
    (testbed.folder / "node1.console").write_text("rdmalab-node: modules\n")
    assert testbed.status()[0].condition == "booting"


def test_a_node_whose_sshd_says_nothing_is_silent(tmp_path: Path) -> None:
    testbed = Testbed(tmp_path)
    testbed.folder.mkdir(parents=True)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # taken, and nobody listens
        write_state(testbed.folder / "nodes.json", {1: NodeState(1, closed.getsockname()[1], own_process())})
        (testbed.folder / "node1.console").write_text("rdmalab-node: ready\n")
        assert testbed.status()[0].condition == "silent"


def test_down_forgets_what_a_reboot_has_ended(tmp_path: Path) -> None:
    testbed = Testbed(tmp_path)
    testbed.folder.mkdir(parents=True)
    write_state(testbed.folder / "nodes.json", {1: NodeState(1, 2201, GONE)})
    (testbed.share / "run").mkdir(parents=True)
    lines: list[str] = []
    testbed.down(lines.append)
    assert "was gone already" in lines[0]
    assert not testbed.share.exists()
    assert read_state(testbed.folder / "nodes.json") == {}
    testbed.down(lines.append)


def test_a_folder_that_qemu_cannot_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError) as caught:
        Testbed(tmp_path / "a,b").up(lambda line: None)
    assert caught.value.exit_code is Exit.CANNOT_RUN


def test_keys_are_made_once_and_pinned_by_port(tmp_path: Path) -> None:
    key = make_key(tmp_path / "k")
    text = public_of(key)
    assert public_of(make_key(tmp_path / "k")) == text
    assert known_hosts_text("127.0.0.1", {2201: key}) == f"[127.0.0.1]:2201 {' '.join(text.split()[:2])}\n"
    assert key.stat().st_mode & 0o077 == 0


def test_the_archive_holds_init_modules_and_keys(tmp_path: Path) -> None:
    for name in ("00-a.ko", "key"):
        (tmp_path / name).write_text(name)
    target = tmp_path / "initramfs.cpio"
    write_initramfs(target, Kernel("6.1", tmp_path / "vmlinuz", (tmp_path / "00-a.ko",)), {"host1": tmp_path / "key"})
    listed = subprocess.run(["cpio", "-t", "--quiet"], input=target.read_bytes(), capture_output=True, check=True)
    assert {"init", "bin/busybox", "modules/00-a.ko", "keys/host1"} <= set(listed.stdout.decode().split())
    assert target.stat().st_mode & 0o077 == 0  # private keys are in it


def test_a_site_without_a_testbed_is_left_as_it_is() -> None:
    site = load_site("local")
    assert ensure(site, lambda line: None) is site


def test_the_site_gets_ports_keys_and_the_shared_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    testbed = Testbed(tmp_path)
    nodes = [NodeState(1, 2201, GONE), NodeState(2, 2202, GONE)]
    monkeypatch.setattr(testbed, "nodes", lambda: nodes)
    site = softroce_site(load_site("softroce"), testbed)
    ports = [node.ssh.port for node in site.nodes if node.ssh is not None]
    assert ports == [2201, 2202]
    assert site.shared_folder == str(testbed.share)
    nodes.pop()
    with pytest.raises(LabError, match="not node2"):
        softroce_site(load_site("softroce"), testbed)
