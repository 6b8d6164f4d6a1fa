"""Ports as ibv_devinfo, ibstat, ibstatus, rdma, ibdev2netdev and show_gids print them, whole and cut."""

from __future__ import annotations

import pytest

from readers import ibdev2netdev, ibstat, ibstatus, ibv_devices, ibv_devinfo, rdma_link, show_gids, sysfs_rate
from readers.gids import choose_gid, parse_gid
from readers.ports import Port, merge, usability
from readers.tests.fixture_text import fixture


def by_name(ports: tuple[Port, ...]) -> dict[str, Port]:
    return {port.name: port for port in ports}


def test_infiniband_and_ethernet_are_told_apart_whatever_the_transport_line_says() -> None:
    ports = by_name(ibv_devinfo.read(fixture("devinfo_two_kinds.txt")).ports)
    assert {port.transport for port in ports.values()} == {"InfiniBand"}
    assert usability(ports["mlx5_4:1"]).serves == "IB"
    assert (ports["mlx5_4:1"].lid, ports["mlx5_4:1"].sm_lid, ports["mlx5_4:1"].active_mtu) == (61, 7, 4096)
    roce = usability(ports["mlx5_5:1"])
    assert (roce.usable, roce.serves) == (True, "RoCE")
    assert not usability(ports["mlx5_5:1"], "IB").usable
    assert ports["mlx5_5:1"].lid is None
    assert ports["mlx5_5:1"].sys_image_guid == "0000:0000:0000:0000"


def test_of_three_ports_only_the_infiniband_one_serves_an_infiniband_lane() -> None:
    ports = by_name(ibv_devinfo.read(fixture("devinfo_published_node.txt")).ports)
    assert [name for name, port in ports.items() if usability(port, "IB").usable] == ["mlx5_2:1"]
    assert "IB is wanted" in usability(ports["mlx5_0:1"], "IB").reason
    assert "DOWN" in usability(ports["mlx5_1:1"], "IB").reason
    assert (ports["mlx5_2:1"].rate_gbps, ports["mlx5_0:1"].rate_gbps) == (400.0, 25.0)
    assert ports["mlx5_1:1"].rate_gbps is None, "the rate of a port that is down is a placeholder"
    chosen = choose_gid(ports["mlx5_0:1"].gids)
    assert chosen is not None
    assert (chosen.index, chosen.ipv4) == (3, "203.0.113.21")


def test_a_header_without_its_first_letters_still_begins_its_device() -> None:
    reading = ibv_devinfo.read(fixture("devinfo_down_then_cut.txt"))
    ports = by_name(reading.ports)
    assert list(ports) == ["mlx5_8:1", "cxgb4_1:1", "cxgb4_1:2", "mlx5_9:?"]
    assert any("line 1" in warning for warning in reading.warnings)
    assert "no subnet manager" in usability(ports["mlx5_8:1"]).reason
    assert "opensm" in reading.findings[0].advice
    assert ports["mlx5_8:1"].lid is None
    assert usability(ports["cxgb4_1:1"]).serves == "iWARP"
    assert not usability(ports["cxgb4_1:1"], "RoCE").usable
    assert "port number" in usability(ports["mlx5_9:?"]).reason


@pytest.mark.parametrize("lost", range(1, 38))
def test_no_lost_line_moves_a_fact_to_another_port(lost: int) -> None:
    lines = fixture("devinfo_two_kinds.txt").splitlines()
    text = "\n".join(lines[: lost - 1] + lines[lost:])
    for port in ibv_devinfo.read(text).ports:
        assert not (port.device == "mlx5_4" and port.link_layer == "Ethernet")
        assert not (port.device == "mlx5_5" and port.link_layer == "InfiniBand")
        assert port.link_layer != "InfiniBand" or port.active_mtu in (4096, None)


def test_a_lost_first_line_of_the_second_device_leaves_it_unnamed() -> None:
    text = fixture("devinfo_two_kinds.txt").replace("hca_id:\tmlx5_5\n", "")
    ports = ibv_devinfo.read(text).ports
    assert [port.device for port in ports] == ["mlx5_4", None]
    assert not usability(ports[1]).usable


def test_a_device_fact_after_a_port_belongs_to_another_device() -> None:
    lost = "hca_id: mlx5_1\n"
    text = f"hca_id: mlx5_0\n port: 1\n  link_layer: Ethernet\n{lost} board_id: X\n port: 2\n  link_layer: InfiniBand\n"
    ports = ibv_devinfo.read(text.replace(lost, "")).ports
    assert [port.name for port in ports] == ["mlx5_0:1", "?:2"]


def test_a_lost_port_line_leaves_its_port_without_a_number() -> None:
    text = fixture("devinfo_down_then_cut.txt").replace("                port:   2\n", "")
    ports = by_name(ibv_devinfo.read(text).ports)
    assert ports["cxgb4_1:1"].state == "ACTIVE"
    assert ports["cxgb4_1:?"].state == "DOWN"


def test_a_port_without_a_link_layer_is_not_usable() -> None:
    port = ibv_devinfo.read(fixture("devinfo_rxe.txt")).ports[0]
    assert (port.state, port.link_layer, port.caveats) == ("ACTIVE", None, ("emulated_nic",))
    assert usability(port).reason == "link layer not in this text"


def test_a_transport_that_is_none_of_ours_serves_no_lane() -> None:
    verdict = usability(ibv_devinfo.read(fixture("devinfo_efa.txt")).ports[0])
    assert (verdict.usable, verdict.serves) == (False, None)


@pytest.mark.parametrize("state", ["PORT_ACTIVE (1)", "PORT_ACT", "PORT_ACTIVE (", "PORT_GREEN (4)", "ACTIV"])
def test_a_state_that_is_cut_or_contradicts_itself_is_unknown(state: str) -> None:
    text = fixture("devinfo_two_kinds.txt").replace("PORT_ACTIVE (4)", state, 1)
    port = ibv_devinfo.read(text).ports[0]
    assert port.state is None
    assert not usability(port).usable


def test_ibstat_reads_both_ports_and_a_cut_guid_is_none() -> None:
    reading = ibstat.read(fixture("ibstat_two_ports.txt"))
    ports = by_name(reading.ports)
    assert usability(ports["mlx4_7:1"]).serves == "IB"
    assert (ports["mlx4_7:1"].rate_gbps, ports["mlx4_7:1"].firmware) == (56.0, "2.42.5004")
    assert (ports["mlx4_7:2"].state, ports["mlx4_7:2"].lid, ports["mlx4_7:2"].link_layer) == ("INIT", None, None)
    assert [line.number for line in reading.skipped] == [1]


def test_ibstatus_takes_the_link_layer_and_not_the_name_of_the_speed() -> None:
    ports = by_name(ibstatus.read(fixture("ibstatus_mixed.txt")).ports)
    assert (ports["mlx5_3:1"].lid, ports["mlx5_3:1"].sm_lid, ports["mlx5_3:1"].rate_gbps) == (42, 7, 400.0)
    assert usability(ports["mlx5_6:1"]).serves == "RoCE"
    assert (ports["mlx5_7:1"].lid, ports["mlx5_7:1"].rate_gbps) == (None, None)


def test_rdma_link_has_no_link_layer_and_a_contradiction_is_named() -> None:
    ports = by_name(rdma_link.read(fixture("rdma_link.txt")).ports)
    assert not any(usability(port).usable for port in ports.values())
    assert (ports["mlx5_3:1"].lid, ports["mlx5_3:1"].state) == (42, "ACTIVE")
    assert (ports["bnxt_re4:1"].firmware, ports["bnxt_re4:1"].netdev) == ("232.0.155.5", "ens3f1np1")
    assert "contradicts physical state POLLING" in usability(ports["rxe3:1"]).reason


def test_sources_of_one_node_add_up_and_a_disagreement_makes_the_port_unusable() -> None:
    shown, linked = Port(device="mlx5_3", port=1, state="ACTIVE"), ibstatus.read(fixture("ibstatus_mixed.txt")).ports
    both = merge([shown, *rdma_link.read(fixture("rdma_link.txt")).ports, *linked])
    assert usability(both[0]).usable
    assert both[0].rate_gbps == 400.0
    against = merge([Port(device="mlx5_3", port=1, link_layer="Ethernet"), *linked])[0]
    assert (against.link_layer, usability(against).usable) == (None, False)
    assert "one source says Ethernet" in usability(against).reason


def test_ibdev2netdev_sorts_naturally_and_knows_no_rdma_state() -> None:
    ports = ibdev2netdev.read(fixture("ibdev2netdev.txt")).ports
    assert [(port.device, port.netdev, port.state) for port in ports] == [
        ("mlx5_2", "enp5s0f0np0", None),
        ("mlx5_10", "ibp7s0", None),
    ]


def test_show_gids_reads_rows_with_and_without_an_ipv4_address() -> None:
    port = show_gids.read(fixture("show_gids.txt")).ports[0]
    assert [gid.index for gid in port.gids] == [0, 1, 2, 3]
    chosen = choose_gid(port.gids)
    assert chosen is not None
    assert chosen.index == 3


def test_no_gid_in_a_container_is_a_finding_and_no_error() -> None:
    text = "\n".join([*fixture("show_gids.txt").splitlines()[:2], "n_gids_found=0"])
    reading = show_gids.read(text)
    assert reading.ports == ()
    assert "namespace" in reading.findings[0].cause


def test_fewer_gids_than_counted_is_a_warning() -> None:
    text = "\n".join(line for line in fixture("show_gids.txt").splitlines() if "  3  " not in line)
    assert show_gids.read(text).warnings == ("4 GIDs are told, 3 are in this text",)


def test_gid_choice_prefers_v2_then_ipv4_then_routable() -> None:
    v1 = parse_gid(0, "::ffff:203.0.113.9", "RoCE v1")
    link, routed = parse_gid(1, "fe80::1", "RoCE v2"), parse_gid(2, "2001:db8::1", "RoCE v2")
    mapped = parse_gid(3, "::ffff:203.0.113.9", "RoCE v2")
    gids = [gid for gid in (v1, link, routed, mapped) if gid is not None]
    assert [choose_gid(gids[:n]) for n in (1, 2, 3, 4)] == [None, link, routed, mapped]
    assert choose_gid(gids[:3], ipv4_only=True) is None
    assert parse_gid(0, "::") is None
    assert parse_gid(0, "fe80::1%eth0") is None


def test_ibv_devices_shows_existence_only() -> None:
    text = "    device          node GUID\n    ------       ----------------\n    mlx5_9   a088c20300112299\n"
    port = ibv_devices.read(text).ports[0]
    assert (port.device, port.port, port.node_guid) == ("mlx5_9", None, "a088:c203:0011:2299")
    assert not usability(port).usable


def test_sysfs_rates_are_read_with_and_without_a_speed_name() -> None:
    rows = sysfs_rate.read("50 Gb/sec (2X EDR)\n10 Gb/sec (4X)\nnonsense\n").rows
    assert [(row["rate_bytes_per_second"], row["width"], row["speed"]) for row in rows] == [
        (6.25e9, "2X", "EDR"),
        (1.25e9, "4X", None),
    ]
