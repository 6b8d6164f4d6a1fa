"""The proof of a lane without UCX: ports, queue pairs, counters."""

from __future__ import annotations

from typing import Any

import pytest

from experiments.lane_proof import PROVEN, REFUTED, UNPROVEN
from experiments.lane_witnesses import CONTRADICTS, SUPPORTS, PortCounters
from experiments.operation_proof import DrivenPort, Moved, moved_by, port_witnesses, prove_ports, read_sizes

SAYS = {"device": "rxe0", "port": 1, "link_layer": "Ethernet", "gid_index": 1}
MOVED = Moved(to_consumer=1000, queue_pairs=frozenset({17}))


def ports(consumer: dict[str, Any] | None = SAYS, bound: str | None = "rxe0:1") -> list[DrivenPort]:
    return [DrivenPort("owner", SAYS, "rxe0:1"), DrivenPort("consumer", consumer, bound)]


def test_ports_as_bound_and_queue_pairs_prove_the_lane() -> None:
    proof = prove_ports("verbs", ports(), MOVED)
    assert proof.verdict == PROVEN
    assert "consumer drives rxe0:1" in proof.reason


@pytest.mark.parametrize(
    ("driven", "moved", "verdict"),
    [
        (ports({**SAYS, "device": "mlx5_0"}), MOVED, REFUTED),
        (ports({**SAYS, "port": 2}), MOVED, REFUTED),
        (ports(None), MOVED, UNPROVEN),
        (ports(), Moved(to_consumer=1000), UNPROVEN),
    ],
)
def test_another_port_refutes_and_silence_does_not_prove(driven: list[DrivenPort], moved: Moved, verdict: str) -> None:
    assert prove_ports("verbs", driven, moved).verdict == verdict


def test_a_binding_without_a_port_number_means_the_first() -> None:
    assert prove_ports("verbs", ports(bound="rxe0"), MOVED).verdict == PROVEN


def test_bytes_are_told_apart_by_direction_and_failed_samples_left_out() -> None:
    samples = [
        {"op": "read", "bytes": 10, "counters": {"queue_pair": 3}, "error": None},
        {"op": "write", "bytes": 20, "counters": {"queue_pair": 4}, "error": None},
        {"op": "send", "bytes": 30, "counters": {"printed": {}}, "error": None},
        {"op": "write", "bytes": 99, "counters": {}, "error": {"phase": "measure"}},
    ]
    assert moved_by(samples) == Moved(10, 50, frozenset({3, 4}))


def counters(node: str, role: str, sent: int, received: int) -> PortCounters:
    before = {"sent_pkts": 0, "rcvd_pkts": 0}
    return PortCounters(node, role, "rxe0:1", 1024, before, {"sent_pkts": sent, "rcvd_pkts": received})


def test_counters_must_hold_the_bytes_of_each_direction() -> None:
    both = [counters("node1", "owner", sent=10, received=1), counters("node2", "consumer", sent=1, received=10)]
    assert {w.says for w in port_witnesses(both, Moved(to_consumer=10_000))} == {SUPPORTS}
    assert {w.says for w in port_witnesses(both, Moved(to_owner=10_000))} == {CONTRADICTS}


def test_reads_of_the_engine_alone_are_proven_by_a_table() -> None:
    plan = {
        "arms": [{"op": "read", "peer": None}, {"op": "write", "peer": None}, {"op": "read", "peer": "ucx_perftest"}],
        "cells": [{"arm": 0, "size": 64}, {"arm": 1, "size": 128}, {"arm": 2, "size": 256}],
        "blocks": [{"cells": [0, 1]}, {"cells": [2]}],
    }
    assert read_sizes(plan, [0, 1]) == {64}


def test_a_pair_of_which_every_sample_failed_moved_nothing() -> None:
    good = {"error": None, "op": "send", "bytes": 10, "counters": {"queue_pair": 17}}
    assert moved_by([good]).anything
    assert not moved_by([{**good, "error": {"phase": "measure"}}]).anything
