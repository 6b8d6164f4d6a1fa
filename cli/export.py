"""`export RUN FORMAT`: a run as another tool's file, or as one archive that `audit` and `report` read directly."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from cli.stored import RunArgument, StoreOption
from store.durable import cannot_write
from store.errors import Exit, LabError
from store.names import default_store


def export(
    run: RunArgument,
    format_: Annotated[
        str, typer.Argument(metavar="FORMAT", help="google-benchmark, go-benchmark, csv, parquet or archive.")
    ],
    *,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The file; default: RUN's name here; - is stdout.")
    ] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Pseudonyms for hosts, users, addresses, GUIDs and paths.")
    ] = False,
    store: StoreOption = None,
) -> int:
    """Write a run in another format; the same run gives the same bytes. The last line on stdout is the file."""
    from analysis.exporters import export_run
    from analysis.exporters.registry import format_of
    from store.archive import run_folder

    chosen = format_of(format_)
    path = run_folder(run, default_store(store))
    if out is not None and str(out) == "-":
        if chosen.binary and sys.stdout.isatty():
            raise LabError(f"{format_} is binary", advice="--out FILE, or a pipe", exit_code=Exit.USAGE)
        export_run(path, format_, sys.stdout.buffer, anonymous=anonymous)
        return int(Exit.DONE)
    place = out if out is not None else Path(f"{path.name}{'-anonymous' if anonymous else ''}{chosen.suffix}")
    if place.is_dir():
        raise LabError(f"{place} is a folder", advice="--out FILE", exit_code=Exit.USAGE)
    try:
        _write(path, format_, place, anonymous=anonymous)
    except OSError as error:
        raise cannot_write(place, error) from error
    print(place)
    return int(Exit.DONE)


def _write(path: Path, format_: str, place: Path, *, anonymous: bool) -> None:
    """The file appears under its name only when it is whole."""
    from analysis.exporters import export_run

    handle, temporary = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            export_run(path, format_, out, anonymous=anonymous)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(place)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
