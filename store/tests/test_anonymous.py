"""A copy of a run names no machine and nobody, says the same thing the same way everywhere, and is sealed."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from store.anonymous import ANONYMOUS, anonymous_copy
from store.errors import Exit, LabError
from store.facts import said
from store.integrity import check_integrity
from store.records import OriginRecord, PairRecord, ProcessRecord, SetupRecord, ToolVersion
from store.redaction import Redactor
from store.run import open_run
from store.write import Outcome, RunWriter, set_writable

TOOL = ToolVersion(version="0")
NOW = datetime(2026, 11, 30, tzinfo=UTC)
SECRETS = ("n17", "n18", "10.20.30", "fe80", "0c42", "alice", "acme", "S123", "63ad244a")


def node(name: str, role: str, address: str) -> dict[str, object]:
    common = {"device": "mlx5_0:1", "env": {}, "cpus": [0], "ucx_prefix": "/home/alice/ucx"}
    return {"name": name, "role": role, "address": address, **common}


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Path]:
    nodes = [node("n18.acme.example", "owner", "10.20.30.18"), node("n17.acme.example", "consumer", "10.20.30.17")]
    plan = {"format": "rdmalab.plan", "version": 1, "blocks": [{"cells": [0]}], "question": "How fast is n17?"}
    writer = RunWriter.create(
        tmp_path / "runs",
        plan=json.dumps(plan).encode(),
        binding={"format": "rdmalab.binding", "version": 1, "site": "lab", "nodes": nodes},
        origin=OriginRecord(started_utc="x", command=["run", "/home/alice/mine.yaml"], tool=TOOL),
        experiment="test",
        started=NOW,
    )
    for name in ("n17.acme.example", "n18.acme.example"):
        facts = {
            "host.name": said(name, "uname"),
            "host.boot_id": said("63ad244a-845e-4b40-982f-a5943279573f", "/proc/sys/kernel/random/boot_id"),
            "nic.mlx5_0.node_guid": said("0c42:a103:0065:dbd4", "/sys/class/infiniband/mlx5_0/node_guid"),
            "nic.mlx5_0.serial": said("S123456", "lspci"),
            "nic.mlx5_0.firmware": said("28.43.2566", "sysfs"),
            "port.mlx5_0:1.gids": said(["fe80:0000:0000:0000:0c42:a103:0065:dbd4"], "sysfs"),
        }
        writer.put_setup(SetupRecord(node=name, before=facts))
    number, folder = writer.pair_folder()
    sample = '{"kind":"sample","block":0,"cell":0,"error":%s}\n'
    error = '{"phase":"transfer","code":"timeout","text":"n18 (10.20.30.18) is gone"}'
    block = '{"kind":"block","block":0,"samples":2,"failed":1}\n'
    (folder / "samples.jsonl").write_text(sample % "null" + sample % error + block)
    (folder / "consumer.log").write_text(
        "n17: met n18.acme.example as alice@n18, log in /home/alice/x.log; 0x0c42a1030065dbd4\n"
    )
    process = ProcessRecord(argv=["/home/alice/engine", "--exchange=tcp:10.20.30.18:7000"], node="n17.acme.example")
    times = {"started_utc": "x", "ended_utc": "x"}
    writer.put_pair(
        PairRecord(pair=number, planned_pair=0, blocks=[0], **times, owner=process, consumer=process, exit=0)
    )
    writer.seal(Outcome("done", 0, "n18 was lost", None, "x", TOOL), NOW)
    yield writer.path
    set_writable(tmp_path / "runs", True)


def texts(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_no_secret_is_left_in_any_file_or_name(run: Path, tmp_path: Path) -> None:
    assert all(secret in "".join(texts(run).values()) for secret in SECRETS), "the original has them"
    for name, text in texts(anonymous_copy(run, tmp_path / "out")).items():
        assert not [secret for secret in SECRETS if secret in name or secret in text], name


def test_the_copy_is_a_sealed_run_that_readers_open(run: Path, tmp_path: Path) -> None:
    copy = anonymous_copy(run, tmp_path / "out")
    assert check_integrity(copy).status == "ok"
    opened = open_run(copy)
    assert not opened.problems
    assert opened.setup.keys() == {"host1", "host2"}
    assert [node["name"] for node in (opened.binding or {})["nodes"]] == ["host1", "host2"], "the owner is the first"
    assert opened.pairs[0].record is not None
    assert opened.pairs[0].record.owner.node == "host2"
    assert opened.manifest is not None
    assert opened.manifest.cause == "host1 was lost"


def test_a_name_has_one_pseudonym_everywhere(run: Path, tmp_path: Path) -> None:
    copy = texts(anonymous_copy(run, tmp_path / "out"))
    assert "host1 (address1) is gone" in copy["pairs/0/samples.jsonl"]
    assert "--exchange=tcp:address1:7000" in copy["pairs/0/pair.json"]
    log = copy["pairs/0/consumer.log"]
    assert log.startswith("host2: met host1 as user1@host1, log in path")
    assert '"How fast is host2?"' in copy["plan.json"]
    guid = log.rsplit(" ", 1)[1].strip()
    assert json.loads(copy["setup/host1.json"])["before"]["nic.mlx5_0.node_guid"]["value"] == guid == "guid1"


def test_what_names_nobody_stays(run: Path, tmp_path: Path) -> None:
    copy = anonymous_copy(run, tmp_path / "out")
    facts = json.loads((copy / "setup" / "host1.json").read_text())["before"]
    assert facts["nic.mlx5_0.firmware"]["value"] == "28.43.2566"
    assert facts["nic.mlx5_0.node_guid"]["source"] == "/sys/class/infiniband/mlx5_0/node_guid"
    lines = (
        (run / "pairs/0/samples.jsonl").read_text().splitlines(),
        (copy / "pairs/0/samples.jsonl").read_text().splitlines(),
    )
    assert [one == other for one, other in zip(*lines, strict=True)] == [True, False, True]


def test_the_copy_says_what_it_is_a_copy_of(run: Path, tmp_path: Path) -> None:
    told = json.loads((anonymous_copy(run, tmp_path / "out") / ANONYMOUS).read_text())
    assert told["of_manifest_sha256"] == sha256((run / "manifest.json").read_bytes()).hexdigest()
    assert told["replaced"]["host"] == 2


def test_twice_is_the_same_bytes(run: Path, tmp_path: Path) -> None:
    one, other = (texts(anonymous_copy(run, tmp_path / name)) for name in ("a", "b"))
    assert one == other


def test_a_run_in_progress_is_refused(run: Path, tmp_path: Path) -> None:
    set_writable(run, True)
    (run / "manifest.json").unlink()
    with pytest.raises(LabError, match="is not sealed") as refused:
        anonymous_copy(run, tmp_path / "out")
    assert refused.value.exit_code == Exit.USAGE


def test_a_file_that_is_no_text_is_refused_rather_than_passed_on(run: Path, tmp_path: Path) -> None:
    set_writable(run, True)
    (run / "core.bin").write_bytes(b"\xff\xfe\x00n17")
    with pytest.raises(LabError, match="is no text"):
        anonymous_copy(run, tmp_path / "out")


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("at 10.0.0.1:18515 and 10.0.0.1", "at address1:18515 and address1"),
        ("127.0.0.1, ::1, 0.0.0.0", "127.0.0.1, ::1, 0.0.0.0"),
        ("fe80::1%eth0 2001:db8::2", "address1%eth0 address2"),
        ("0c:42:a1:03:65:db 0C-42-A1-03-65-DB", "mac1 mac1"),
        ("kernel 6.1.0-57, firmware 28.43.2566, at 10:15:00", "kernel 6.1.0-57, firmware 28.43.2566, at 10:15:00"),
        ("rc_mlx5/mlx5_0:1 12/12 tcp/lo", "rc_mlx5/mlx5_0:1 12/12 tcp/lo"),
        ("/proc/cpuinfo, /usr/lib/x, /srv/data", "/proc/cpuinfo, /usr/lib/x, path1"),
        ("~/x ../secret/y", "path1 path2"),
        ("file=/a/b:/a/b", "file=path1:path1"),
        ("runs/20261130T101500Z-n17-1a2b3c4d", "runs/20261130T101500Z-n17-1a2b3c4d"),
        ("N17 n17-ib0 n170", "host1 host1-ib0 n170"),
        ("std::vector, a::b", "std::vector, address1"),
    ],
)
def test_a_text_is_redacted(text: str, redacted: str) -> None:
    assert Redactor(hosts=["n17", "localhost", "10.0.0.1"]).redact(text) == redacted
