"""`export RUN FORMAT`: a run in the format of another tool, or as one archive."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cli.stored import RunArgument, StoreOption
from store.archive import run_folder, write_archive
from store.errors import Exit, LabError
from store.names import ARCHIVE_SUFFIX, default_store

ARCHIVE = "archive"
FORMATS = ("google-benchmark", "go-benchmark", "csv", "parquet", ARCHIVE)
TEXTS = ("json", "txt", "csv")


def export(
    run: RunArgument,
    format_: Annotated[str, typer.Argument(metavar="FORMAT", help=f"One of {', '.join(FORMATS)}.")],
    *,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Default: stdout for text, a file here for the others.")
    ] = None,
    store: StoreOption = None,
) -> int:
    """Write a run for another tool. The same run gives the same bytes."""
    if format_ not in FORMATS:
        raise LabError(
            f"no export format is called {format_!r}", advice=f"known: {', '.join(FORMATS)}", exit_code=Exit.USAGE
        )
    path = run_folder(run, default_store(store))
    if format_ == ARCHIVE:
        file = out if out is not None else Path(f"{path.name}{ARCHIVE_SUFFIX}")
        with file.open("wb") as place:
            write_archive(path, place)
        print(file)
        return int(Exit.DONE)
    from analysis.exporters import FORMATS as makers
    from analysis.study import Study

    ending, make = makers[format_]
    data = make(Study.of_runs([path]))
    if out is None and ending in TEXTS:
        sys.stdout.buffer.write(data)
        return int(Exit.DONE)
    file = out if out is not None else Path(f"{path.name}.{ending}")
    file.write_bytes(data)
    print(file)
    return int(Exit.DONE)
