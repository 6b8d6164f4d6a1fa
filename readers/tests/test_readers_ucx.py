"""UCX protocol tables in their layouts, what they prove about a GET, and other outputs of UCX."""

from __future__ import annotations

import pytest

from readers import ucx_endpoints, ucx_info_devices, ucx_info_version, ucx_log, ucx_perftest, ucx_protocols
from readers.protocol_tables import get_evidence
from readers.tests.fixture_text import fixture


def test_a_row_proves_only_the_sizes_of_its_range() -> None:
    tables = ucx_protocols.read(fixture("proto_get_122.txt")).tables
    verdicts = {size: get_evidence(tables, size) for size in (0, 1, 128, 129, 2048, 2049, 1 << 40)}
    assert {size: (v.verdict, v.zero_copy) for size, v in verdicts.items()} == {
        0: ("one_sided", False),
        1: ("emulated", False),
        128: ("emulated", False),
        129: ("one_sided", False),
        2048: ("one_sided", False),
        2049: ("one_sided", True),
        1 << 40: ("one_sided", True),
    }
    assert tables[0].scope == "inter-node"
    assert (tables[0].host, tables[0].pid, tables[0].config_id) == ("n17", 2042, "cfg#1")


def test_the_older_layout_in_a_perftest_log_is_read_and_other_boxes_are_not_tables() -> None:
    reading = ucx_protocols.read(fixture("proto_113_log.txt"))
    assert [table.is_get for table in reading.tables] == [True, False]
    assert get_evidence(reading.tables, 4096).verdict == "emulated"
    fetch = reading.tables[1]
    assert (fetch.rows[0].config, fetch.rows[0].lanes) == (None, ())
    assert [row.estimate for row in fetch.rows] == [False, True, True]
    assert ucx_protocols.read(fixture("endpoint_table.txt")).tables == ()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("| zero-copy          |", "| (?) zero-copy      |"), "estimate"),
        (("ucp_get* into", "ucp_put* from"), "no table"),
        (("remote memory read by ucp_get*", "active message by ucp_am_send*"), "no table"),
        (("inter-node", "self"), "another case"),
        (("into host memory from host |", "into cuda memory from cuda |"), "another case"),
        (("| zero-copy          |", "| fenced zero-copy   |"), "not known as a GET"),
        (("zero-copy          | rc_mlx5/mlx5_4:1/path0     |", "zero-copy    "), "cut"),
        (("[n17:2042:0]   |2049..inf| zero-copy ", "[n17:2042:0]   |2049..4095| zero-copy"), "no row"),
    ],
)
def test_what_is_no_evidence_leaves_a_get_unproven(change: tuple[str, str], reason: str) -> None:
    text = fixture("proto_get_122.txt")
    assert change[0] in text
    evidence = get_evidence(ucx_protocols.read(text.replace(*change)).tables, 1 << 20)
    assert (evidence.verdict, evidence.zero_copy) == ("unproven", None)
    assert reason in evidence.reason


def test_each_single_lost_line_never_turns_emulation_into_proof() -> None:
    lines = fixture("proto_get_122.txt").splitlines()
    for lost in range(len(lines)):
        tables = ucx_protocols.read("\n".join(lines[:lost] + lines[lost + 1 :])).tables
        assert get_evidence(tables, 64).verdict != "one_sided"
        assert get_evidence(tables, 1 << 20).verdict != "emulated"


def test_rows_of_a_put_whose_title_is_lost_do_not_join_the_get_above() -> None:
    get = fixture("proto_get_122.txt").splitlines()[:6]
    put_row = "[1790000000.000002] [n17:2042:0]   |  0..inf | zero-copy   | rc_mlx5/mlx5_4:1/path0     |"
    reading = ucx_protocols.read("\n".join([*get, put_row]))
    assert get_evidence(reading.tables, 4096).verdict == "unproven"
    assert any("operation is unknown" in warning for warning in reading.warnings)


def test_tables_of_two_processes_that_interleave_are_kept_apart() -> None:
    mine = fixture("proto_get_122.txt").splitlines()
    other = [line.replace("n17:2042", "n18:99").replace("zero-copy ", "copy-out  ") for line in mine]
    woven = "\n".join(line for pair in zip(mine, other, strict=True) for line in pair)
    tables = ucx_protocols.read(woven).tables
    assert [(table.host, len(table.rows)) for table in tables] == [("n17", 4), ("n18", 4)]
    assert "disagree" in get_evidence(tables, 1 << 20).reason
    assert get_evidence(tables, 64).verdict == "emulated", "where all agree it is proven"


def test_shares_devices_and_paths_of_a_row_are_read() -> None:
    row = ucx_protocols.read(fixture("proto_two_rails.txt")).tables[0].rows[1]
    assert [(lane.name, lane.share_percent) for lane in row.lanes] == [
        ("rc_mlx5/mlx5_0:1", 60),
        ("rc_mlx5/mlx5_1:1", 40),
    ]
    paths = ucx_protocols.parse_lanes("rc_verbs/mlx5_bond_1:1 50% on path0 and 50% on path1")
    assert [(lane.device, lane.path, lane.share_percent) for lane in paths] == [
        ("mlx5_bond_1:1", "path0", 50),
        ("mlx5_bond_1:1", "path1", 50),
    ]


@pytest.mark.parametrize("end", ["and 9%", "and", "47% on", "and 9"])
def test_a_configuration_cell_that_ucx_cut_is_marked(end: str) -> None:
    text = f"| 4096..inf | zero-copy | rc_verbs/mlx5_0:1 50% on path0, 41% on path1 {end} |"
    row = ucx_protocols.read(text).tables[0].rows[0]
    assert row.truncated
    assert row.lane_names == ("rc_verbs/mlx5_0:1",)


def test_use_counts_are_kept_and_the_row_that_was_used_is_shown() -> None:
    text = fixture("proto_get_122.txt") + fixture("proto_used_122.txt")
    tables = ucx_protocols.read(text).tables
    assert [row.count for row in tables[1].rows] == [0, 3, 0, 40]
    row = get_evidence(tables, 1 << 20).row
    assert row is not None
    assert row.count == 40


def test_a_message_about_a_table_is_no_table() -> None:
    reading = ucx_protocols.read("it said: remote memory read by ucp_get*(multi)\nzero-copy | rc_mlx5/mlx5_0:1\n")
    assert reading.tables == ()
    assert any("proves nothing" in warning for warning in reading.warnings)


def test_endpoint_lanes_repeat_the_transport_above() -> None:
    rows = ucx_endpoints.read(fixture("endpoint_table.txt")).rows
    assert [(row["transport"], row["device"], row["system_device"]) for row in rows] == [
        ("rc_verbs", "rxe0:1", "rxe0"),
        ("rc_verbs", "rxe1:1", "rxe1"),
        ("tcp", "eth4", "<unknown>"),
    ]


def test_ucx_info_d_says_what_a_transport_can_do() -> None:
    reading = ucx_info_devices.read(fixture("ucx_info_d.txt"))
    assert reading.facts["domains"] == [{"name": "mlx5_4", "component": "ib", "remote_key_bytes": 8}]
    row = reading.rows[0]
    assert (row["transport"], row["device"], row["get_zcopy_bytes"]) == ("rc_verbs", "mlx5_4:1", 1 << 30)
    assert reading.findings == ()
    tcp = ucx_info_devices.read(fixture("ucx_info_d.txt").replace("rc_verbs", "tcp").replace("get_zcopy", "put_zcopy"))
    assert "no RDMA transport" in tcp.findings[0].cause
    assert "emulated" in tcp.findings[1].cause


def test_ucx_info_v_reads_new_and_old_forms() -> None:
    rows = ucx_info_version.read(fixture("ucx_info_v.txt")).rows
    assert [(row["version"], row["library_path"], row["revision"], row["verbs"]) for row in rows] == [
        ("1.22.0", "/opt/site/ucx/lib/libucs.so.0", None, False),
        ("1.8.1", None, "6b29558", True),
    ]


def test_a_ucx_log_tells_version_environment_and_opened_domains() -> None:
    reading = ucx_log.read(fixture("ucx_log.txt"))
    assert reading.facts["ucx"] == {"version": "1.21.0", "library_path": "/opt/site/lib/libucp.so.0"}
    assert reading.facts["environment"]["UCX_NET_DEVICES"] == "mlx5_4:1"
    assert reading.facts["memory_domains"] == {"mlx5_4": "uct_ib_mlx5_devx_md_ops"}
    assert (reading.rows[0]["scope"], reading.rows[0]["lanes"]) == ("inter-node", "rma(rc_mlx5/mlx5_4:1)")
    assert reading.findings == ()


def test_ucx_perftest_table_short_form_and_csv() -> None:
    row = ucx_perftest.read(fixture("proto_113_log.txt")).rows[0]
    assert (row["iterations"], row["latency_p50_us"], row["latency_overall_us"]) == (70, 101.5, 121.125)
    assert row["bandwidth_overall_mib_per_second"] == 790.25
    short = "|     Test     | # iterations | 50.0%ile |\n   5   1.5  2.5  3.5  10.0  11.0  7  8\n"
    assert ucx_perftest.read(short).rows[0]["latency_overall_us"] == 3.5
    csv = "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr\n"
    rows = ucx_perftest.read(csv + "[thread 0] 9,1.0,2.0,3.0,4.0,5.0,6,7\n 20,1.1,2.1,3.1,4.1,5.1,6,7\n").rows
    assert [(row["iterations"], row["final"]) for row in rows] == [(9, False), (20, True)]
    assert ucx_perftest.read("Final:        70    101.500   11").rows == ()


def test_ucx_perftest_takes_the_size_from_its_box_where_there_is_one() -> None:
    box = "| Message size: 65536                     |\n"
    row = ucx_perftest.read(box + "Final:   5   1.5  2.5  3.5  10.0  11.0  7  8\n").rows[0]
    assert (row["size_bytes"], row["latency_overall_us"]) == (65536, 3.5)
