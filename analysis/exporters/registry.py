"""The list of formats, and the one way to write a run in one of them. A new format is one file and one line in FORMATS.

Called by `cli export`. The same run gives the same bytes; nothing of the day, the machine or the folder is in them.
"""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO

from store.anonymous import anonymous_copy
from store.archive import write_archive
from store.errors import Exit, LabError
from store.names import ARCHIVE_SUFFIX


@dataclass(frozen=True)
class Format:
    """suffix: of the file's name; binary: not for a terminal; write: the run folder's content into an open file."""

    suffix: str
    binary: bool
    write: Callable[[Path, IO[bytes]], None]


def _google(run: Path, out: IO[bytes]) -> None:
    from analysis.exporters.exported import open_exported
    from analysis.exporters.google_benchmark import write

    write(open_exported(run), out)


def _go(run: Path, out: IO[bytes]) -> None:
    from analysis.exporters.exported import open_exported
    from analysis.exporters.go_benchmark import write

    write(open_exported(run), out)


def _csv(run: Path, out: IO[bytes]) -> None:
    from analysis.exporters.exported import open_exported
    from analysis.exporters.sample_table import write_csv

    write_csv(open_exported(run), out)


def _parquet(run: Path, out: IO[bytes]) -> None:
    from analysis.exporters.exported import open_exported
    from analysis.exporters.sample_table import write_parquet

    write_parquet(open_exported(run), out)


FORMATS: Mapping[str, Format] = MappingProxyType({
    "google-benchmark": Format(".benchmark.json", False, _google),
    "go-benchmark": Format(".benchmark.txt", False, _go),
    "csv": Format(".csv", False, _csv),
    "parquet": Format(".parquet", True, _parquet),
    "archive": Format(ARCHIVE_SUFFIX, True, write_archive),
})  # fmt: skip


def format_of(name: str) -> Format:
    """The format of that name. LabError (exit 2) with the nearest for another."""
    if name not in FORMATS:
        near = difflib.get_close_matches(name, FORMATS, n=1, cutoff=0.4)
        guess = f"did you mean {near[0]}? " if near else ""
        raise LabError(
            f"no format is called {name!r}", advice=f"{guess}known: {', '.join(FORMATS)}", exit_code=Exit.USAGE
        )
    return FORMATS[name]


def export_run(run: Path, format_: str, out: IO[bytes], *, anonymous: bool = False) -> None:
    """Write the run of a folder into an open binary file; anonymous: without names of machines and people."""
    chosen = format_of(format_)
    if not anonymous:
        chosen.write(run, out)
        return
    with tempfile.TemporaryDirectory(prefix="rdmalab-anonymous-") as folder:
        chosen.write(anonymous_copy(run, Path(folder)), out)
