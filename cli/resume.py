"""`resume RUN`: runs the missing blocks of a run with new pairs, then seals and reports it as `run` does."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from cli.run_endings import conclude
from cli.run_lines import preflight_line
from cli.stored import ReportOption, RunArgument, StoreOption
from experiments.interrupts import Interrupts
from experiments.progress import step
from experiments.run_experiment import begin_again, carry_out
from store.names import default_store, find_run
from store.run import open_run


def resume(
    run: RunArgument,
    *,
    retry: Annotated[
        int, typer.Option("--retry", metavar="N", min=0, help="How often a lost pair is started again.")
    ] = 0,
    allow_unmet: Annotated[
        bool, typer.Option("--allow-unmet", help="Go on although a requirement does not hold; reports say so.")
    ] = False,
    store: StoreOption = None,
    report: ReportOption = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="The manifest as one line on stdout, before the folder.")
    ] = False,
    lock: Annotated[
        int | None, typer.Option("--lock", hidden=True, help="The inherited lock of a detached run.")
    ] = None,
) -> int:
    """Run the missing blocks of a run, with new pairs; a changed setup starts a new epoch of it."""
    path = find_run(run, default_store(store))
    if lock is not None:
        os.dup(lock)  # held until this process ends, so that `status` also waits for the report
    with Interrupts(at_once=True) as stop:
        begun = begin_again(path, step, retry=retry, allow_unmet=allow_unmet, lock=lock)
        if begun is not None:
            planned = begun.ready.planned
            step("preflight", preflight_line(begun.ready.preflight, planned.site_name, planned.lane_name))
            carry_out(begun, stop, step)
    manifest = open_run(path).manifest
    assert manifest is not None, "begin_again seals what has no missing block, carry_out seals the rest"
    if begun is None:
        step("resume", "nothing is missing")
    return conclude(path, manifest, report=report, as_json=as_json)
