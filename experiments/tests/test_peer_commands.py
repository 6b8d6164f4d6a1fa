"""What peer tools are started with, and what their printed results mean."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from experiments.peer_commands import PeerCell, result_of, tool_argv

ARM = {
    "peer": "perftest",
    "op": "send",
    "mode": "rate",
    "iterations": 1000,
    "signal_every": 0,
    "inline_bytes": 0,
    "post_list": 0,
    "recv_depth": 256,
}
BANDWIDTH = """ #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 64         1000             0.18               0.15                 0.002500
"""
LATENCY = """ #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]
 64      1000          310.0          900.0        350.0                400.0            10.0
"""
UCX = """|     Test     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |
                       20000      0.781    11.676    11.676        5.23       5.23       85648       85648
"""


def cell(size: int = 64, window: int = 16, **arm: Any) -> PeerCell:
    return PeerCell(arm={**ARM, **arm}, size=size, window=window, device="rxe0:1", gid_index="1")


def test_perftest_is_asked_for_what_the_engine_does() -> None:
    argv = tool_argv(cell(), 20_001, "10.77.0.1")
    assert argv[0] == "ib_send_bw"
    assert argv[-1] == "10.77.0.1"
    joined = " ".join(argv)
    for part in ("-s 64", "-n 1000", "-d rxe0", "-i 1", "-x 1", "-t 16", "-Q 8", "-r 256", "-p 20001", "-I 0"):
        assert part in joined, part
    assert "-l" not in argv


def test_server_and_client_differ_in_the_address_alone() -> None:
    assert tool_argv(cell(), 20_001, "10.77.0.1")[:-1] == tool_argv(cell(), 20_001, None)


def test_a_read_has_neither_receives_nor_inline() -> None:
    argv = tool_argv(cell(op="read", inline_bytes=64), 1, None)
    assert argv[0] == "ib_read_bw"
    assert "-r" not in argv
    assert "-I" not in argv


def test_list_inline_and_signalling_are_passed_on() -> None:
    joined = " ".join(tool_argv(cell(op="write", inline_bytes=64, post_list=8, signal_every=4), 1, None))
    assert "-I 64" in joined
    assert "-l 8" in joined
    assert "-Q 4" in joined
    assert "-I 0" in " ".join(tool_argv(cell(size=65, op="write", inline_bytes=64), 1, None))


def test_latency_has_no_window() -> None:
    argv = tool_argv(cell(mode="latency", window=1), 1, None)
    assert argv[0] == "ib_send_lat"
    assert "-t" not in argv
    assert "-Q" not in argv


def test_ucx_perftest_has_the_windows_name_and_the_lanes_error_handling() -> None:
    ucx = PeerCell(arm={**ARM, "peer": "ucx_perftest", "op": "write"}, size=4096, window=16, error_handling=True)
    argv = tool_argv(ucx, 20_001, None)
    assert argv[:3] == ["ucx_perftest", "-t", "ucp_put_bw"]
    assert "-e" in argv
    assert argv[argv.index("-O") + 1] == "16"
    assert "-e" not in tool_argv(PeerCell(arm=ucx.arm, size=4096, window=16), 20_001, None)


def test_the_column_with_more_digits_gives_the_rate() -> None:
    small = result_of(cell(), BANDWIDTH)
    assert small is not None
    assert small.messages == 1000
    assert small.elapsed_ns == pytest.approx(1000 / 2500 * 1e9)
    large = result_of(cell(size=1 << 20), BANDWIDTH.replace("0.15 ", "700.00 ").replace("0.002500", "0.000700"))
    assert large is not None
    assert large.elapsed_ns == pytest.approx(1000 / 700 * 1e9, rel=1e-6), "MB/sec are MiB/s"


def test_latency_is_the_average_as_printed() -> None:
    found = result_of(cell(mode="latency", window=1), LATENCY)
    assert found is not None
    assert found.elapsed_ns == 400_000_000


def test_ucx_perftest_is_read_from_its_final_row() -> None:
    found = result_of(PeerCell(arm={**ARM, "peer": "ucx_perftest"}, size=64, window=16), UCX)
    assert found is not None
    assert found.elapsed_ns == pytest.approx(20_000 / 85_648 * 1e9, rel=1e-6)
    assert found.printed["iterations"] == 20_000


@pytest.mark.parametrize("text", ["", "Couldn't connect to 10.77.0.1:20001\n", " #bytes     #iterations\n"])
def test_no_result_is_none_and_never_zero(text: str) -> None:
    assert result_of(cell(), text) is None


def test_librdmacm_connects_the_tool_where_it_connects_the_engine() -> None:
    assert "-R" in tool_argv(replace(cell(), rdmacm=True), 1, None)
    assert "-R" not in tool_argv(cell(), 1, None)
