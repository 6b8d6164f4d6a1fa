"""`import FORMAT FILE`: another tool's results as a read-only run of kind `imported`, with the file kept in it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from cli.stored import StoreOption
from experiments.imports import importable, read_for_import
from experiments.tool_version import tool_version
from store.errors import Exit, LabError
from store.figures import store_import
from store.names import default_store

_MOST_BYTES = 256 << 20


def import_file(
    format_: Annotated[str, typer.Argument(metavar="FORMAT", help=f"{', '.join(importable())}, or auto.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Its saved output.")],
    store: StoreOption = None,
) -> int:
    """Store another tool's results as a read-only run; the last line on stdout is its folder."""
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise LabError(f"{file}: larger than {_MOST_BYTES >> 20} MiB", exit_code=Exit.USAGE)
        data = file.read_bytes()
    except OSError as error:
        known = ", ".join(importable())
        raise LabError(f"{file}: {error.strerror}", advice=f"formats: {known}", exit_code=Exit.USAGE) from error
    record, rows = read_for_import(format_, file.name, data)
    print(
        store_import(
            default_store(store),
            record=record,
            rows=rows,
            originals={file.name: data},
            moment=datetime.now(UTC),
            tool=tool_version(),
        )
    )
    return int(Exit.DONE)
