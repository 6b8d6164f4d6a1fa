"""Whole runs between the two emulated nodes, and what happens when one of them is not as it should be.

Each fault is made on the node itself and taken back.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from experiments.site_launcher import connections_folder
from experiments.testbeds.tests.softroce_nodes import DEADLINE_S, ON_THE_TESTBED, Nodes, do, eventually
from experiments.tests.e2e_lab import Lab
from store.names import ROOT

pytestmark = ON_THE_TESTBED
SMALL = ("--site", "softroce", "--set", "pairs=1", "--set", "reps=2", "--set", "sizes=[4KiB,64KiB]")
IMPATIENT = ("--set", "limits.get_timeout_ms=15000", "--set", "limits.exchange_timeout_ms=30000")
UCX_FILE = ROOT / ".deps/ucx/1.20.1-verbs/lib/ucx/libuct_ib.so.0"


def test_doctor_lists_each_port_of_both_nodes(lab: Lab) -> None:
    tool = subprocess.run(
        lab.argv("doctor", "--site", "softroce", "--json"),
        check=False,
        env=lab.environment(),
        capture_output=True,
        timeout=DEADLINE_S,
    )
    assert tool.returncode == 0, tool.stderr
    document = json.loads(tool.stdout)
    ports = [
        (node["name"], port["device"], port["usable"], port["serves"])
        for node in document["nodes"]
        for port in node["ports"]
    ]
    assert ports == [("node1", "rxe0", True, "RoCE"), ("node2", "rxe0", True, "RoCE")]
    runnable = {lane["name"] for lane in document["lanes"] if lane["runnable"]}
    assert {"rc_verbs", "tcp"} <= runnable and not {"shm", "rc_mlx5_ib"} & runnable


@pytest.mark.parametrize("lane", ["rc_verbs", "rc_verbs_cm"])  # wired up over ud_verbs, and through rdmacm
def test_a_run_over_verbs_proves_its_lane(lane: str, lab: Lab) -> None:
    code, out, err = do(lab, "run", "rendezvous_warm", "--lane", lane, *SMALL)
    assert code == 0, err
    run = lab.run()
    assert (lab.folder / out.strip().splitlines()[-1]) == run.path
    samples = [line.data for line in run.samples()]
    assert len(samples) == 8 and all(sample["verified"] for sample in samples)
    assert all(sample["nic_registered"] for sample in samples if sample["path"] == "rdma")
    proof = json.loads((run.path / "lane.json").read_text())
    assert proof["verdict"] == "proven" and "emulated_nic" in proof["caveats"]
    assert [witness["says"] for witness in proof["ports"]] == ["supports", "supports"]
    rows = [size["row"] for size in proof["pairs"][0]["sizes"]]
    assert {(row["protocol"], row["config"]) for row in rows} == {("zero-copy", "rc_verbs/rxe0:1")}
    for node in ("node1", "node2"):
        facts = run.setup[node].before
        assert facts["port.rxe0:1.state"].value == "ACTIVE" and facts["port.rxe0:1.mtu"].value == 4096
        assert facts["nic.rxe0.firmware"].value == "0.0.0" and facts["port.rxe0:1.gids"].value
    bound = json.loads((run.path / "binding.json").read_text())["nodes"]
    assert [node["env"]["UCX_IB_GID_INDEX"] for node in bound] == ["1", "1"]


def test_a_run_over_tcp_goes_between_the_nodes(lab: Lab) -> None:
    code, _, err = do(lab, "run", "rendezvous_warm", "--lane", "tcp", *SMALL)
    assert code == 0, err
    proof = json.loads((lab.run().path / "lane.json").read_text())
    assert {size["row"]["config"] for size in proof["pairs"][0]["sizes"]} == {"tcp/eth0"}


def test_a_cold_run_shows_its_wire_up_apart(lab: Lab) -> None:
    words = ("--site", "softroce", "--lane", "rc_verbs", "--set", "sizes=[64KiB]", "--set", "reps=1")
    code, _, err = do(lab, "run", "rendezvous_cold", *words)
    assert code == 0, err
    wireup = {line.data["arm"]: line.data["wireup_ns"] for line in lab.run().samples()}
    assert wireup["rdma"] > 0 and wireup["chunked"] == 0


def test_an_environment_that_says_tcp_is_the_wrong_lane(lab: Lab) -> None:
    code, out, err = do(lab, "run", "rendezvous_warm", "--lane", "rc_verbs", *SMALL, UCX_TLS="tcp")
    assert code == 3 and "UCX_TLS=tcp" in err and out == ""
    assert not lab.store.exists() or not list(lab.store.iterdir())


BROKEN = {
    "no rxe link": ("rdma link del rxe0", "rdma link add rxe0 type rxe netdev eth0", "this node has none"),
    "clock hours apart": (
        'date -s "$(date -d "+3 hours" +%FT%T)"',
        'date -s "$(date -d "-3 hours" +%FT%T)"',
        "ahead of this machine's",
    ),
    "another UCX": (
        f"cp {UCX_FILE} /tmp/other && echo >>/tmp/other && mount --bind /tmp/other {UCX_FILE}",
        f"umount {UCX_FILE}",
        "libuct_ib.so.0",
    ),
    "a full disk": (
        f"mount -t tmpfs -o size=1m tmpfs {ROOT}/.build/softroce/share",
        f"umount {ROOT}/.build/softroce/share",
        "are free at",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_node_that_is_not_as_it_should_be_is_refused(fault: str, lab: Lab, nodes: Nodes) -> None:
    make, mend, told = BROKEN[fault]
    nodes.sh("node2", make)
    try:
        code, out, err = do(lab, "run", "rendezvous_warm", "--lane", "rc_verbs", *SMALL)
    finally:
        nodes.sh("node2", mend)
    assert code == 5 and told in err and out == "", err


def test_a_low_memlock_without_the_capability_is_refused(lab: Lab, nodes: Nodes) -> None:
    limited = "prlimit --memlock=65536:65536 setpriv --bounding-set -ipc_lock --inh-caps -ipc_lock"
    force = f"printf 'exec {limited} /bin/sh -c \"$SSH_ORIGINAL_COMMAND\"\\n' >/tmp/force"
    end = "kill $(cat /run/sshd.pid); while [ -e /run/sshd.pid ]; do sleep 0.1; done"
    # The shell's own connection was made before, so its processes keep all limits and can mend what this breaks.
    nodes.sh("node2", f"{force}; {end}; sh /run/rdmalab/sshd -o 'ForceCommand=sh /tmp/force'")
    nodes.log_out(connections_folder())
    try:
        code, _, err = do(lab, "run", "rendezvous_warm", "--lane", "rc_verbs", *SMALL)
    finally:
        nodes.sh("node2", f"{end}; sh /run/rdmalab/sshd")
        nodes.log_out(connections_folder())
    assert code == 5, err
    assert "memlock_for_plan does not hold: node2: the engine may lock 64 KiB" in err


def long_run(lab: Lab) -> tuple[subprocess.Popen[str], Path]:
    """Starts a run that has much to do, and returns once its first blocks are on disk, with where they are."""
    words = (
        "--site",
        "softroce",
        "--lane",
        "rc_verbs",
        "--set",
        "sizes=[4KiB]",
        "--set",
        "pairs=1",
        "--set",
        "reps=400",
    )
    tool = lab.start("run", "rendezvous_warm", *words, *IMPATIENT)
    share = ROOT / ".build" / "softroce" / "share"
    before = time.time()

    def samples() -> list[Path]:
        return [path for path in share.glob("*/pairs/0/samples.jsonl") if path.stat().st_mtime > before - 1]

    def two_blocks() -> bool:
        assert tool.poll() is None, tool.communicate()
        return any(path.read_text(errors="replace").count('"kind":"block"') >= 2 for path in samples())

    eventually(two_blocks, "two blocks are finished")
    return tool, share


def test_a_node_that_loses_its_link_ends_the_run_in_time(lab: Lab, nodes: Nodes) -> None:
    tool, _ = long_run(lab)
    nodes.sh("node2", "ip link set eth0 down")
    try:
        code, _, err = lab.end(tool, DEADLINE_S)
    finally:
        nodes.sh("node2", "ip link set eth0 up")
    assert code == 4, err
    run = lab.run()
    assert run.manifest is not None and run.manifest.counts.blocks_done >= 2
    for node in ("node1", "node2"):
        assert nodes.sh(node, "pgrep rdmalab_engine || true") == ""


def test_a_node_that_dies_ends_the_run_and_is_named(lab: Lab, nodes: Nodes) -> None:
    tool, _ = long_run(lab)
    dead = nodes.testbed.status()[1]
    assert dead.pid is not None
    os.kill(dead.pid, signal.SIGKILL)
    code, _, err = lab.end(tool, DEADLINE_S)
    assert code == 4 and "node2" in err, err
    run = lab.run()
    assert run.manifest is not None and run.manifest.counts.blocks_done >= 2
    one, two = nodes.testbed.status()
    assert (one.condition, two.condition) == ("ready", "dead")
    nodes.testbed.up(print)
    assert [node.condition for node in nodes.testbed.status()] == ["ready", "ready"]
