"""Runs the pairs for every missing block of a run, in planned order, and says how that ended.

Called by experiments.run_experiment for a first run and for a resume. A lost pair is started again as often as
`retry` allows; what cannot get better by going on (wrong lane, bad plan, cannot run here, an interrupt) ends the run.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from experiments.engine_command import Side, deadlines_for
from experiments.engine_pair import PairOrder, run_pair
from experiments.interrupts import Interrupts
from experiments.launchers.base import Launcher
from experiments.pair_plan import LaunchedPair, pairs_to_launch, samples_in
from experiments.pair_vigil import Progress
from experiments.peer_pair import PeerOrder, run_peer_pair
from experiments.planner import digest
from store.errors import Exit
from store.records import PairRecord
from store.run import open_run
from store.sample_files import open_source
from store.write import RunWriter

EXCHANGE_PORTS = range(20_001, 30_000)  # below the ports that kernels hand out by themselves


class Reporter(Protocol):
    """Whoever shows progress; `experiments.progress.RunProgress` is one."""

    def __call__(self, progress: Progress) -> None: ...
    def pair_done(self, samples: int) -> None: ...
    def note(self, label: str, text: str) -> None: ...


@dataclass(frozen=True)
class PairsEnd:
    """How the pairs of a run ended: the tool's exit code, the cause in one line, and whether any sample failed."""

    exit: Exit
    cause: str | None = None


@dataclass(frozen=True)
class PairsOrder:
    """What all pairs of a run have in common."""

    plan: Mapping[str, Any]
    owner: Side
    consumer: Side
    exchange: str
    estimate_s: float
    epoch: int = 1
    retry: int = 0


def run_missing(
    writer: RunWriter, order: PairsOrder, launcher: Launcher, stop: Interrupts, reporter: Reporter
) -> PairsEnd:
    """Launch pairs until no block is missing or going on is of no use. LabError: see run_pair."""
    retries_left = order.retry
    first_failure: PairsEnd | None = None
    missing = open_run(writer.path).missing_blocks
    while missing:
        launched = pairs_to_launch(order.plan, missing)[0]
        if stop.requested:
            return PairsEnd(Exit.INTERRUPTED, f"interrupted by {stop.requested.name}")
        record = _run_one(writer, order, launched, launcher=launcher, stop=stop, reporter=reporter)
        finished = _finished(writer, record.pair)
        missing = [block for block in missing if block not in finished]
        reporter.pair_done(samples_in(order.plan, finished))
        complete = finished.issuperset(launched.blocks)
        if record.exit == Exit.DONE and complete:
            continue
        failure = PairsEnd(_known(record.exit), f"pair {record.pair}: {record.cause}")
        if record.exit == Exit.DONE:
            failure = PairsEnd(Exit.FAILED, f"pair {record.pair} ended well, but not all its blocks are there")
        reporter.note("pair", f"{record.pair} ended with exit code {int(failure.exit)}: {record.cause}")
        if failure.exit is Exit.PEER_LOST and not complete and retries_left > 0:
            retries_left -= 1
            reporter.note("retry", f"the missing blocks run again with a new pair, {retries_left} retries left")
            continue
        first_failure = first_failure or failure
        if failure.exit in (Exit.FAILED, Exit.PEER_LOST) and complete:
            continue  # all its blocks are there: failed samples are data, and the next pair can do better
        return failure
    return first_failure or PairsEnd(Exit.DONE)


def _run_one(
    writer: RunWriter,
    order: PairsOrder,
    launched: LaunchedPair,
    *,
    launcher: Launcher,
    stop: Interrupts,
    reporter: Reporter,
) -> PairRecord:
    number, folder = writer.pair_folder()
    exchange = order.exchange
    if exchange == "tcp":
        exchange = f"tcp:{order.owner.address}:{secrets.choice(EXCHANGE_PORTS)}"
    pair_order = PairOrder(
        pair=number,
        planned_pair=launched.planned_pair,
        folder=folder,
        plan_file=writer.path / "plan.json",
        blocks=launched.blocks,
        owner=order.owner,
        consumer=order.consumer,
        lane_env=dict(order.plan["lane"]["env"]),
        deadlines=deadlines_for(order.plan, len(launched.blocks), order.estimate_s, launcher.allowance_s),
        exchange=exchange,
        epoch=order.epoch,
        repeated_warmup=launched.repeated_warmup,
    )
    tool = order.plan["blocks"][launched.blocks[0]].get("peer")
    if tool is None:
        record = run_pair(pair_order, launcher, stop, reporter)
    else:
        peer = PeerOrder(pair_order, order.plan, digest(order.plan), tool)
        record = run_peer_pair(peer, launcher, stop, reporter)
    writer.put_pair(record)
    return record


def _finished(writer: RunWriter, pair: int) -> frozenset[int]:
    relative = f"pairs/{pair}/samples.jsonl"
    return open_source(writer.path / relative, relative, pair).finished


def _known(code: int) -> Exit:
    return Exit(code) if code in set(Exit) else Exit.FAILED
