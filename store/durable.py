"""Writes that survive a crash: temporary name, fsync, rename, fsync of the folder. Used by what writes a run.

A reader sees the old file, or the new one, whole; never a half. A full disk is one clear error that names the file.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from store.errors import Exit, LabError


def write_file(path: Path, data: bytes) -> None:
    """Write `data` to `path` so that after a crash at any instant the file is the old one or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise cannot_write(path, error) from error


def append_line(path: Path, line: str) -> None:
    """Add one line to `path` and flush it to disk; a line that did not get there whole is cut off by readers."""
    try:
        with path.open("ab") as out:
            out.write(line.encode() + b"\n")
            out.flush()
            os.fsync(out.fileno())
        sync_folder(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error


def make_folder(path: Path) -> Path:
    """Create `path` and what is missing above it; durable, and no error where it exists."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    return path


def sync_folder(path: Path) -> None:
    """Make names created in or removed from `path` durable. File systems that cannot do it are left alone."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems have no folder fsync
            raise
    finally:
        os.close(descriptor)


def cannot_write(path: Path, error: OSError) -> LabError:
    """The one wording for a write that failed, with what to do about the usual causes."""
    advice = {
        errno.ENOSPC: "free some space there, or name another folder with --store; finished blocks are kept",
        errno.EDQUOT: "the quota there is used up; name another folder with --store; finished blocks are kept",
        errno.EROFS: "that file system is read-only; name another folder with --store",
        errno.EACCES: "no permission there; name another folder with --store",
    }.get(error.errno or 0)
    reason = "disk full" if error.errno == errno.ENOSPC else (error.strerror or str(error))
    return LabError(f"cannot write {path}: {reason}", advice=advice, exit_code=Exit.FAILED)
