"""What is said of a run later stands beside it: the seal holds, and nothing that was said is lost or hidden."""

from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from store.annotations import annotate, annotations_file, read_annotations, withdrawal, withdrawals
from store.errors import Exit, LabError
from store.integrity import check_integrity
from store.names import run_names
from store.tests.bench_store import make_run
from store.write import set_writable

NOW = datetime(2026, 12, 1, 8, tzinfo=UTC)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Path]:
    make_run(tmp_path, 0, 0)
    (path,) = tmp_path.iterdir()
    yield path
    set_writable(tmp_path, True)


def test_a_statement_stands_beside_the_run_and_the_seal_holds(run: Path) -> None:
    made = annotate(run, "withdrawn", " the cable\n was bad ", NOW)
    assert read_annotations(run) == (made,)
    assert (made.text, made.utc) == ("the cable was bad", "2026-12-01T08:00:00.000Z")
    assert made.manifest_sha256 == sha256((run / "manifest.json").read_bytes()).hexdigest()
    assert check_integrity(run).status == "ok"
    assert run_names(run.parent) == [run.name], "the file is no run"


def test_statements_add_up(run: Path) -> None:
    assert withdrawal(run) is None
    annotate(run, "withdrawn", "one", NOW)
    annotate(run, "withdrawn", "two", NOW)
    assert withdrawal(run) == "one; two"
    assert withdrawals(run.parent) == {run.name: "one; two"}


def test_a_store_without_statements_has_none(tmp_path: Path) -> None:
    assert withdrawals(tmp_path) == {}
    assert withdrawals(tmp_path / "absent") == {}


def test_a_run_that_is_not_sealed_can_be_withdrawn_too(run: Path) -> None:
    set_writable(run, True)
    (run / "manifest.json").unlink()
    assert annotate(run, "withdrawn", "never ended", NOW).manifest_sha256 is None


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_reason_is_needed(run: Path, text: str) -> None:
    with pytest.raises(LabError, match="needs its reason") as refused:
        annotate(run, "withdrawn", text, NOW)
    assert refused.value.exit_code == Exit.USAGE
    assert not annotations_file(run).exists()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("half a li", "not JSON"),
        ("{}", "format None"),
        ('{"format":"rdmalab.annotation","version":2}', "version 2"),
        ('{"format":"rdmalab.annotation","version":1,"run":"x"}', "manifest_sha256"),
    ],
)
def test_what_cannot_be_read_is_no_clean_bill(run: Path, line: str, problem: str) -> None:
    annotate(run, "withdrawn", "bad", NOW)
    with annotations_file(run).open("a") as out:
        out.write(f"{line}\n")
    with pytest.raises(LabError, match=rf"{run.name}.annotations.jsonl:2: .*{problem}"):
        read_annotations(run)
    told = withdrawal(run)
    assert told is not None
    assert "cannot be read" in told
