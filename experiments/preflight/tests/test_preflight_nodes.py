"""Checks of a node that are not about its ports: limits, software, clock, control network, space, interfaces."""

from __future__ import annotations

from dataclasses import replace

import pytest

from experiments.config_lane import Lane
from experiments.preflight import NodeView, examine
from experiments.preflight.control_path import control_path
from experiments.preflight.node_limits import condition, memlock, space
from experiments.preflight.same_software import clocks, same_engine, same_ucx
from experiments.preflight.tests.recorded_ports import lane, node, published_node, view
from experiments.setup_record import facts_of
from experiments.setup_record.snapshot import Snapshot
from readers.ports import Port
from store.errors import Exit
from store.facts import said

MIB = 1 << 20


@pytest.mark.parametrize(
    ("limit", "status"), [("65536", "failed"), ("8388608", "failed"), ("unlimited", "passed"), ("1073741824", "passed")]
)
def test_memlock_of_the_engine_must_hold_the_plan(limit: str, status: str) -> None:
    facts = facts_of(node(memlock=limit))
    check = memlock("n1", facts, 64 * MIB, registers=True)
    assert check.status == status
    assert check.requirement == "memlock_for_plan"


def test_memlock_does_not_bind_a_process_with_the_capability() -> None:
    facts = facts_of(node(memlock="65536")) | {"limit.cap_ipc_lock": said(True, "test")}
    assert memlock("n1", facts, 64 * MIB, registers=True).status == "passed"


def test_a_lane_that_registers_nothing_needs_no_memlock() -> None:
    assert memlock("n1", facts_of(node(memlock="0")), 64 * MIB, registers=False).status == "not_applicable"


def test_an_unknown_limit_is_not_ok() -> None:
    assert memlock("n1", facts_of(Snapshot()), 1, registers=True).status == "failed"


def test_different_engines_are_refused() -> None:
    one, other = Snapshot(hashes={"/e": "aa"}), Snapshot(hashes={"/e": "bb"})
    assert same_engine({"a": (one, "/e"), "b": (one, "/e")}).status == "passed"
    assert same_engine({"a": (one, "/e"), "b": (other, "/e")}).status == "failed"
    assert "not there" in same_engine({"a": (one, "/e"), "b": (Snapshot(), "/e")}).result


def test_different_ucx_is_told_by_file() -> None:
    core = {"/u/lib/libucp.so.0": "1", "/u/lib/ucx/libuct_ib.so.0": "2"}
    one, other = Snapshot(hashes=core), Snapshot(hashes=core | {"/u/lib/ucx/libuct_ib.so.0": "3"})
    assert same_ucx({"a": (one, "/u"), "b": (one, "/u")}).status == "passed"
    check = same_ucx({"a": (one, "/u"), "b": (other, "/u")})
    assert check.status == "failed" and check.requirement == "same_ucx" and "libuct_ib.so.0" in check.result


def test_the_same_ucx_under_two_prefixes_is_the_same() -> None:
    one, other = Snapshot(hashes={"/u/lib/libucp.so.0": "1"}), Snapshot(hashes={"/v/lib/libucp.so.0": "1"})
    assert same_ucx({"a": (one, "/u"), "b": (other, "/v")}).status == "passed"


def test_an_ucx_conf_on_one_node_only_is_a_difference() -> None:
    one = Snapshot(hashes={"/u/lib/libucp.so.0": "1"})
    other = Snapshot(hashes={"/u/lib/libucp.so.0": "1", "/etc/ucx/ucx.conf": "9"})
    assert "ucx.conf" in same_ucx({"a": (one, "/u"), "b": (other, "/u")}).result


def test_no_ucx_under_the_prefix_is_told() -> None:
    assert "no libucp" in same_ucx({"a": (Snapshot(), "/u")}).result


@pytest.mark.parametrize(("offset", "status"), [(7200.0, "failed"), (-30.0, "warning"), (0.3, None), (1.9, None)])
def test_clocks_apart_are_told_beyond_what_the_reading_can_tell(offset: float, status: str | None) -> None:
    checks = clocks({"a": Snapshot(clock_offset_s=offset, clock_uncertainty_s=1.0)})
    assert [check.status for check in checks] == ([] if status is None else [status])


def test_a_control_network_far_below_the_lane_is_a_slow_baseline() -> None:
    files = {"/sys/class/net/eth0/operstate": "up\n", "/sys/class/net/eth0/speed": "1000\n"}
    facts = facts_of(node(**files), control="eth0")
    names = [check.name for check in control_path("n1", facts, Port(rate_gbps=400.0))]
    assert names == ["control", "slow_baseline"]
    assert [check.name for check in control_path("n1", facts, Port(rate_gbps=2.5))] == ["control"]


@pytest.mark.parametrize(("state", "why"), [(None, "not there"), ("down", "is down")])
def test_a_control_interface_must_be_there_and_up(state: str | None, why: str) -> None:
    files = {} if state is None else {"/sys/class/net/eth0/operstate": state + "\n"}
    (check,) = control_path("n1", facts_of(node(**files), control="eth0"), None)
    assert check.status == "failed" and why in check.result


def test_condition_warns_and_does_not_refuse() -> None:
    facts = {
        "cpu.governor": said("powersave", "t"),
        "memory.swap.used": said(4096, "t"),
        "cpu.load": said(9.0, "t"),
        "cpu.count": said(4, "t"),
    }
    assert [(check.name, check.status) for check in condition("n1", facts)] == [
        ("governor", "warning"),
        ("swap", "warning"),
        ("load", "warning"),
    ]


def test_a_full_disk_on_the_node_is_refused() -> None:
    (check,) = space("n1", {"/runs": MIB})
    assert check.status == "failed" and check.requirement is None
    assert space("n1", {"/runs": 1 << 40, "/x": None}) == ()


def tcp(snapshot: Snapshot, device: str | None) -> NodeView:
    return replace(view(snapshot), device=device)


def test_a_tcp_lane_needs_its_interface() -> None:
    up = node(**{"/sys/class/net/eth0/operstate": "up\n", "/sys/class/net/eth1/operstate": "down\n"})

    def refusal(device: str) -> tuple[Exit, str] | None:
        found = examine("tcp", lane("tcp"), {"a": tcp(up, device)}, owner="a", consumer="a").refusal()
        return None if found is None else (found.exit_code, str(found))

    assert refusal("eth0") is None
    missing, dark = refusal("ib0"), refusal("eth1")
    assert missing is not None and missing[0] is Exit.WRONG_LANE and "eth0, eth1" in missing[1]
    assert dark is not None and dark[0] is Exit.CANNOT_RUN


def test_a_live_node_without_uverbs_is_refused() -> None:
    live = replace(published_node(4), uname=("Linux", "n", "6", "v", "x86_64"))
    found = examine("rc_mlx5_ib", lane("rc_mlx5_ib"), {"a": view(live)}, owner="a", consumer="a")
    refusal = found.refusal()
    assert refusal is not None and "uverbs" in refusal.message
    able = replace(live, links={"/dev/infiniband/uverbs0": "/dev/infiniband/uverbs0"})
    assert examine("rc_mlx5_ib", lane("rc_mlx5_ib"), {"a": view(able)}, owner="a", consumer="a").refusal() is None


def test_a_verbs_lane_gets_its_own_variables() -> None:
    verbs: Lane = lane("verbs")
    found = examine("verbs", verbs, {"a": view(published_node(4), "mlx5_2:1")}, owner="a", consumer="a")
    assert found.env == {"a": {"RDMALAB_DEVICE": "mlx5_2:1"}}
