"""A lane is proven by the consumer's own GET row, against no other witness; and the lies that would fake it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from experiments.lane_proof import (
    PROVEN,
    REFUTED,
    UNPROVEN,
    LaneProof,
    LaneRule,
    PairRecord,
    prove_lane,
    rule_of,
)
from experiments.lane_witnesses import PortCounters, owner_key, port_traffic, registered_domains, uses_nic

GET = "remote memory read by ucp_get* into host memory from host"
RC = {"name": "rc_mlx5_ib", "transports": ["rc_mlx5"], "accepts": {"get": ["zero-copy", "copy-out"]}}
TCP = {"name": "tcp", "transports": ["tcp"], "accepts": {"get": ["software emulation"]}}
VERBS = {"name": "rc_verbs", "transports": ["rc_verbs"], "accepts": {"get": ["zero-copy", "copy-out"]}}
ROWS = (
    ("0", "copy-out", "rc_mlx5/mlx5_2:1"),
    ("1..64", "software emulation", "rc_mlx5/mlx5_2:1"),
    ("65..inf", "zero-copy", "rc_mlx5/mlx5_2:1"),
)
WHOLE = (("0..inf", "zero-copy", "rc_mlx5/mlx5_2:1"),)


def table(
    rows: tuple[tuple[str, str, str], ...], *, title: str = GET, scope: str = "inter-node", who: str = "n2:500:0"
) -> str:
    prefix = f"[1790000000.000001] [{who}]   "
    border = f"{prefix}+---+---+---+"
    head = [border, f"{prefix}| ucp_context_0 {scope} cfg#1 |", f"{prefix}| {title} |", border]
    return "\n".join([*head, *(f"{prefix}| {' | '.join(row)} |" for row in rows), border]) + "\n"


def prove(log: str | None, sizes: list[int], lane: dict[str, Any] = RC, **more: Any) -> LaneProof:
    consumer = more.pop("consumer", {"pid": 500, "lane_check": {"verdict": "accepted", "text": "as the lane promises"}})
    device = more.pop("device", None)
    return prove_lane(rule_of(lane, device, False), sizes, PairRecord(consumer_log=log, consumer=consumer, **more))


def test_a_row_of_the_consumer_proves_the_sizes_in_its_range() -> None:
    proof = prove(table(ROWS), [65, 1 << 20], device="mlx5_2:1")
    assert proof.verdict == PROVEN
    assert [(p.verdict, p.zero_copy, p.holds) for p in proof.sizes] == [("one_sided", True, PROVEN)] * 2
    assert proof.caveats == ()
    assert proof.as_dict()["sizes"][0]["row"]["config"] == "rc_mlx5/mlx5_2:1"


def test_emulation_below_65_bytes_refutes_64_and_proves_65() -> None:
    proof = prove(table(ROWS), [64, 65])
    assert [(p.size, p.verdict, p.holds) for p in proof.sizes] == [(64, "emulated", REFUTED), (65, "one_sided", PROVEN)]
    assert proof.verdict == REFUTED
    assert "64 B" in proof.reason


def test_emulation_on_a_lane_that_promises_zero_copy_is_the_wrong_lane() -> None:
    rows = (("0..inf", "software emulation", "rc_mlx5/mlx5_2:1"),)
    assert prove(table(rows), [4096]).verdict == REFUTED


def test_a_fall_back_to_tcp_is_the_wrong_lane_and_named() -> None:
    proof = prove(table((("0..inf", "software emulation", "tcp/eth0"),)), [4096], device="mlx5_2:1")
    assert proof.verdict == REFUTED
    assert "tcp/eth0: not a transport of lane rc_mlx5_ib" in proof.reason


def test_emulation_is_what_lane_tcp_promises_with_its_caveat() -> None:
    proof = prove(table((("0..inf", "software emulation", "tcp/eth0"),)), [4096], TCP)
    assert (proof.verdict, proof.sizes[0].verdict, proof.caveats) == (PROVEN, "emulated", ("emulated_get",))


@pytest.mark.parametrize(
    "log",
    [
        table((("0..inf", "(?) zero-copy", "rc_mlx5/mlx5_2:1"),)),
        table(WHOLE, title="remote memory write by ucp_put* from host memory to host"),
        table(WHOLE, title="active message by ucp_am_send* from host memory"),
        table(WHOLE, title="rendezvous data fetch() into host memory from host"),
        table(WHOLE, title="remote memory read by ucp_get*(multi) into host memory from host"),
        table(WHOLE, title="remote memory read by ucp_get* into cuda memory from cuda"),
        table(WHOLE, scope="self"),
        table(WHOLE, scope="intra-node"),
        table((("1..64", "zero-copy", "rc_mlx5/mlx5_2:1"),)),
        "",
        None,
    ],
)
def test_an_estimate_another_operation_or_no_table_is_no_proof(log: str | None) -> None:
    proof = prove(log, [4096])
    assert (proof.verdict, proof.sizes[0].verdict) == (UNPROVEN, "unproven")
    assert "lane_unproven" in proof.caveats


def test_a_table_of_another_process_is_not_evidence() -> None:
    foreign = table(WHOLE, who="n2:999:0")
    proof = prove(foreign, [4096])
    assert proof.verdict == UNPROVEN
    assert "another process's" in proof.witnesses[0].text
    own = table((("0..inf", "software emulation", "rc_mlx5/mlx5_2:1"),))
    assert prove(foreign + own, [4096]).verdict == REFUTED, "its own row counts, not the better one beside it"


def test_a_log_of_two_processes_without_a_pid_in_the_record_proves_nothing() -> None:
    proof = prove(table(WHOLE) + table(WHOLE, who="n2:999:0"), [4096], consumer=None)
    assert proof.verdict == UNPROVEN
    assert "several processes" in proof.witnesses[0].text


def test_two_devices_where_one_was_named_are_flagged_with_their_shares() -> None:
    rows = (("0..inf", "zero-copy", "70% on rc_mlx5/mlx5_2:1 and 30% on rc_mlx5/mlx5_3:1"),)
    proof = prove(table(rows), [4096], device="mlx5_2:1")
    assert "multi_rail" in proof.caveats
    assert "70 % on rc_mlx5/mlx5_2:1 and 30 % on rc_mlx5/mlx5_3:1" in proof.reason
    assert proof.as_dict()["sizes"][0]["row"]["shares"][1] == {
        "lane": "rc_mlx5/mlx5_3:1",
        "path": None,
        "percent": 30,
    }


def test_another_device_than_the_one_named_is_the_wrong_lane() -> None:
    proof = prove(table(WHOLE), [4096], device="mlx5_0:1")
    assert proof.verdict == REFUTED
    assert "names device mlx5_0:1" in proof.reason


def test_memory_that_no_adapter_registered_refutes_a_nic_lane() -> None:
    record: dict[str, Any] = {"owner_domains": ["self", "tcp", "mlx5_2"], "device": "mlx5_2:1"}
    assert prove(table(WHOLE), [4096], md_maps=["0x4", "0x6"], **record).verdict == PROVEN
    proof = prove(table(WHOLE), [4096], md_maps=["0x4", "0x3"], **record)
    assert proof.verdict == REFUTED
    key = next(witness for witness in proof.witnesses if witness.name == "owner's key")
    assert key.data["nic_registered"] is False
    assert "only self, tcp" in key.text


def test_memory_of_another_adapter_refutes_the_lane() -> None:
    record: dict[str, Any] = {"owner_domains": ["mlx5_1", "mlx5_2"], "device": "mlx5_2:1"}
    assert prove(table(WHOLE), [4096], md_maps=["1"], **record).verdict == REFUTED


def test_md_maps_name_domains_and_what_is_odd_is_unknown() -> None:
    assert registered_domains("0x5", ["self", "tcp", "mlx5_2"]) == ("self", "mlx5_2")
    assert registered_domains(8, ["self"]) == ("md[3]",)
    assert [registered_domains(odd, []) for odd in (None, "", "xyz", -1, 1 << 64)] == [None] * 5
    assert owner_key(["tcp"], ["0x1"], ["self"], None).says == "absent"
    assert uses_nic(["rc_verbs"]) and not uses_nic(["posix", "cma"])


def test_an_mlx5_device_over_rc_verbs_is_unaccelerated_and_rxe_is_emulated() -> None:
    mlx5 = table((("0..inf", "zero-copy", "rc_verbs/mlx5_2:1"),))
    assert prove(mlx5, [4096], VERBS, device="mlx5_2:1").caveats == ("unaccelerated",)
    rxe = table((("0..624", "copy-out", "rc_verbs/rxe0:1"), ("625..inf", "zero-copy", "rc_verbs/rxe0:1")))
    proof = prove(rxe, [64, 4096], VERBS, device="rxe0:1")
    assert proof.caveats == ("emulated_nic",)
    assert [(p.verdict, p.zero_copy) for p in proof.sizes] == [("one_sided", False), ("one_sided", True)]


def test_the_engine_s_refusal_stands_whatever_the_table_says() -> None:
    consumer = {"pid": 500, "lane_check": {"verdict": "refused", "text": "software emulation over tcp"}}
    proof = prove(table(WHOLE), [4096], consumer=consumer)
    assert (proof.verdict, "software emulation over tcp" in proof.reason) == (REFUTED, True)


def test_sides_that_count_differently_refute_the_lane() -> None:
    paths = {"consumer_paths": {"rdma": 10, "chunked": 0}, "owner_paths": {"rdma": 10, "chunked": 0}}
    assert prove(table(WHOLE), [4096], **paths).verdict == PROVEN
    assert prove(table(WHOLE), [4096], **(paths | {"owner_paths": {"rdma": 3, "chunked": 7}})).verdict == REFUTED
    assert prove(table(WHOLE), [4096], consumer_paths={"rdma": 0}, owner_paths={"rdma": 0}).verdict == REFUTED


def test_a_get_that_fell_back_or_failed_is_no_difference_between_the_sides() -> None:
    fell_back = {"consumer_paths": {"rdma": 8, "fell_back": 2, "chunked": 5}, "owner_paths": {"rdma": 10, "chunked": 5}}
    proof = prove(table(WHOLE), [4096], **fell_back)
    assert proof.verdict == PROVEN, proof.reason
    assert "8 transfers by rdma on both sides, 2 fell back" in proof.witnesses[3].text
    failed = {"consumer_paths": {"rdma": 8, "failed": 2, "chunked": 5}}
    for rdma, chunked, verdict in ((8, 5, PROVEN), (10, 5, PROVEN), (9, 6, PROVEN), (11, 5, REFUTED), (7, 5, REFUTED)):
        owner = {"owner_paths": {"rdma": rdma, "chunked": chunked}}
        assert prove(table(WHOLE), [4096], **failed, **owner).verdict == verdict
    none = {"consumer_paths": {"rdma": 0, "fell_back": 9}, "owner_paths": {"rdma": 9}}
    assert prove(table(WHOLE), [4096], **none).verdict == REFUTED


def counters(role: str, before: dict[str, int] | None, after: dict[str, int] | None) -> PortCounters:
    return PortCounters(node="n1", role=role, port="mlx5_2:1", mtu=1024, before=before, after=after)


@pytest.mark.parametrize(
    ("role", "before", "after", "says"),
    [
        ("owner", {"port_xmit_data": 10}, {"port_xmit_data": 260}, "supports"),
        ("owner", {"port_xmit_data": 10}, {"port_xmit_data": 259}, "contradicts"),
        ("consumer", {"port_rcv_data": 0}, {"port_rcv_data": 250}, "supports"),
        ("owner", {"sent_pkts": 5}, {"sent_pkts": 6}, "supports"),
        ("owner", {"sent_pkts": 5}, {"sent_pkts": 5}, "contradicts"),
        ("owner", {"port_xmit_data": 9}, {"port_xmit_data": 3}, "absent"),
        ("owner", {"other": 1}, {"other": 2}, "absent"),
        ("owner", None, {"port_xmit_data": 9}, "absent"),
    ],
)
def test_port_counters_bound_the_bytes_that_were_moved(
    role: str, before: dict[str, int] | None, after: dict[str, int] | None, says: str
) -> None:
    witnesses = port_traffic(["rc_mlx5"], [counters(role, before, after)], 1000)
    assert [witness.says for witness in witnesses] == [says]


def test_counters_that_cannot_hold_the_bytes_refute_the_lane() -> None:
    few = counters("owner", {"port_xmit_data": 0}, {"port_xmit_data": 9})
    assert prove(table(WHOLE), [4096], ports=[few], bytes_moved=4096).verdict == REFUTED
    assert port_traffic(["tcp"], [few], 4096) == ()


def test_the_rule_comes_from_the_plan_and_old_tables_have_no_scope() -> None:
    rule = rule_of(RC, "mlx5_2:1", True)
    assert rule == LaneRule(
        "rc_mlx5_ib", ("rc_mlx5",), ("zero-copy", "copy-out"), "mlx5_2:1", ("intra-node", None), (None,)
    )
    old = table(WHOLE).replace("ucp_context_0 inter-node cfg#1", "0x55 ep_cfg[1]").replace("ucp_get* ", "ucp_get*() ")
    record = PairRecord(consumer_log=old, consumer={"pid": 500})
    assert prove_lane(rule, [4096], record).verdict == PROVEN
    assert prove_lane(replace(rule, scopes=("inter-node",)), [4096], record).verdict == UNPROVEN
