"""`status RUN`: how far a run is. Follows one that is still going on to its end, and ends with that run's exit code."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from cli.detaching import log_of
from cli.run_endings import shown
from cli.run_lines import ended_line
from cli.stored import RunArgument, StoreOption
from experiments.progress import left, step
from store.errors import Exit
from store.names import default_store, find_run
from store.run import open_run
from store.write import is_held

POLL_S = 0.5
TOLD_STEPS = ("verified", "answer", "caveats", "report")


@dataclass(frozen=True)
class Status:
    """A run at one moment. `state` is a manifest's status, `running`, or `abandoned`: unsealed and nobody writes it."""

    run: str
    state: str
    blocks_done: int
    blocks_planned: int
    elapsed_s: float
    exit: int | None
    cause: str | None

    @property
    def line(self) -> str:
        """`12/20 blocks  0:00:21 left`."""
        time_left = left(self.elapsed_s, self.blocks_done, self.blocks_planned)
        return (
            f"{self.blocks_done}/{self.blocks_planned} blocks  {time_left if self.state == 'running' else self.state}"
        )


def status(
    run: RunArgument,
    once: Annotated[bool, typer.Option("--once", help="Only say how it stands now; exit 0.")] = False,
    store: StoreOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="How it stands now, as JSON; implies --once.")] = False,
) -> int:
    """Say how far a run is; follow it to its end while it goes on, and end with its exit code."""
    path = find_run(run, default_store(store))
    now = look(path)
    if as_json:
        print(json.dumps(asdict(now)))
        return Exit.DONE
    if not once:
        now = follow(path, now, lambda seen: step("running", seen.line))
    return tell(path, now, only_now=once)


def look(path: Path) -> Status:
    """The status of a run now."""
    held = is_held(path)  # before reading: a run that is sealed in between is then still seen as running
    run = open_run(path)
    planned = len(run.plan.get("blocks", []))
    state = "running" if held else run.state if run.manifest else "abandoned"
    started = datetime.fromisoformat(run.origin.started_utc) if run.origin else datetime.now(UTC)
    return Status(
        run=run.name,
        state=state,
        blocks_done=planned - len(run.missing_blocks),
        blocks_planned=planned,
        elapsed_s=(datetime.now(UTC) - started).total_seconds(),
        exit=run.manifest.exit if run.manifest else None,
        cause=run.manifest.cause if run.manifest else None,
    )


def follow(path: Path, now: Status, watch: Callable[[Status], None]) -> Status:
    """Look again until nobody writes the run any more; `watch` gets each status in which a block was finished."""
    told = -1
    while now.state == "running":
        if now.blocks_done != told:
            told = now.blocks_done
            watch(now)
        time.sleep(POLL_S)
        now = look(path)
    return now


def tell(path: Path, now: Status, *, only_now: bool) -> int:
    """The last lines of a status, and the exit code."""
    step("status", f"{now.run}  {now.line}")
    if now.state == "abandoned":
        for line in _lines(log_of(path))[-1:]:
            step("log", line)
        step("resume", f"its tool died; ./rdmalab resume {now.run}   runs the missing blocks")
    manifest = open_run(path).manifest
    if manifest is not None and now.state != "running":
        for label, text in _answers(log_of(path)):
            step(label, text)
        if manifest.exit != Exit.DONE:
            step("ended", ended_line(manifest))
    print(shown(path), flush=True)
    if only_now:
        return Exit.DONE
    return Exit.FAILED if now.exit is None else now.exit


def _lines(log: Path) -> list[str]:
    """The lines of a detached run's log that are not empty; none where there is no log."""
    try:
        return [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    except OSError:
        return []


def _answers(log: Path) -> list[tuple[str, str]]:
    """Those that carry its result."""
    split = [line.partition(" ") for line in _lines(log)]
    return [(label, text.strip()) for label, _, text in split if label in TOLD_STEPS]
