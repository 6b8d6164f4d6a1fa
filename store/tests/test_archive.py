"""A run as one file: the same bytes, the same run again, and nothing outside the folder it is unpacked into."""

import gzip
import io
import shutil
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from store.annotations import annotate, read_annotations
from store.archive import run_folder, unpacked, write_archive
from store.errors import Exit, LabError
from store.integrity import check_integrity
from store.names import PUBLISHED, find_run
from store.tests.bench_store import make_run
from store.write import set_writable

NOW = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Path]:
    make_run(tmp_path / "runs", 0, 4096)
    (path,) = (tmp_path / "runs").iterdir()
    yield path
    set_writable(tmp_path / "runs", True)


def archived(run: Path) -> bytes:
    out = io.BytesIO()
    write_archive(run, out)
    return out.getvalue()


def archive_file(run: Path) -> Path:
    file = run.parent.parent / f"{run.name}.tar.gz"
    file.write_bytes(archived(run))
    return file


def tar_with(folder: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    file = folder / "made.tar.gz"
    with tarfile.open(file, "w:gz") as tar:
        for member, data in members:
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return file


def test_the_same_run_is_the_same_bytes_whatever_its_times_and_modes(run: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "other" / run.name
    shutil.copytree(run, elsewhere, copy_function=shutil.copy)
    set_writable(elsewhere, True)
    assert archived(run) == archived(elsewhere)
    with tarfile.open(fileobj=io.BytesIO(archived(run))) as tar:
        assert {(member.mtime, member.uid, member.mode, member.uname) for member in tar} == {(0, 0, 0o444, "")}


def test_an_archive_is_the_run_again(run: Path) -> None:
    with unpacked(archive_file(run)) as folder:
        assert folder.name == run.name
        assert check_integrity(folder).status == "ok"
        place = folder
    assert not place.exists(), "gone with the context"


def test_a_verb_that_reads_takes_an_archive_for_a_run(run: Path) -> None:
    folder = run_folder(str(archive_file(run)), Path("/nowhere"))
    assert check_integrity(folder).status == "ok"
    assert run_folder(str(run), Path("/nowhere")) == run


def test_a_verb_that_writes_does_not(run: Path) -> None:
    with pytest.raises(LabError, match="is the archive of a run") as refused:
        find_run(str(archive_file(run)), run.parent)
    assert refused.value.exit_code == Exit.USAGE


def test_annotations_travel_with_the_run(run: Path) -> None:
    annotate(run, "withdrawn", "the cable was bad", NOW)
    with unpacked(archive_file(run)) as folder:
        assert [each.text for each in read_annotations(folder)] == ["the cable was bad"]


def test_published_figures_can_be_archived(tmp_path: Path) -> None:
    file = tmp_path / "velo.tar.gz"
    with file.open("wb") as out:
        write_archive(PUBLISHED / "velo_rdma", out)
    with unpacked(file) as folder:
        assert check_integrity(folder).status == "ok"


def test_a_run_in_progress_is_not_archived(run: Path) -> None:
    set_writable(run, True)
    (run / "manifest.json").unlink()
    with pytest.raises(LabError, match="is not sealed") as refused:
        archived(run)
    assert refused.value.exit_code == Exit.USAGE


@pytest.mark.parametrize("name", ["../out", "/absolute", "a/../../out"])
def test_a_member_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    with (
        pytest.raises(LabError, match="is no file of a run"),
        unpacked(tar_with(tmp_path, (tarfile.TarInfo(name), b"x"))),
    ):
        pass
    assert not (tmp_path.parent / "out").exists()


def test_a_link_is_refused(tmp_path: Path) -> None:
    link = tarfile.TarInfo("run/plan.json")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    with pytest.raises(LabError, match="is no file of a run"), unpacked(tar_with(tmp_path, (link, b""))):
        pass


def test_two_members_of_one_name_are_refused(tmp_path: Path) -> None:
    members = [(tarfile.TarInfo("run/plan.json"), text) for text in (b"{}", b"[]")]
    with pytest.raises(LabError, match="cannot be read as an archive"), unpacked(tar_with(tmp_path, *members)):
        pass


def test_an_archive_without_a_run_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(LabError, match="holds 0 runs, where one was expected"),
        unpacked(tar_with(tmp_path, (tarfile.TarInfo("notes/a.txt"), b"x"))),
    ):
        pass


@pytest.mark.parametrize("damage", ["cut", "text", "empty", "flipped"])
def test_a_damaged_archive_is_one_clear_line(run: Path, damage: str) -> None:
    file = archive_file(run)
    data = file.read_bytes()
    middle = len(data) // 2
    flipped = data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :]
    texts = {"cut": data[:middle], "text": b"no archive", "empty": b"", "flipped": flipped}
    file.write_bytes(texts[damage])
    with pytest.raises(LabError) as refused, unpacked(file):
        pass
    assert "\n" not in refused.value.message
    assert str(file) in refused.value.message


def test_a_changed_file_in_an_archive_is_found_by_its_digest(run: Path, tmp_path: Path) -> None:
    plain = gzip.decompress(archived(run)).replace(b'"text": "xxxx', b'"text": "yxxx', 1)
    file = tmp_path / "edited.tar.gz"
    file.write_bytes(gzip.compress(plain))
    with unpacked(file) as folder:
        assert "samples.jsonl changed after the run" in check_integrity(folder).text
