"""However a complete run comes to its seal, its lane is proven first and what was waived is told."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.tests.stand_in_lab import Lab, stand_in_lab
from store.errors import Exit
from store.write import set_writable


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    with stand_in_lab(tmp_path, monkeypatch) as made:
        yield made


def test_a_complete_run_whose_tool_died_before_it_sealed_is_not_sealed_without_its_proof(lab: Lab) -> None:
    lab.run()
    path = lab.only_run().path
    set_writable(path, True)
    (path / "manifest.json").unlink()
    (path / "lane.json").unlink()
    for log in path.glob("pairs/*/consumer.ucx.log"):
        log.write_text(log.read_text().replace("tcp/lo", "rc/x:1"))
    assert lab.resume(path) is None
    manifest = lab.only_run().manifest
    assert manifest is not None and manifest.exit == Exit.WRONG_LANE
    assert "not a transport of lane tcp" in str(manifest.cause)
    assert (path / "lane.json").is_file()


def test_a_get_that_fell_back_is_counted_by_its_reason_and_the_run_stays_good(lab: Lab) -> None:
    lab.run()
    path = lab.only_run().path
    set_writable(path, True)
    (path / "manifest.json").unlink()
    for pair in path.glob("pairs/*"):
        gets = (("rdma", "ok", 5), ("chunked", "get_failed", 1), ("chunked", "ok", 6))
        labels = ['arm="rdma",path="{}",reason="{}",result="ok",role="consumer"'.format(*get) for get in gets]
        lines = [f"rdmalab_gets_total{{{text}}} {get[2]}" for text, get in zip(labels, gets, strict=True)]
        (pair / "consumer.metrics").write_text("\n".join(lines) + "\n")
        offers = [f'rdmalab_offers_total{{refusal="{why}",role="owner"}} 6' for why in ("none", "below_min")]
        (pair / "owner.metrics").write_text("\n".join(offers) + "\n")
    assert lab.resume(path) is None
    manifest = lab.only_run().manifest
    assert manifest is not None
    assert manifest.exit == Exit.DONE, manifest.cause


def test_what_was_waived_stays_waived_however_the_run_is_sealed(lab: Lab) -> None:
    lab.run()
    path = lab.only_run().path
    set_writable(path, True)
    (path / "manifest.json").unlink()
    preflight = json.loads((path / "preflight.json").read_text())
    unmet = {"status": "failed", "result": "64 KiB", "advice": None, "requirement": "memlock_for_plan"}
    preflight["checks"].append({"name": "memlock", "node": "here", **unmet})
    (path / "preflight.json").write_text(json.dumps(preflight))
    lab.resume(path)
    manifest = lab.only_run().manifest
    assert manifest is not None and manifest.waived == ["memlock_for_plan"]
