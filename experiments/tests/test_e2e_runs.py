"""Whole runs with the real engine: each rendezvous experiment on tcp and shm, verified and with a whole record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.config import load_experiment, names
from experiments.tests.e2e_lab import Lab, engine, manifest
from store.integrity import check_integrity
from store.records import Record
from store.sample_lines import BlockLine, EndLine, RendezvousSample, StartLine
from store.write import set_writable

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(
        engine() is None, reason="no engine is built: ./rdmalab builds it, or name it by RDMALAB_ENGINE"
    ),
]

SMALL = ["--set", "reps=3", "--set", "sizes=[4KiB, 1MiB+4097]"]
LINES: dict[str, type[Record]] = {"start": StartLine, "sample": RendezvousSample, "block": BlockLine, "end": EndLine}
RENDEZVOUS = [name for name in names("experiment") if load_experiment(name).experiment.engine == "rendezvous"]
PHASES = ("wireup_ns", "acquire_ns", "transfer_ns", "copy_ns")


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    made = Lab(tmp_path)
    yield made
    left = made.kill_left_overs()
    if made.store.exists():
        set_writable(made.store, True)
    assert left == [], "processes stayed"


@pytest.mark.parametrize("lane", ["tcp", "shm"])
@pytest.mark.parametrize("name", RENDEZVOUS)
def test_every_rendezvous_experiment_runs_and_every_byte_is_verified(lab: Lab, name: str, lane: str) -> None:
    code, out, err = lab.do("run", name, "--no-report", "--lane", lane, *SMALL)
    assert code == 0, err
    assert out.splitlines()[-1] == f"runs/{lab.run().name}"
    run = lab.run()
    assert (manifest(run)["status"], run.missing_blocks, run.problems) == ("done", [], ())
    assert check_integrity(run.path).status == "ok"
    samples = [line.data for line in run.samples()]
    assert len(samples) == sum(len(block["cells"]) for block in run.plan["blocks"])
    for sample in samples:
        assert sample["verified"] is True, sample
        assert sample["error"] is None, sample
        assert sum(sample[phase] for phase in PHASES) == sample["total_ns"], sample
        assert sample["staging"] == sample["staging_asked"] or sample["staging_reason"] != "ok", sample


def test_every_line_and_record_is_that_of_the_contract(lab: Lab) -> None:
    assert lab.do("run", "quickstart", *SMALL)[0] == 0
    run = lab.run()
    for pair in run.pairs:
        for line in pair.source.lines():
            LINES[line.data["kind"]].model_validate(line.data)
        for role in ("owner", "consumer"):
            described = json.loads((pair.path / f"{role}.json").read_text())
            assert described["format"] == "rdmalab.engine"
            assert (pair.path / f"{role}.metrics").read_text().endswith("# EOF\n")
        consumer = json.loads((pair.path / "consumer.json").read_text())
        assert consumer["lane_check"]["verdict"] == "accepted"
        assert pair.record is not None
        inherited = {
            name for name in consumer["ucx"]["env"] if name.startswith("UCX_")
        } - pair.record.consumer.env.keys()
        assert inherited == set()


def test_the_report_of_a_run_is_rendered_again_byte_for_byte_and_an_edit_is_found(lab: Lab) -> None:
    assert lab.do("run", "quickstart", *SMALL)[0] == 0
    code, _, err = lab.do("report", "@last", "--check")
    assert code == 0, err
    (report,) = lab.folder.glob("reports/*/report.md")
    report.write_text(report.read_text().replace("emulated", "emulatet", 1))
    assert lab.do("report", "@last", "--check")[0] == 1


def test_two_pairs_and_a_cold_run_have_the_pairs_they_planned(lab: Lab) -> None:
    code, _, err = lab.do("run", "rendezvous_cold", "--no-report", "--set", "reps=2", "--set", "sizes=[64KiB]")
    assert code == 0, err
    run = lab.run()
    assert len(run.pairs) == len(run.plan["blocks"])
    assert all(line.data["wireup_ns"] > 0 for line in run.samples() if line.data["path"] == "rdma")


# 65,536 chunks one after the other: at 5 us each, faster than any machine asks and answers over TCP, the pull is longer
# than half a lease.
LONG_PULL = """
question: Does a pull outlive its lease?
lane: tcp
pairs: 1
reps: 2
sizes: [256MiB]
arms:
  chunked: {path: chunked, via: am, min_bytes: above_largest, chunk: 4KiB, depth: 1}
limits: {lease_ms: 600, get_timeout_ms: 110000}
"""


def test_a_pull_that_outlives_its_lease_renews_it_and_loses_no_chunk(lab: Lab) -> None:
    code, _, err = lab.do("run", lab.experiment(LONG_PULL), "--no-report")
    assert code == 0, err
    counters = (lab.run().pairs[0].path / "consumer.metrics").read_text()
    (renewals,) = [line for line in counters.splitlines() if line.startswith("rdmalab_lease_renewals_total")]
    assert int(renewals.split()[-1]) > 0


def test_a_run_that_cannot_take_its_lane_ends_3_and_measures_nothing(lab: Lab) -> None:
    """A lane that promises zero-copy over TCP, where UCX can only emulate."""
    lanes = lab.folder / ".config" / "rdmalab" / "lanes"
    lanes.mkdir(parents=True)
    (lanes / "fast_tcp.yaml").write_text(
        "description: a promise that TCP cannot keep\nenv: {UCX_TLS: tcp}\ntransports: [tcp]\n"
        "accepts: {get: [zero-copy]}\nerror_handling: peer\nestimate: {bytes_per_second: 1GiB, transfer_us: 60}\n"
    )
    code, _, err = lab.do("run", "quickstart", "--lane", "fast_tcp", *SMALL)
    assert code == 3, err
    assert "software emulation" in err
    assert not (lab.folder / "reports").exists()
    assert manifest(lab.run())["exit"] == 3
