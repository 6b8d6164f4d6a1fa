"""A run as one file: a gzipped tar with the run folder and, beside it, its annotations. The same run, the same bytes.

Written by `export RUN archive`. `run_folder` is how verbs that only read take a folder's name or an archive alike: an
archive is unpacked into a temporary folder that is gone when the process ends. Nothing of it can land elsewhere.
"""

from __future__ import annotations

import atexit
import gzip
import io
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from store.annotations import annotations_file
from store.errors import Exit, LabError
from store.names import find_run, is_archive, is_run
from store.write import files_of

_LEVEL = 6
_PIECE_BYTES = 1 << 20


def write_archive(run: Path, out: IO[bytes]) -> None:
    """Write the archive of a sealed run folder. LabError (exit 2) for one that is not sealed."""
    if not (run / "manifest.json").is_file():
        raise LabError(f"{run.name} is not sealed; it can change while it is read", exit_code=Exit.USAGE)
    members = [(f"{run.name}/{name}", run / name) for name in sorted(["manifest.json", *files_of(run)])]
    notes = annotations_file(run)
    if notes.is_file():
        members.append((notes.name, notes))
    # No name and no time in the gzip header either: they would differ from one writing to the next.
    with (
        gzip.GzipFile(filename="", mode="wb", compresslevel=_LEVEL, fileobj=out, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name, file in members:
            _add(tar, name, file)


def _add(tar: tarfile.TarFile, name: str, file: Path) -> None:
    member = tarfile.TarInfo(name)
    member.mode, member.mtime = 0o444, 0
    with file.open("rb") as source:
        member.size = source.seek(0, io.SEEK_END)
        source.seek(0)
        tar.addfile(member, source)


@contextmanager
def unpacked(archive: Path) -> Iterator[Path]:
    """The run folder of an archive, for as long as the context lasts. LabError (exit 1) for a file that is none."""
    with tempfile.TemporaryDirectory(prefix="rdmalab-archive-") as folder:
        yield unpack(archive, Path(folder))


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack an archive into an existing folder; returns the run folder in it."""
    try:
        with gzip.open(archive) as packed:
            with tarfile.open(fileobj=packed, mode="r|") as tar:
                for member in tar:
                    _unpack_member(tar, member, folder, archive)
            while packed.read(_PIECE_BYTES):  # to the end, where the checksum of the whole stands
                pass
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise LabError(f"{archive} cannot be read as an archive of a run: {error}") from error
    runs = [path for path in folder.iterdir() if is_run(path)]
    if len(runs) != 1:
        raise LabError(f"{archive} holds {len(runs)} runs, where one was expected")
    return runs[0]


def _unpack_member(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path, archive: Path) -> None:
    """Regular files and folders under relative names; a link or a way out of the folder is nothing that we wrote."""
    name = PurePosixPath(member.name)
    if name.is_absolute() or ".." in name.parts or not name.parts or not (member.isreg() or member.isdir()):
        raise LabError(f"{archive}: {member.name!r} is no file of a run; nothing of this archive is used")
    place = folder / name
    if member.isdir():
        place.mkdir(parents=True, exist_ok=True)
        return
    if member.size > shutil.disk_usage(folder).free:
        raise LabError(f"{archive}: no room in {folder.parent} for {member.name}", advice="set TMPDIR to a larger disk")
    place.parent.mkdir(parents=True, exist_ok=True)
    source = tar.extractfile(member)
    assert source is not None, "a regular member has content"
    with source, place.open("xb") as out:
        shutil.copyfileobj(source, out, _PIECE_BYTES)


def run_folder(text: str, store: Path) -> Path:
    """The folder of the run that `text` names (see `names.find_run`), or of the archive that it names, unpacked."""
    archive = Path(text)
    if not is_archive(archive):
        return find_run(text, store)
    folder = Path(tempfile.mkdtemp(prefix="rdmalab-archive-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return unpack(archive, folder)
