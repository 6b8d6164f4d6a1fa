"""Runs one pair: starts owner and consumer, passes on progress, keeps every deadline, ends both, judges the end.

Called by experiments.run_experiment once per launched pair. Whatever happens, both processes are gone and their logs
are in the pair's folder when `run_pair` returns; what they finished is on disk.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from experiments.children import Child
from experiments.engine_command import Deadlines, Role, Side, engine_command, engine_path
from experiments.interrupts import Interrupts
from experiments.launchers.base import Command, Launcher
from experiments.pair_end import PairEnd, SideEnd, judge, read_status
from experiments.pair_vigil import Progress, Vigil
from experiments.seen_environment import seen_otherwise
from store.durable import make_folder
from store.errors import Exit, LabError
from store.records import PairRecord, ProcessRecord
from store.write import utc_text

LOG_TAIL_BYTES = 8192
TRANSPORT_TIMEOUT_S = 120.0  # to bring files to a node or back


@dataclass(frozen=True)
class PairOrder:
    """What one launched pair is to do. `exchange` is `dir`, or the engine's own `tcp:HOST:PORT`."""

    pair: int
    planned_pair: int
    folder: Path
    plan_file: Path
    blocks: Sequence[int]
    owner: Side
    consumer: Side
    lane_env: dict[str, str]
    deadlines: Deadlines
    exchange: str = "dir"
    epoch: int = 1
    repeated_warmup: Sequence[int] = ()

    @property
    def sides(self) -> tuple[Side, Side]:
        """Owner and consumer, in the order in which they start."""
        return (self.owner, self.consumer)


def run_pair(order: PairOrder, launcher: Launcher, stop: Interrupts, watch: Callable[[Progress], None]) -> PairRecord:
    """Run one pair to its end, whatever that is; the record says how it ended. The folder must be new and empty.

    Raises LabError only for what is not about the pair: no engine, a full disk on this machine, a node that cannot be
    prepared.
    """
    started = datetime.now(UTC)
    if order.exchange == "dir":
        make_folder(order.folder / "exchange")
    commands = _commands(order, launcher)
    for side in order.sides:
        prepare_node(launcher, side.node, order)
    with contextlib.ExitStack() as running:
        children = {side.role: running.enter_context(_start(order, side, commands, launcher)) for side in order.sides}
        vigil = Vigil(children["owner"], children["consumer"], order.deadlines, stop, watch)
        vigil.keep()
    lost_files = "; ".join(
        collect_node(launcher, node, order.folder) for node in dict.fromkeys(s.node for s in order.sides)
    )
    shutil.rmtree(order.folder / "exchange", ignore_errors=True)
    ends = {side.role: _side_end(order, side, children[side.role], launcher) for side in order.sides}
    end_line = read_end_line(order.folder / "samples.jsonl")
    end = judge(
        ends["owner"], ends["consumer"], end_line=end_line, interrupted=vigil.interrupted, overdue=vigil.overdue
    )
    end = _with_details(end, vigil.stopped, lost_files.strip("; "))
    end = _with_environment(end, order, commands)
    owner, consumer = (
        ProcessRecord(
            argv=list(commands[side.role].argv),
            node=side.node,
            env=dict(commands[side.role].env),
            exit=ends[side.role].exit,
            signal=ends[side.role].signal,
            ended_utc=children[side.role].ended_utc,
        )
        for side in order.sides
    )
    return PairRecord(
        pair=order.pair,
        planned_pair=order.planned_pair,
        epoch=order.epoch,
        blocks=list(order.blocks),
        repeated_warmup=list(order.repeated_warmup),
        started_utc=utc_text(started),
        ended_utc=utc_text(datetime.now(UTC)),
        owner=owner,
        consumer=consumer,
        cause=end.cause,
        exit=int(end.exit),
    )


def _with_environment(end: PairEnd, order: PairOrder, commands: Mapping[Role, Command]) -> PairEnd:
    """Exit 3 where an engine saw another UCX_* environment than it was given, unless the pair failed before that."""
    if end.exit not in (Exit.DONE, Exit.FAILED):
        return end
    for side in order.sides:
        differing = seen_otherwise(commands[side.role].env, _description(order.folder / f"{side.role}.json"))
        if differing:
            text = f"the {side.role} on {side.node} saw another environment than it was given: {', '.join(differing)}"
            return PairEnd(Exit.WRONG_LANE, text)
    return end


def _description(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def read_end_line(samples: Path) -> dict[str, Any] | None:
    """The kind=end line of a samples.jsonl if its last line is one; None otherwise."""
    last = tail(samples).rstrip("\n").rpartition("\n")[2]
    try:
        line = json.loads(last)
    except ValueError:
        return None
    return line if isinstance(line, dict) and line.get("kind") == "end" else None


def tail(path: Path, size: int = LOG_TAIL_BYTES) -> str:
    """The last `size` bytes of a text file; empty when there is none."""
    try:
        with path.open("rb") as source:
            source.seek(0, 2)
            source.seek(max(0, source.tell() - size))
            return source.read().decode("utf-8", errors="replace")
    except OSError:
        return ""


def _commands(order: PairOrder, launcher: Launcher) -> dict[Role, Command]:
    token = secrets.token_hex(16)

    def command(side: Side) -> Command:
        out = launcher.path_on(side.node, order.folder)
        return engine_command(
            side,
            engine=side.engine or launcher.path_on(side.node, engine_path()),
            plan=launcher.path_on(side.node, order.plan_file),
            out=out,
            exchange=f"dir:{out}/exchange" if order.exchange == "dir" else order.exchange,
            token=token,
            pair=order.pair,
            blocks=order.blocks,
            lane_env=order.lane_env,
        )

    return {side.role: command(side) for side in order.sides}


def _start(order: PairOrder, side: Side, commands: dict[Role, Command], launcher: Launcher) -> Child:
    return Child.start(
        launcher.start(commands[side.role], side.node),
        log=order.folder / f"{side.role}.log",
        read_output=side.role == "consumer",
        ends_by=launcher.ends_by,
    )


def prepare_node(launcher: Launcher, node: str, order: PairOrder) -> None:
    """Make the pair's folder on a node and bring the plan there. LabError (exit 5) when that cannot be done."""
    for argv in launcher.before(node, order.folder, [order.plan_file]):
        problem = _run(argv)
        if problem:
            raise LabError(f"node {node} cannot be prepared: {problem}", exit_code=Exit.CANNOT_RUN)


def collect_node(launcher: Launcher, node: str, folder: Path) -> str:
    """Bring the pair's folder back from a node; what went wrong, or nothing."""
    problems = [problem for argv in launcher.after(node, folder) if (problem := _run(argv))]
    return f"files of node {node} did not come back: {'; '.join(problems)}" if problems else ""


def _run(argv: list[str]) -> str | None:
    """Run one of the launcher's own commands; what went wrong, or None. In its own session: Ctrl-C is not for it."""
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=TRANSPORT_TIMEOUT_S,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        return f"{argv[0]} took longer than {TRANSPORT_TIMEOUT_S:.0f} s"
    except OSError as error:
        return f"{argv[0]}: {error.strerror}"
    if done.returncode == 0:
        return None
    return done.stderr.strip().rpartition("\n")[2] or f"{argv[0]} ended with exit code {done.returncode}"


def _side_end(order: PairOrder, side: Side, child: Child, launcher: Launcher) -> SideEnd:
    hangs = child.process.returncode is None
    exit_code, signal = (None, None) if hangs else read_status(child.process.returncode)
    lost = launcher.lost(side.node, exit_code) if exit_code is not None else None
    if hangs:
        lost = f"process {child.process.pid} on {side.node} hangs inside the kernel and cannot be killed; see its dmesg"
    return SideEnd(
        role=side.role,
        exit=exit_code,
        signal=signal,
        ended_s=child.ended_at or 0.0,
        asked=child.asked_to_end and not hangs,
        log_tail=tail(order.folder / f"{side.role}.ucx.log") + tail(order.folder / f"{side.role}.log"),
        lost=lost,
    )


def _with_details(end: PairEnd, stopped: str | None, lost_files: str) -> PairEnd:
    """The verdict with what else is known: a process that someone had stopped, files that a node did not give back."""
    cause, code = end.cause, end.exit
    if code is Exit.PEER_LOST and stopped:
        cause = f"{cause} ({stopped})"
    if lost_files:
        cause = f"{cause}; {lost_files}" if cause else lost_files
        code = Exit.PEER_LOST if code is Exit.DONE else code
    return PairEnd(code, cause)
