"""What a peer tool is started with for one cell, on both nodes, and what its printed result says. Pure.

Used by experiments.peer_pair. Window, size, signalling, list, inline and receives are those of the arm, so that the
tool is asked for what the engine does; what it cannot be asked for (the working set) is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from readers import perftest, ucx_perftest
from readers.reading import Row

_PERFTEST: Final = {
    ("write", "rate"): "ib_write_bw",
    ("read", "rate"): "ib_read_bw",
    ("send", "rate"): "ib_send_bw",
    ("write", "latency"): "ib_write_lat",
    ("read", "latency"): "ib_read_lat",
    ("send", "latency"): "ib_send_lat",
}
_UCX_PERFTEST: Final = {
    ("write", "rate"): "ucp_put_bw",
    ("read", "rate"): "ucp_get",
    ("send", "rate"): "ucp_am_bw",
    ("write", "latency"): "ucp_put_lat",
    ("read", "latency"): "ucp_get",
    ("send", "latency"): "ucp_am_lat",
}
ACK_TIMEOUT: Final = 17
"""4.096 us x 2^17, the engine's own: perftest's 14 gives up on an emulated adapter that is slow for a moment."""
_MIB: Final = 1 << 20
_US: Final = 1_000


@dataclass(frozen=True)
class PeerCell:
    """One cell of a peer arm, and where its tool runs."""

    arm: Mapping[str, Any]
    size: int
    window: int
    device: str | None = None
    gid_index: str | None = None
    error_handling: bool = False
    rdmacm: bool = False


@dataclass(frozen=True)
class PeerResult:
    """messages in elapsed_ns, at a precision of `digits` printed; `printed` is the tool's own row."""

    messages: int
    elapsed_ns: int
    printed: Mapping[str, Any]


def tool_argv(cell: PeerCell, port: int, server: str | None) -> list[str]:
    """The argv after the program's folder; `server` None on the owner, which waits."""
    return (_perftest if cell.arm["peer"] == "perftest" else _ucx_perftest)(cell, port, server)


def signal_every(arm: Mapping[str, Any], window: int) -> int:
    """The engine's own choice where the arm names none: half the window, at most 64."""
    return int(arm["signal_every"]) or max(1, min(64, window // 2))


def _perftest(cell: PeerCell, port: int, server: str | None) -> list[str]:
    arm = cell.arm
    argv = [
        _PERFTEST[arm["op"], arm["mode"]],
        "-F",
        "-p",
        str(port),
        "-s",
        str(cell.size),
        "-n",
        str(arm["iterations"]),
    ]
    if cell.device is not None:
        device, _, number = cell.device.partition(":")
        argv += ["-d", device, "-i", number or "1"]
    if cell.gid_index is not None:
        argv += ["-x", cell.gid_index]
    argv += ["-u", str(ACK_TIMEOUT)]
    if cell.rdmacm:
        argv.append("-R")
    if arm["op"] != "read":
        argv += ["-I", str(arm["inline_bytes"] if cell.size <= arm["inline_bytes"] else 0)]
    if arm["mode"] == "rate":
        argv += ["-t", str(cell.window), "-Q", str(signal_every(arm, cell.window))]
        if arm["post_list"] > 1:
            argv += ["-l", str(arm["post_list"])]
        if arm["op"] == "send":
            argv += ["-r", str(arm["recv_depth"])]
    return argv if server is None else [*argv, server]


def _ucx_perftest(cell: PeerCell, port: int, server: str | None) -> list[str]:
    arm = cell.arm
    argv = ["ucx_perftest", "-t", _UCX_PERFTEST[arm["op"], arm["mode"]], "-p", str(port), "-s", str(cell.size)]
    argv += ["-n", str(arm["iterations"]), "-w", str(max(1, min(10_000, arm["iterations"] // 10))), "-f"]
    if arm["mode"] == "rate":
        argv += ["-O", str(cell.window)]
    if cell.error_handling:
        argv.append("-e")
    return argv if server is None else [*argv, server]


def result_of(cell: PeerCell, text: str) -> PeerResult | None:
    """What the tool printed, as messages and time; None where it printed no result."""
    if cell.arm["peer"] == "perftest":
        rows = perftest.read(text).rows
        return _of_perftest(cell, rows[-1]) if rows else None
    finals = [row for row in ucx_perftest.read(text).rows if row.get("final")]
    return _of_ucx_perftest(cell, finals[-1]) if finals else None


def _of_perftest(cell: PeerCell, row: Row) -> PeerResult | None:
    messages = row.get("iterations")
    if cell.arm["mode"] == "latency":
        average = row.get("latency_average_us")
        if isinstance(messages, int) and isinstance(average, float | int) and average > 0:
            return PeerResult(messages, round(messages * average * _US), row)
        return None
    rate = _finest_rate(cell.size, row)
    return PeerResult(messages, round(messages / rate * 1e9), row) if isinstance(messages, int) and rate else None


def _finest_rate(size: int, row: Row) -> float | None:
    """Messages per second, from whichever printed column has the more digits: rates are rounded to 1 message/s of
    10^6, bandwidths to 0.01 MiB/s (10^2 of older programs' "MB/sec", which are MiB/s too)."""
    candidates = []
    rate, bandwidth = row.get("message_rate_mega_per_second"), row.get("bandwidth_average_mib_per_second")
    if isinstance(rate, float | int) and rate > 0:
        candidates.append((0.5e-6 / rate, rate * 1e6))
    if isinstance(bandwidth, float | int) and bandwidth > 0:
        candidates.append((0.005 / bandwidth, bandwidth * _MIB / size))
    return min(candidates)[1] if candidates else None


def _of_ucx_perftest(cell: PeerCell, row: Row) -> PeerResult | None:
    messages, rate = row.get("iterations"), row.get("message_rate_overall_per_second")
    if not isinstance(messages, int) or not isinstance(rate, float | int) or rate <= 0:
        return None
    return PeerResult(messages, round(messages / rate * 1e9), row)
