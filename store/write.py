"""Makes a run folder, adds to it while the run goes on, seals it, and opens it again for a resume.

Used by experiments.run_experiment, in this order: create (or reopen), put_* and pair_folder, seal. Everything is
durable when a call returns; a folder without manifest.json is a run in progress, held by a lock while its tool lives.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel

from store import durable, names
from store.errors import Exit, LabError
from store.json_file import JsonObject, write_object
from store.records import (
    Counts,
    FileEntry,
    Manifest,
    OriginRecord,
    PairRecord,
    PreflightRecord,
    RunStatus,
    SetupRecord,
    ToolVersion,
)
from store.run import open_run


@dataclass(frozen=True)
class Outcome:
    """How a run ended, for its manifest."""

    status: RunStatus
    exit: int
    cause: str | None
    parent: str | None
    started_utc: str
    tool: ToolVersion
    waived: tuple[str, ...] = ()
    epochs: int = 1


def utc_text(moment: datetime) -> str:
    """A time as the records write it: `2026-11-30T10:15:00.123Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class RunWriter:
    """The one writer of a run folder; holds the run's lock until `close`, `seal` or the end of the process."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock = lock

    @classmethod
    def create(
        cls,
        store: Path,
        *,
        plan: bytes,
        binding: BaseModel | JsonObject,
        origin: OriginRecord,
        experiment: str,
        started: datetime,
    ) -> RunWriter:
        """A new run folder with plan, binding and origin; it appears under its name only when all are on disk."""
        durable.make_folder(store)
        name = names.new_name(experiment, started)
        hidden = store / f".new-{name}"
        try:
            hidden.mkdir()
            durable.write_file(hidden / "plan.json", plan)
            write_object(hidden / "binding.json", binding)
            write_object(hidden / "origin.json", origin)
            durable.make_folder(hidden / "pairs")
            lock = _lock(hidden)
            hidden.rename(store / name)
            durable.sync_folder(store)
        except OSError as error:
            shutil.rmtree(hidden, ignore_errors=True)
            raise durable.cannot_write(hidden, error) from error
        except LabError:
            shutil.rmtree(hidden, ignore_errors=True)
            raise
        return cls(store / name, lock)

    @classmethod
    def reopen(cls, path: Path, lock: int | None = None) -> RunWriter:
        """A run to be continued: made writable, its manifest (if any) kept as history/manifest-<n>.json.

        `lock` is the lock's descriptor where another process hands the run over together with its lock.
        """
        writer = cls(path, _lock(path) if lock is None else lock)
        set_writable(path, True)
        manifest = path / "manifest.json"
        if manifest.is_file():
            history = durable.make_folder(path / "history")
            manifest.rename(history / f"manifest-{len(list(history.iterdir())) + 1}.json")
            durable.sync_folder(history)
            durable.sync_folder(path)
        return writer

    def put_setup(self, record: SetupRecord, epoch: int = 1) -> None:
        """Write or replace the setup record of a node."""
        folder = self.path / "setup" if epoch == 1 else self.path / "setup" / str(epoch)
        write_object(durable.make_folder(folder) / f"{record.node}.json", record)

    def put_preflight(self, record: PreflightRecord, epoch: int = 1) -> None:
        """Write the preflight; a resume's goes beside the first one."""
        name = "preflight.json" if epoch == 1 else f"history/preflight-{epoch}.json"
        durable.make_folder((self.path / name).parent)
        write_object(self.path / name, record)

    def put_lane_proof(self, proof: JsonObject) -> None:
        """Write lane.json: what the record proves of the lane."""
        write_object(self.path / "lane.json", proof)

    def put_pair(self, record: PairRecord) -> None:
        """Write pairs/<n>/pair.json."""
        write_object(self.path / "pairs" / str(record.pair) / "pair.json", record)

    def pair_folder(self) -> tuple[int, Path]:
        """Number and folder of the next launched pair; numbers are never used twice, also over a resume."""
        used = [int(sub.name) for sub in (self.path / "pairs").iterdir() if sub.name.isdigit()]
        number = max(used, default=-1) + 1
        return number, durable.make_folder(self.path / "pairs" / str(number))

    def seal(self, outcome: Outcome, ended: datetime) -> Manifest:
        """Write the manifest with every file's digest, make the folder read-only, give up the lock."""
        run = open_run(self.path)
        manifest = Manifest(
            run=self.path.name,
            experiment=run.experiment,
            status=outcome.status,
            exit=outcome.exit,
            cause=outcome.cause,
            plan_sha256=run.plan_sha256,
            parent=outcome.parent,
            started_utc=outcome.started_utc,
            ended_utc=utc_text(ended),
            epochs=outcome.epochs,
            counts=count(run.plan, [source.blocks for source in run.sample_sources()]),
            tool=outcome.tool,
            waived=list(outcome.waived),
            files=digests(self.path),
        )
        _sync_files(self.path, manifest.files)
        write_object(self.path / "manifest.json", manifest)
        set_writable(self.path, False)
        self.close()
        return manifest

    @property
    def lock(self) -> int:
        """The lock's descriptor, to hand the run over to a process that inherits it."""
        return self._lock

    def close(self) -> None:
        """Give up the lock without sealing."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def is_held(path: Path) -> bool:
    """Whether some process is writing this run now."""
    try:
        os.close(_lock(path, patience_s=0.0))
    except LabError:
        return True
    return False


def count(plan: JsonObject, finished: list[dict[int, JsonObject]]) -> Counts:
    """Planned and found, from the plan and each file's block lines; a repeated warm-up block counts once as a block."""
    blocks = plan.get("blocks", [])
    lines = [line for file in finished for line in file.values()]
    return Counts(
        blocks_planned=len(blocks),
        blocks_done=len({block for file in finished for block in file}),
        samples_planned=sum(len(block["cells"]) for block in blocks),
        samples=sum(int(line.get("samples", 0)) for line in lines),
        failed=sum(int(line.get("failed", 0)) for line in lines),
    )


def files_of(path: Path) -> list[str]:
    """Every file below a run folder but the manifest itself, relative, sorted."""
    found = (
        (Path(folder) / name).relative_to(path).as_posix() for folder, _, names_ in os.walk(path) for name in names_
    )
    return sorted(name for name in found if name != "manifest.json")


def digests(path: Path) -> dict[str, FileEntry]:
    """Size and SHA-256 of every file of a run folder."""
    return {name: digest(path / name) for name in files_of(path)}


def digest(file: Path) -> FileEntry:
    """Size and SHA-256 of one file."""
    with file.open("rb") as source:
        sha256 = hashlib.file_digest(source, "sha256").hexdigest()
        return FileEntry(bytes=os.fstat(source.fileno()).st_size, sha256=sha256)


def set_writable(path: Path, writable: bool) -> None:
    """Make a run folder read-only, or writable for its owner again."""
    for folder, _, files in os.walk(path, topdown=writable):
        for name in files:
            (Path(folder) / name).chmod(0o644 if writable else 0o444)
        Path(folder).chmod(0o755 if writable else 0o555)


def _sync_files(path: Path, files: dict[str, FileEntry]) -> None:
    """Flush what other processes wrote (logs) before the manifest says what is in it."""
    for name in files:
        descriptor = os.open(path / name, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _lock(path: Path, patience_s: float = 0.5) -> int:
    """An exclusive lock on the folder itself: no lock file to leave behind, gone when the process dies.

    Patient for a moment, because `is_held` holds it for an instant too.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    deadline = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
        except BlockingIOError:
            if time.monotonic() >= deadline:
                os.close(descriptor)
                raise LabError(
                    f"{path.name} is being written by another rdmalab",
                    advice="`status` follows it",
                    exit_code=Exit.USAGE,
                ) from None
            time.sleep(0.01)
        except OSError:
            return descriptor  # some network file systems cannot lock a folder: go on without
