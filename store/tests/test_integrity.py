"""Every way in which a sealed run can stop being what it was."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from store.integrity import check_integrity
from store.records import OriginRecord, ToolVersion
from store.write import Outcome, RunWriter, set_writable

MOMENT = datetime(2026, 11, 30, 10, 15, tzinfo=UTC)
ORIGIN = OriginRecord(started_utc="2026-11-30T10:15:00.000Z", command=["run"], tool=ToolVersion(version="0"))


def sealed_run(store: Path) -> Path:
    plan = b'{"blocks":[],"experiment":"tiny","format":"rdmalab.plan","version":1}\n'
    writer = RunWriter.create(
        store, plan=plan, binding={"format": "b"}, origin=ORIGIN, experiment="tiny", started=MOMENT
    )
    (writer.path / "binding.json").write_text('{"format":"rdmalab.binding","version":1}')
    _, folder = writer.pair_folder()
    (folder / "samples.jsonl").write_text('{"kind":"start"}\n')
    writer.seal(Outcome("done", 0, None, None, "2026-11-30T10:15:00.000Z", ToolVersion(version="0")), MOMENT)
    set_writable(writer.path, True)
    return writer.path


def test_a_sealed_run_is_ok(tmp_path: Path) -> None:
    assert check_integrity(sealed_run(tmp_path)).status == "ok"


def edit_a_sample(run: Path) -> None:
    (run / "pairs/0/samples.jsonl").write_text('{"kind":"START"}\n')


def edit_manifest(run: Path, key: str, value: str) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    manifest[key] = value
    (run / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("damage", "finding"),
    [
        (edit_a_sample, "pairs/0/samples.jsonl changed after the run"),
        (lambda run: (run / "pairs/0/samples.jsonl").unlink(), "pairs/0/samples.jsonl is missing"),
        (lambda run: (run / "pairs/0/more.jsonl").write_text(""), "pairs/0/more.jsonl was added after the run"),
        (lambda run: edit_manifest(run, "plan_sha256", "0" * 64), "manifest.json names another plan than plan.json"),
        (lambda run: edit_manifest(run, "run", "another"), "manifest.json belongs to the run another"),
    ],
)
def test_damage_is_named(tmp_path: Path, damage: Callable[[Path], object], finding: str) -> None:
    run = sealed_run(tmp_path)
    damage(run)
    checked = check_integrity(run)
    assert (checked.status, [str(found) for found in checked.findings]) == ("broken", [finding])


def test_half_a_manifest_and_a_newer_one_are_unreadable(tmp_path: Path) -> None:
    run = sealed_run(tmp_path)
    (run / "manifest.json").write_text('{"format": "rdmalab.man')
    assert check_integrity(run).status == "unreadable"
    (run / "manifest.json").write_text('{"format": "rdmalab.manifest", "version": 2}')
    assert "version 2" in check_integrity(run).text


def test_a_run_without_manifest_is_unsealed(tmp_path: Path) -> None:
    run = sealed_run(tmp_path)
    (run / "manifest.json").unlink()
    assert check_integrity(run).status == "unsealed"
