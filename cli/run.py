"""`run NAME|FILE`: preflight, run, store, report. stdout carries the run folder, everything else is on stderr."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cli.detaching import detach_run
from cli.refining import child_request
from cli.resolving import LaneOption, SetOption, SiteOption
from cli.run_endings import conclude
from cli.run_lines import plan_line, preflight_line
from cli.stored import ReportOption, StoreOption
from experiments.interrupts import Interrupts
from experiments.progress import step
from experiments.run_experiment import begin, carry_out
from experiments.run_prepare import RunRequest, plan_of
from store.errors import Exit, LabError
from store.names import default_store, find_run
from store.records import Manifest


def run(
    name: Annotated[str | None, typer.Argument(metavar="NAME|FILE", help="An experiment, or any YAML file.")] = None,
    *,
    site: SiteOption = None,
    lane: LaneOption = None,
    set_: SetOption = None,
    like: Annotated[
        str | None, typer.Option("--like", metavar="RUN", help="Repeat a stored run's plan and seed on its own site.")
    ] = None,
    retry: Annotated[
        int, typer.Option("--retry", metavar="N", min=0, help="How often a lost pair is started again.")
    ] = 0,
    detach: Annotated[bool, typer.Option("--detach", help="Go on in the background; `status` follows.")] = False,
    refine: Annotated[
        bool,
        typer.Option("--refine", help="Then a child run with sizes inside each crossover bracket that is too wide."),
    ] = False,
    store: StoreOption = None,
    report: ReportOption = True,
    allow_unmet: Annotated[
        bool, typer.Option("--allow-unmet", help="Run although a requirement does not hold; reports say so.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="The manifest as one line on stdout, before the folder.")
    ] = False,
) -> int:
    """Run an experiment end to end: preflight, pairs, store, report. The last line on stdout is the run folder."""
    if refine and detach:
        raise LabError("--refine waits for the run, --detach does not", exit_code=Exit.USAGE)
    if refine and like:
        raise LabError("--refine changes an experiment's sizes, --like repeats a run as it is", exit_code=Exit.USAGE)
    folder = default_store(store)
    request = RunRequest(
        experiment=name,
        like=find_run(like, folder) if like else None,
        site=site,
        lane=lane,
        overrides=tuple(set_ or ()),
        allow_unmet=allow_unmet,
        retry=retry,
        command=sys.argv[1:],
    )
    done = _one_run(request, folder, detach=detach, report=report)
    if isinstance(done, int):
        return done
    path, manifest = done
    if refine and manifest.exit == Exit.DONE and (child := child_request(path, request)) is not None:
        conclude(path, manifest, report=report, show_folder=False)
        finished = _one_run(child, folder, detach=False, report=report)
        assert not isinstance(finished, int)
        return conclude(*finished, report=report, as_json=as_json, refined=path)
    return conclude(path, manifest, report=report, as_json=as_json)


def _one_run(request: RunRequest, store: Path, *, detach: bool, report: bool) -> tuple[Path, Manifest] | int:
    """Plan, preflight and carry out one request: the sealed run, or the exit code of a detached one."""
    planned = plan_of(request)
    step("plan", plan_line(planned))
    with Interrupts(at_once=True) as stop:
        begun = begin(planned, request, store, step)
        step("preflight", preflight_line(begun.ready.preflight, begun.ready.planned.site_name, planned.lane_name))
        if detach:
            return detach_run(begun, report=report)
        return begun.writer.path, carry_out(begun, stop, step)
