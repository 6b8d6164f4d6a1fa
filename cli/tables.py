"""`tables RUN`: the report's tables alone, as markdown, CSV, JSON or Parquet."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Annotated

import typer

from cli.stored import RunArgument, StoreOption
from store.archive import run_folder
from store.errors import Exit, LabError
from store.names import default_store

FORMATS = ("md", "csv", "json", "parquet")


def tables(
    run: RunArgument,
    *,
    format_: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="md, csv, json or parquet; several with commas.")
    ] = "md",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write files there; without it, print (not parquet).")
    ] = None,
    store: StoreOption = None,
) -> int:
    """Print or write the tables of a run. Data formats have full precision and the units in the column names."""
    formats = [word.strip() for word in format_.split(",") if word.strip()]
    unknown = [word for word in formats if word not in FORMATS]
    if unknown or not formats:
        raise LabError(
            f"no table format is called {', '.join(unknown) or 'nothing'}",
            advice=f"known: {', '.join(FORMATS)}",
            exit_code=Exit.USAGE,
        )
    if "parquet" in formats and out is None:
        raise LabError("parquet is binary and needs a folder", advice="--out DIR", exit_code=Exit.USAGE)
    from reports.process import run_rendering

    path = run_folder(run, default_store(store)).absolute()
    told = run_rendering({"what": "tables", "runs": [str(path)], "formats": formats})
    files = {name: base64.b64decode(data) for name, data in told["files"].items()}
    if out is None:
        print("\n".join(data.decode() for data in files.values()), end="")
        return int(Exit.DONE)
    out.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (out / name).write_bytes(data)
        print(out / name)
    return int(Exit.DONE)
