"""Lanes on nodes of other hardware: which port is taken, which are refused and why, what the engines get."""

from __future__ import annotations

from dataclasses import replace

import pytest

from experiments.preflight import Check, Preflight, examine
from experiments.preflight.tests.recorded_ports import (
    LINK_LOCAL,
    device_text,
    gid_text,
    infiniband,
    lane,
    node,
    port_text,
    published_node,
    roce_gids,
    view,
)
from experiments.setup_record.snapshot import CommandText, Snapshot
from store.errors import Exit


def between(lane_name: str, one: Snapshot, other: Snapshot, device: str | None = None, **more: object) -> Preflight:
    views = {"n17": view(one, device), "n18": view(other, device)}
    return examine(lane_name, lane(lane_name), views, owner="n17", consumer="n18", plan=more.get("plan"))  # type: ignore[arg-type]


def of(preflight: Preflight, name: str, node_name: str | None = None) -> list[Check]:
    return [check for check in preflight.checks if check.name == name and node_name in (None, check.node)]


def only(preflight: Preflight, name: str, node_name: str | None = None) -> Check:
    (check,) = of(preflight, name, node_name)
    return check


def texts(preflight: Preflight, name: str) -> str:
    return "\n".join(check.result for check in of(preflight, name))


@pytest.mark.parametrize("lane_name", ["rc_mlx5_ib", "rc_verbs"])
def test_the_published_setup_uses_the_infiniband_port(lane_name: str) -> None:
    found = between(lane_name, published_node(12), published_node(14), "mlx5_2:1")
    assert found.refusal() is None
    assert found.env["n17"]["UCX_NET_DEVICES"] == "mlx5_2:1"
    assert "UCX_IB_GID_INDEX" not in found.env["n17"]
    assert "400 Gb/s MTU 4096 LID 12 SM 3 fw 28.43.1014: usable" in texts(found, "port")
    assert bool(of(found, "unaccelerated")) == (lane_name == "rc_verbs")


def test_the_published_setups_ethernet_ports_are_refused_by_name() -> None:
    found = between("rc_mlx5_ib", published_node(12), published_node(14))
    assert found.refusal() is None and found.env["n18"]["UCX_NET_DEVICES"] == "mlx5_2:1"
    told = texts(found, "port")
    assert "mlx5_0:1 Ethernet ACTIVE 100 Gb/s" in told and "it is RoCE (Ethernet), IB is wanted" in told
    assert "mlx5_1:1 Ethernet DOWN" in told and "link DOWN" in told


def test_an_ethernet_port_named_for_an_infiniband_lane_is_the_wrong_lane() -> None:
    refusal = between("rc_mlx5_ib", published_node(12), published_node(14), "mlx5_0:1").refusal()
    assert refusal is not None and refusal.exit_code is Exit.WRONG_LANE
    assert "mlx5_0:1 cannot carry lane rc_mlx5_ib" in refusal.message
    assert "mlx5_2:1" in str(refusal.advice)


def test_a_device_that_is_not_there_is_the_wrong_lane_and_the_others_are_listed() -> None:
    refusal = between("rc_mlx5_ib", published_node(12), published_node(14, ib="ibp3s0"), "mlx5_2:1").refusal()
    assert refusal is not None and refusal.exit_code is Exit.WRONG_LANE
    assert refusal.message.startswith("n18: ") and "ibp3s0:1" in str(refusal.advice)


def test_a_selector_finds_ports_of_different_names() -> None:
    found = between("rc_mlx5_ib", published_node(12), published_node(14, ib="ibp3s0"))
    assert found.refusal() is None
    assert (found.env["n17"]["UCX_NET_DEVICES"], found.env["n18"]["UCX_NET_DEVICES"]) == ("mlx5_2:1", "ibp3s0:1")
    assert "differ in name" in only(found, "names").result


def test_two_fitting_ports_are_refused_with_the_list() -> None:
    two = node(device_text("mlx5_0", infiniband(4)), device_text("mlx5_3", infiniband(5)))
    refusal = between("rc_mlx5_ib", two, two).refusal()
    assert refusal is not None and refusal.exit_code is Exit.WRONG_LANE
    assert "2 ports fit" in refusal.message and "mlx5_0:1, mlx5_3:1" in refusal.message


def test_a_rate_below_the_lanes_is_refused() -> None:
    slow = node(device_text("mlx5_0", infiniband(4, speed="10.0 Gbps (8)")))
    refusal = between("rc_mlx5_ib", slow, slow).refusal()
    assert refusal is not None and "no port fits" in refusal.message
    assert "40 Gb/s, at least 100 Gb/s is wanted" in texts(between("rc_mlx5_ib", slow, slow), "port")


def test_a_port_without_a_subnet_manager_is_refused_with_the_remedy() -> None:
    text = port_text("InfiniBand", "PORT_INIT (2)", lid=65535)
    found = between("rc_verbs", node(device_text("mlx5_0", text)), published_node(3), "mlx5_0:1")
    refusal = found.refusal()
    assert refusal is not None and "no subnet manager" in refusal.message
    assert refusal.exit_code is Exit.CANNOT_RUN


def test_a_down_port_is_refused() -> None:
    text = port_text("InfiniBand", "PORT_DOWN (1)", physical="POLLING (2)")
    refusal = between("rc_verbs", node(device_text("mlx5_0", text)), published_node(3)).refusal()
    assert refusal is not None and refusal.exit_code is Exit.CANNOT_RUN and "DOWN" in str(refusal.advice)


@pytest.mark.parametrize(
    ("device", "why"),
    [
        (device_text("cxgb4_0", port_text("Ethernet"), transport="iWARP (1)", part=21505), "iWARP"),
        (device_text("siw0", port_text("Ethernet"), transport="iWARP (1)", part=0), "iWARP"),
        (device_text("efa_0", port_text("Unspecified"), transport="unspecified (4)", part=61344), "link layer"),
        (device_text("rxe0", port_text(None), part=0), "link layer not in this text"),
        (device_text("mlx5_0"), "port number not in this text"),
    ],
)
def test_what_ucx_cannot_drive_or_is_not_known_is_refused(device: str, why: str) -> None:
    found = between("rc_verbs", node(device), node(device))
    assert found.refusal() is not None
    assert why in texts(found, "port")


def test_sysfs_completes_what_ibv_devinfo_does_not_print() -> None:
    base = "/sys/class/infiniband/rxe0/ports/1"
    files = {f"{base}/state": "4: ACTIVE\n", f"{base}/link_layer": "Ethernet\n", f"{base}/phys_state": "5: LinkUp\n"}
    device = device_text("rxe0", port_text(None, mtu=1024, gids=roce_gids(5)), part=0)
    found = between("rc_verbs", node(device, **files), node(device, **files))
    assert only(found, "device", "n17").status == "passed"
    assert of(found, "emulated_nic")


def test_sources_that_disagree_make_a_port_unusable() -> None:
    base = "/sys/class/infiniband/mlx5_0/ports/1"
    odd = node(
        device_text("mlx5_0", infiniband(4)), **{f"{base}/state": "1: DOWN\n", f"{base}/link_layer": "InfiniBand\n"}
    )
    assert between("rc_verbs", odd, odd).refusal() is not None


def test_each_node_gets_its_own_gid_index() -> None:
    one = node(device_text("mlx5_0", port_text("Ethernet", gids=roce_gids(5))))
    gids = gid_text(
        (0, LINK_LOCAL, "RoCE v2"), (1, "::ffff:198.51.100.6", "RoCE v1"), (7, "::ffff:198.51.100.6", "RoCE v2")
    )
    other = node(device_text("mlx5_4", port_text("Ethernet", gids=gids)))
    found = between("rc_mlx5_roce", one, other)
    assert found.refusal() is None
    assert (found.env["n17"]["UCX_IB_GID_INDEX"], found.env["n18"]["UCX_IB_GID_INDEX"]) == ("3", "7")
    assert "UCX_UD_ETH_DGID_CHECK" not in found.env["n17"]


def test_a_bond_is_a_port_like_another() -> None:
    gids = gid_text((0, LINK_LOCAL, "RoCE v1"), (1, "2001:db8::7", "RoCE v2"), (2, "::ffff:203.0.113.9", "RoCE v2"))
    bonded = node(device_text("mlx5_bond_0", port_text("Ethernet", gids=gids)))
    found = between("rc_mlx5_roce", bonded, bonded)
    assert found.env["n17"]["UCX_NET_DEVICES"] == "mlx5_bond_0:1"
    assert found.env["n17"]["UCX_IB_GID_INDEX"] == "2"


def test_a_virtual_function_with_a_zero_guid_is_usable() -> None:
    text = device_text("mlx5_0", infiniband(383, 228), part=4124).replace("0a1b:2c03:0004:0506", "0000:0000:0000:0000")
    other = device_text("mlx5_0", infiniband(384, 228), part=4124)
    assert between("rc_mlx5_ib", node(text), node(other)).refusal() is None


def test_link_local_only_is_a_warning() -> None:
    one = node(device_text("mlx5_0", port_text("Ethernet", gids=gid_text((0, LINK_LOCAL, "RoCE v2")))))
    check = only(between("rc_mlx5_roce", one, one), "gid", "n17")
    assert check.status == "warning" and "link-local" in check.result


@pytest.mark.parametrize(
    ("gids", "why"), [("", "no address"), (gid_text((0, "::ffff:192.0.2.1", "RoCE v1")), "only RoCE v1")]
)
def test_a_roce_port_without_a_v2_address_is_refused(gids: str, why: str) -> None:
    one = node(device_text("mlx5_0", port_text("Ethernet", gids=gids)))
    refusal = between("rc_mlx5_roce", one, one).refusal()
    assert refusal is not None and why in refusal.message


def test_the_emulated_ports_workaround_is_given_to_it_alone() -> None:
    rxe = node(device_text("rxe0", port_text("Ethernet", gids=roce_gids(1)), part=0))
    found = between("rc_verbs", rxe, rxe)
    assert found.env["n17"]["UCX_UD_ETH_DGID_CHECK"] == "n"
    assert only(found, "emulated_nic", "n18").status == "warning"
    by_manager = between("rc_verbs_cm", rxe, rxe)
    assert "UCX_UD_ETH_DGID_CHECK" not in by_manager.env["n17"]


def test_equal_sm_lids_disprove_nothing() -> None:
    check = only(between("rc_mlx5_ib", published_node(12), published_node(14)), "fabric")
    assert check.status == "passed" and "not disproven" in check.result


def test_different_sm_lids_and_equal_port_lids_are_two_subnets() -> None:
    apart = between("rc_mlx5_ib", node(device_text("a", infiniband(4, 3))), node(device_text("a", infiniband(5, 9))))
    twins = between("rc_mlx5_ib", node(device_text("a", infiniband(4))), node(device_text("a", infiniband(4))))
    for found in (apart, twins):
        refusal = found.refusal()
        assert refusal is not None and "two subnets" in refusal.message


def test_different_mtus_warn_and_both_use_the_smaller() -> None:
    one, other = node(device_text("mlx5_0", infiniband(4))), node(device_text("mlx5_0", infiniband(5, mtu=2048)))
    found = between("rc_mlx5_ib", one, other)
    assert found.refusal() is None
    assert only(found, "path_mtu").status == "warning"
    assert found.env["n17"]["UCX_IB_PATH_MTU"] == found.env["n18"]["UCX_IB_PATH_MTU"] == "2048"


def test_an_infiniband_and_an_ethernet_end_do_not_meet() -> None:
    eth = node(device_text("mlx5_2", port_text("Ethernet", gids=roce_gids(4))))
    refusal = between("rc_verbs", eth, published_node(5), "mlx5_2:1").refusal()
    assert refusal is not None and refusal.exit_code is Exit.WRONG_LANE


def test_no_ports_at_all_is_told_with_a_way_out() -> None:
    refusal = between("rc_verbs", node(), node()).refusal()
    assert refusal is not None and "this node has none" in refusal.message and "--lane tcp" in str(refusal.advice)


def test_a_missing_user_space_driver_is_not_missing_hardware() -> None:
    text = "libibverbs: Warning: no userspace device-specific driver found for /sys/class/infiniband_verbs/uverbs0\n"
    bare = replace(node(), commands={"ibv_devinfo": CommandText(255, "No IB devices found\n", text)})
    refusal = between("rc_verbs", bare, bare).refusal()
    assert refusal is not None and "ibverbs-providers" in str(refusal.advice)
