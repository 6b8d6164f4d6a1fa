"""Seals a run with what its pairs came to. Used by experiments.run_experiment at the end of a run and of a resume."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from experiments.run_pairs import PairsEnd
from experiments.run_prepare import unmet
from experiments.tool_version import tool_version
from store.errors import Exit
from store.records import Manifest, RunStatus
from store.run import open_run
from store.write import Outcome, RunWriter, utc_text


def seal(writer: RunWriter, end: PairsEnd, waived: Sequence[str]) -> Manifest:
    """Seal a run with what its pairs came to: done only when no block is missing, none failed, nothing went wrong.

    What its first preflight found unmet stays waived, also where a resume found it met: those samples are in it too.
    """
    run = open_run(writer.path)
    failed = any(line.get("failed") for source in run.sample_sources() for line in source.blocks.values())
    exit_code = end.exit
    if exit_code is Exit.DONE and (failed or run.missing_blocks):
        exit_code = Exit.FAILED
    cause = end.cause or ("some samples failed" if failed else None)
    statuses: dict[Exit, RunStatus] = {Exit.DONE: "done", Exit.INTERRUPTED: "interrupted"}
    outcome = Outcome(
        status=statuses.get(exit_code, "failed"),
        exit=int(exit_code),
        cause=cause,
        parent=run.origin.parent if run.origin else None,
        started_utc=run.origin.started_utc if run.origin else utc_text(datetime.now(UTC)),
        tool=tool_version(),
        waived=tuple(dict.fromkeys((*(unmet(run.preflight, run.plan) if run.preflight else ()), *waived))),
        epochs=max(run.setups, default=1),
    )
    return writer.seal(outcome, datetime.now(UTC))
