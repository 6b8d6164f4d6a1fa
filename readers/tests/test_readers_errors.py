"""Messages of UCX, libibverbs and perftest: the cause is named, the remedy fits, consequences are no causes."""

from __future__ import annotations

import pytest

from readers import perftest_errors, ucx_errors, verbs_errors

_OFFER = "please use one or more of:"


def test_the_first_warning_is_the_cause_and_the_end_its_consequence() -> None:
    text = (
        f"[1.000001] [n1:7:0]  ucp_context.c:1 UCX  WARN  network device 'mlx5_8:1' is not available, "
        f"{_OFFER} 'eth9'(tcp)\n"
        "[1.000002] [n1:7:0]  select.c:2 UCX  ERROR   no active messages transport to <no debug data>: self/memory0 - "
        "Destination is unreachable\n"
        "[1.000003] [n1:7:0]  libperf.c:3 UCX  ERROR ucp_ep_create() failed: Destination is unreachable\n"
    )
    reading = ucx_errors.read(text)
    assert [finding.exit_code for finding in reading.findings] == [5]
    assert "mlx5_8:1" in reading.findings[0].cause
    assert "`self`" in reading.findings[0].cause
    assert "/dev/infiniband" in reading.findings[0].advice
    assert reading.skipped == ()


def test_a_missing_device_alone_means_the_wrong_lane() -> None:
    line = (
        f"ucp_context.c:9 UCX  WARN  network device 'mlx5_8:1' is not available, {_OFFER} 'eth9'(tcp), 'mlx5_1:1'(ib)"
    )
    finding = ucx_errors.read(line).findings[0]
    assert finding.exit_code == 3
    assert "/dev/infiniband" not in finding.advice, "an RDMA device is on offer, so it is the name that is wrong"


def test_without_a_cause_the_consequence_is_told() -> None:
    line = "select.c:2 UCX  ERROR   no active messages transport to x: self/memory0 - Destination is unreachable"
    finding = ucx_errors.read(line).findings[0]
    assert "UCX_TLS" in finding.cause
    assert finding.exit_code == 5


@pytest.mark.parametrize(
    ("text", "words", "exit_code"),
    [
        (f"UCX  WARN  transports 'rc_mlx5' are not available, {_OFFER}\nib, rc_verbs, self", "unaccelerated", 3),
        (f"UCX  WARN  transport 'rc_verbs' is not available, {_OFFER} posix, self, tcp", "built without verbs", 3),
        ("UCX ERROR no usable transports/devices (asked cma on all devices)", "hold no usable network transport", 5),
        ("no auxiliary transport to <no debug data>: rc_verbs/a:1 - Destination is unreachable", "wire-up", 5),
        ("UCX  WARN  unused env variables: UCX_NET_DEVICS (set UCX_WARN_UNUSED_ENV_VARS=n ...)", "UCX_NET_DEVICES", 3),
        ("UCX WARN unused environment variables: UCX_TSL (maybe: UCX_TLS?); UCX_FOOBAR", "likely UCX_TLS", 3),
        ("UCX  ERROR address version mismatch: expected 1, actual 3", "different UCX versions", None),
        (
            "UCX ERROR mlx5_9: ibv_create_qp() failed: Cannot allocate memory. Please set max locked memory "
            "(ulimit -l) "
            "to 'unlimited' (current: 128 kbytes)",
            "128 kbytes",
            5,
        ),
        ("ibv_reg_mr(address=0x1, length=2, access=0xf) failed: Bad address\nx mem_type bit 0x2 length", "cuda", 5),
        ("ibv_reg_mr(address=0x1, length=2, access=0x10000f) failed: Invalid argument", "relaxed ordering", 5),
        ("ibv_reg_mr(address=0x1, length=2, access=0xf) failed: Cannot allocate memory", "memlock", 5),
        ("UCX ERROR mlx5dv_devx_create_event_channel() failed: Protocol not supported", "older", 5),
        ("UCX  ERROR Invalid gid[4] on mlx5_9:1", "GID index 4 of mlx5_9:1", 5),
        ("x Transport retry count exceeded on mlx5_9:1/IB (synd 1)\nx [rqpn 0x1 rlid 99] [va", "LID 99", 4),
        ("Fatal: UD endpoint 0x9 to <no debug data>: unhandled timeout error", "GID index", 4),
        ("Fatal: unexpected error: Endpoint timeout", "peer", 4),
        ("rc_verbs_impl.h:9  Fatal: send completion[3] with error on mlx5_9/0x5a: general", "mlx5_9", None),
        ("sock.c:9 UCX ERROR connect(fd=5, dest_addr=172.17.0.9:1) failed: Connection refused", "docker", 4),
        ("sock.c:9 UCX ERROR connect(fd=5, dest_addr=203.0.113.7:1) failed: No route to host", "203.0.113.7:1", 4),
        ("UCX  ERROR client failed. connect() failed: Connection refused", "no server listens", 4),
        ("getaddrinfo(server:nohost, port:77) error: [Name or service not known]", "nohost (port 77)", 4),
        ("UCX  ERROR server failed. bind() failed: Address already in use", "taken", 5),
        ("tcp/lo - no route to 127.0.0.1", "1.22", 5),
        ("posix/memory - no peer failure handler", "error_handling", 5),
        ("ucp_ep.c:9 UCX ERROR ep 0x7f has already been closed", "closed twice", None),
    ],
)
def test_each_message_has_its_cause_and_advice(text: str, words: str, exit_code: int | None) -> None:
    finding = ucx_errors.read(text).findings[0]
    assert words in f"{finding.cause} -> {finding.advice}"
    assert finding.exit_code == exit_code
    assert "{" not in finding.cause + finding.advice
    assert ucx_errors.FORMAT.sign.search(text)


def test_a_crash_is_told_with_its_signal() -> None:
    assert ucx_errors.read("[n1:1:0:2] Caught signal 11 (Segmentation fault: x)").facts == {"crashed_by_signal": 11}
    assert "signal 11" in ucx_errors.read("Caught signal 11 (Segmentation fault: x)").findings[0].cause


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Failed to get IB devices list: Function not implemented", "no RDMA on this node"),
        ("Failed to open NETLINK_RDMA socket", "no RDMA on this node"),
        ("libibverbs: Warning: no userspace device-specific driver found for /sys/x\nNo IB devices found", "exists"),
        ("libibverbs: Warning: couldn't open config directory '/etc/y'.\nNo IB devices found", "unknown"),
        (
            "couldn't load driver 'mlx9': lib: version `IBVERBS_PRIVATE_34' not found (required by z)",
            "different versions",
        ),
        ("No IB devices found", "found no device"),
    ],
)
def test_no_device_is_told_with_what_is_known_about_hardware(text: str, words: str) -> None:
    finding = verbs_errors.read(text).findings[0]
    assert words in finding.cause
    assert finding.exit_code == 5


def test_a_driver_that_is_not_installed_is_only_a_note() -> None:
    text = "couldn't load driver 'libq.so': libq.so: cannot open shared object file: No such file or directory"
    assert verbs_errors.read(text).findings[0].level == "note"


def test_perftest_failures_are_told_apart() -> None:
    zero = ":".join(["00"] * 16)
    address = f"local address: LID 0000 QPN 0x7\n GID: {zero}\n remote address: LID 0000 QPN 0x8\n GID: {zero}\n"
    text = f"Couldn't connect to 203.0.113.5:18515\n----\n{address}Failed to modify QP 7 to RTR\n"
    findings = perftest_errors.read(text).findings
    assert "203.0.113.5:18515" in findings[0].cause
    assert "RoCE without a GID index" in findings[1].cause
    assert len(findings) == 2
    assert "does not fit" in perftest_errors.read("Failed to modify QP 7 to RTR").findings[0].cause
