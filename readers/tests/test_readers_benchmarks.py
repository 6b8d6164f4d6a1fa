"""Result tables of perftest, nixlbench, the CSV sweep and velo's harness: units in the keys, nothing invented."""

from __future__ import annotations

from readers import message_sweep, nixlbench, perftest, perftest_json, velo_sweep
from readers.tests.fixture_text import fixture


def test_perftest_bandwidth_keeps_its_unit_and_what_is_cut_is_none() -> None:
    reading = perftest.read(fixture("perftest_read_bw.txt"))
    assert reading.rows[0] == {
        "size_bytes": 4096,
        "iterations": 1000,
        "bandwidth_peak_mib_per_second": None,
        "bandwidth_average_mib_per_second": 2750.5,
        "message_rate_mega_per_second": 0.704128,
    }
    assert reading.rows[1]["bandwidth_peak_mib_per_second"] == 11000.25
    assert reading.rows[1]["bandwidth_average_mib_per_second"] is None
    assert (reading.facts["local"]["gid"], reading.facts["remote"]["gid"]) == ("203.0.113.8", "203.0.113.9")
    assert (reading.facts["serves"], reading.facts["test"]) == ("RoCE", "RDMA_Read BW Test")
    assert (reading.facts["settings"]["Device"], reading.facts["settings"]["rdma_cm QPs"]) == ("mlx5_4", "OFF")


def test_perftest_gigabits_are_another_key_than_mebibytes() -> None:
    rows = perftest.read(
        " #bytes  #iterations  BW peak[Gb/sec]  BW average[Gb/sec]  MsgRate[Mpps]\n 2  10  0.5  0.4  2.0\n"
    )
    assert rows.rows[0]["bandwidth_average_gbit_per_second"] == 0.4


def test_perftest_latency_reads_all_columns() -> None:
    assert perftest.read(fixture("perftest_write_lat.txt")).rows[0] == {
        "size_bytes": 8,
        "iterations": 1000,
        "latency_min_us": 0.91,
        "latency_max_us": 7.24,
        "latency_typical_us": 0.94,
        "latency_average_us": 0.95,
        "latency_stdev_us": 0.11,
        "latency_p99_us": 1.21,
        "latency_p99.9_us": 5.8,
    }


def test_perftest_json_of_the_old_kind_has_no_unit() -> None:
    reading = perftest_json.read(fixture("perftest_old.json"))
    assert reading.rows == (
        {
            "size_bytes": 65536,
            "iterations": 5000,
            "bandwidth_peak_unit_not_stated": None,
            "bandwidth_average_unit_not_stated": 196.42,
            "message_rate_mega_per_second": 0.374641,
        },
    )
    assert reading.facts["settings"]["Device"] == "mlx5_4"
    quoted = fixture("perftest_old.json").replace("MsgSize", '"MsgSize"').replace("BW_average", '"BW_average"')
    assert perftest_json.read(quoted).rows[0]["bandwidth_average_unit_not_stated"] == 196.42


def test_nixlbench_is_read_by_its_header_in_either_order() -> None:
    reading = nixlbench.read(fixture("nixlbench_new.txt"))
    row = reading.rows[0]
    assert (row["block_size_bytes"], row["batch_size"], row["bandwidth_gb_per_second"]) == (8192, 1, 3.25)
    assert (row["latency_average_us"], row["transfer_p99_us"]) == (2.5, 2.9)
    assert (reading.rows[1]["latency_average_us"], reading.rows[1]["prepare_average_us"]) == (2.6, None)
    assert "16384" in reading.findings[0].cause, "61.5 GB/s is more than one port carries"
    header = "Block Size (B)  Batch Size  Avg Lat. (us)  B/W (MiB/Sec)  B/W (GiB/Sec)  B/W (GB/Sec)"
    assert nixlbench.read(f"{header}\n4096 2 1.5 100.0 0.1 0.105\n").rows[0]["bandwidth_gb_per_second"] == 0.105


def test_nan_is_not_recorded_and_its_row_stays() -> None:
    rows = message_sweep.read(fixture("sweep.csv")).rows
    assert [(row["memory"], row["message_rate_mega_per_second"], row["reason"]) for row in rows] == [
        ("host", 2.5, None),
        ("gpu", None, "not recorded"),
    ]


def test_velo_keeps_rep_zero_and_names_both_factors() -> None:
    reading = velo_sweep.read(fixture("velo.txt"))
    assert [(row["rep"], row["get_us"], row["includes_wireup"]) for row in reading.rows] == [
        (0, 9000.0, True),
        (1, 99.5, False),
        (0, 300.0, True),
    ]
    assert "path and staging" in reading.findings[0].cause
    assert "kill switch" in reading.findings[0].cause
    assert reading.facts["decisions"][1] == {"path": "chunked", "reason": "kill_switch", "count": 1}
