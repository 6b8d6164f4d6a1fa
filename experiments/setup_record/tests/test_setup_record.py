"""What a node's texts say, as facts; and the program that fetches the texts, run for real."""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.setup_record import Snapshot, collect, engine_facts, facts_of
from experiments.setup_record.snapshot import CommandText, take_snapshot
from experiments.setup_record.tests.recorded_node import recorded_node
from store.errors import Exit, LabError
from store.facts import Status
from store.setup_keys import class_of


def local(argv: Sequence[str], stdin: str) -> tuple[int, str, str]:
    done = subprocess.run(argv, input=stdin, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("key", "value", "unit"),
    [
        ("cpu.model", "Example CPU", None),
        ("cpu.microcode", "0x2b", None),
        ("cpu.mhz", 2400.0, "MHz"),
        ("cpu.governor", "performance, powersave", None),
        ("cpu.throttle.core", 7, "events"),
        ("cpu.allowed", "0-2,5", None),
        ("memory.total", 1024 * 1024, "bytes"),
        ("memory.swap.used", 40 * 1024, "bytes"),
        ("memory.copy_rate", 12.35, "GB/s"),
        ("limit.memlock", 65536, "bytes"),
        ("limit.memlock_hard", "unlimited", "bytes"),
        ("limit.cap_ipc_lock", True, None),
        ("kernel.release", "6.1.0-9-amd64", None),
        ("rdma.core_version", "44.0-2", None),
        ("rdma.devices", ["mlx5_0", "mlx5_1"], None),
        ("nic.mlx5_1.firmware", "28.43.1014", None),
        ("nic.mlx5_1.driver", "mlx5_core", None),
        ("nic.mlx5_1.numa_node", 1, None),
        ("nic.mlx5_1.pcie.hops", 2, None),
        ("nic.mlx5_1.pcie.hop0.speed", 32.0, "GT/s"),
        ("nic.mlx5_1.pcie.hop1.width", 8, "lanes"),
        ("port.mlx5_1:1.state", "ACTIVE", None),
        ("port.mlx5_1:1.rate", 400.0, "Gb/s"),
        ("port.mlx5_1:1.lid", 12, None),
        ("port.mlx5_1:1.counter.port_rcv_data", 99, "words of 4 bytes"),
        ("port.mlx5_0:1.gids", ["0 RoCE v2 fe80::202:c9ff:fe00:1", "3 RoCE v2 198.51.100.7"], None),
        ("control.mtu", 1500, "bytes"),
        ("control.counter.rx_bytes", 77, None),
    ],
)
def test_a_recorded_node_is_read_right(key: str, value: object, unit: str | None) -> None:
    fact = facts_of(recorded_node(), control="eth0")[key]
    assert (fact.value, fact.unit) == (value, unit)


def test_the_mtu_in_use_comes_from_ibv_devinfo() -> None:
    device = "hca_id:\tmlx5_1\n\tfw_ver:\t\t\t\t1.2.3\n\tvendor_part_id:\t\t\t4129\n"
    text = f"{device}\t\tport:\t1\n\t\t\tactive_mtu:\t\t4096 (5)\n"
    facts = facts_of(Snapshot(commands={"ibv_devinfo": CommandText(0, text, "")}))
    assert (facts["port.mlx5_1:1.mtu"].value, facts["port.mlx5_1:1.mtu"].unit) == (4096, "bytes")
    assert facts["nic.mlx5_1.part_id"].value == 4129
    assert facts["nic.mlx5_1.firmware"].value == "1.2.3"


@pytest.mark.parametrize(
    ("key", "status"),
    [
        ("nic.mlx5_1.board", Status.ABSENT),  # an empty file
        ("numa.balancing", Status.DENIED),
        ("control.rate", Status.ABSENT),  # the kernel's -1
        ("port.mlx5_0:1.lid", Status.ABSENT),  # an Ethernet port's LID means nothing
        ("cpu.turbo", Status.ABSENT),
        ("memory.huge.2048kB", None),
        ("host.virtualisation", Status.INFERRED),
        ("control.interface", Status.DECLARED),
    ],
)
def test_what_is_not_known_is_said_so(key: str, status: Status | None) -> None:
    fact = facts_of(recorded_node(), control="eth0").get(key)
    assert (fact.status if fact else None) == status


def test_a_node_without_rdma_has_an_absent_device_list() -> None:
    assert facts_of(Snapshot())["rdma.devices"].status is Status.ABSENT


def test_every_key_has_a_class() -> None:
    for key in facts_of(recorded_node(), control="eth0"):
        class_of(key)


@given(st.dictionaries(st.sampled_from(sorted(recorded_node().files)), st.text(max_size=60)))
def test_no_text_of_a_file_breaks_the_record(texts: dict[str, str]) -> None:
    base = recorded_node()
    facts = facts_of(Snapshot(files={**base.files, **texts}, links=base.links, uname=base.uname), control="eth0")
    assert all(str(fact.value).lower() not in ("null", "nan", "n/a") for fact in facts.values())


def test_this_node_is_read_in_one_call() -> None:
    calls: list[Sequence[str]] = []

    def counted(argv: Sequence[str], stdin: str) -> tuple[int, str, str]:
        calls.append(argv)
        return local(argv, stdin)

    facts = collect(counted)
    assert len(calls) == 1
    assert facts["host.name"].value == os.uname().nodename
    assert facts["memory.page_size"].value == os.sysconf("SC_PAGE_SIZE")
    assert float(str(facts["memory.copy_rate"].value)) > 0.1, "GB/s"
    assert abs(float(str(facts["clock.offset"].value))) <= float(str(facts["clock.offset_uncertainty"].value)) + 0.1


def test_a_banner_around_the_answer_does_no_harm() -> None:
    def chatty(argv: Sequence[str], stdin: str) -> tuple[int, str, str]:
        rc, out, err = local(argv, stdin)
        return rc, f"Welcome to n17\n{out}have fun\n", err

    assert take_snapshot(chatty).uname[0] == "Linux"


def test_a_node_without_python_is_named_as_such() -> None:
    with pytest.raises(LabError, match="127: sh: python3: not found") as caught:
        take_snapshot(lambda argv, stdin: (127, "", "sh: python3: not found\n"))
    assert caught.value.exit_code is Exit.CANNOT_RUN


def test_the_node_program_runs_on_python_3_6() -> None:
    ast.parse((Path(__file__).parents[1] / "node_program.py").read_text(), feature_version=(3, 6))


def test_the_engine_tells_what_it_loaded() -> None:
    facts = engine_facts(
        {
            "role": "consumer",
            "memlock_bytes": None,
            "binary_sha256": "ab",
            "ucx": {
                "header": "1.22.0",
                "runtime": "1.20.1",
                "conf_path": None,
                "settings": {"UCX_TLS": "rc_verbs", "UCX_NULL": "null"},
                "env": {"UCX_TLS": "rc_verbs"},
            },
        }
    )
    assert facts["limit.memlock"].value == "unlimited"
    assert facts["ucx.runtime_version"].value == "1.20.1"
    assert facts["ucx.conf_path"].status is Status.ABSENT
    assert facts["ucx.setting.UCX_NULL"].status is Status.ABSENT
    assert facts["environment.UCX_TLS"].value == "rc_verbs"
    for key in facts:
        class_of(key)


def test_an_empty_self_description_gives_absent_facts() -> None:
    assert engine_facts({})["ucx.runtime_version"].status is Status.ABSENT


def test_the_port_that_an_engine_without_ucx_drives_is_in_the_record() -> None:
    verbs = {"device": "rxe0", "port": 1, "gid_index": 1, "mtu_bytes": 1024, "connected_by": "rdmacm"}
    facts = engine_facts({"role": "owner", "ucx": None, "verbs": verbs})
    assert (facts["verbs.device"].value, facts["verbs.connected_by"].value) == ("rxe0", "rdmacm")
    assert (facts["verbs.mtu_bytes"].value, facts["verbs.mtu_bytes"].unit) == (1024, "bytes")
    assert all(class_of(name) for name in facts)
