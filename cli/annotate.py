"""`annotate RUN --withdrawn WHY`: says beside a run, never in it, that its conclusions are taken back."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from cli.stored import RunArgument, StoreOption
from store.annotations import annotate as add_annotation
from store.annotations import annotations_file
from store.errors import Exit, LabError
from store.names import default_store, find_run


def annotate(
    run: RunArgument,
    *,
    withdrawn: Annotated[
        str | None, typer.Option("--withdrawn", metavar="WHY", help="Why nothing may be concluded from this run.")
    ] = None,
    store: StoreOption = None,
) -> int:
    """Mark a run as withdrawn. The run stays as it is; `list --runs`, audits and new reports show the reason."""
    path = find_run(run, default_store(store))
    if withdrawn is None:
        raise LabError("annotate with what?", advice="--withdrawn WHY", exit_code=Exit.USAGE)
    add_annotation(path, "withdrawn", withdrawn, datetime.now(UTC))
    print(f"a report that was rendered before does not show it yet: ./rdmalab report {path.name}", file=sys.stderr)
    print(annotations_file(path))
    return int(Exit.DONE)
