"""Runs a peer tool for one block, as a pair of its own: per cell the tool's server on the owner's node and its client
on the consumer's, and writes what they printed as samples.

Called by experiments.run_pairs between the engine's pairs. Whatever happens, both processes are gone and their output
is in the pair's folder when `run_peer_pair` returns. A cell that failed is a sample with its error.
"""

from __future__ import annotations

import json
import secrets
import selectors
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from experiments.children import Child
from experiments.config_rules import CONNECT_VARIABLE
from experiments.engine_command import Role, Side
from experiments.engine_pair import PairOrder, collect_node, prepare_node, tail
from experiments.interrupts import Interrupts
from experiments.launchers.base import Command, Launcher
from experiments.pair_end import read_status
from experiments.pair_vigil import Progress
from experiments.peer_commands import PeerCell, result_of, tool_argv
from experiments.places import UCX_RUN_TIMES
from store.durable import write_file
from store.errors import Exit
from store.records import PairRecord, ProcessRecord
from store.write import utc_text

PORTS: Final = range(20_001, 30_000)
CONNECT_S: Final = 30.0  # until the server listens: the client is started again as long as nobody answers
AGAIN_S: Final = 0.2
ATTEMPTS: Final = 3
PERFTEST_FOLDER: Final = "/usr/bin"
UCX_PERFTEST_FOLDER: Final = UCX_RUN_TIMES / "1.22.0" / "bin"
"""The 1.22 program on the engine's library: older ones let their passive side look once per millisecond."""


@dataclass(frozen=True)
class PeerOrder:
    """What one block of a peer tool is to do; `pair` as for the engine's pairs."""

    pair: PairOrder
    plan: Mapping[str, Any]
    plan_sha256: str
    tool: str

    @property
    def block(self) -> int:
        """The one block of the pair."""
        return self.pair.blocks[0]


@dataclass(frozen=True)
class _Ended:
    """Both processes of one cell: the client's output, and what went wrong, if anything."""

    text: str
    problem: str | None
    interrupted: bool = False


def run_peer_pair(
    order: PeerOrder, launcher: Launcher, stop: Interrupts, watch: Callable[[Progress], None]
) -> PairRecord:
    """Run every cell of the block. Raises LabError only for what is not about the pair."""
    started = datetime.now(UTC)
    cells = order.plan["blocks"][order.block]["cells"]
    samples: list[dict[str, Any]] = []
    commands: dict[Role, Command] = {}
    start_ns = time.monotonic_ns()
    interrupted = False
    nodes = list(dict.fromkeys(side.node for side in order.pair.sides))
    for node in nodes:
        prepare_node(launcher, node, order.pair)
    for done, cell in enumerate(cells):
        ended, begun_utc_ns = _Ended("", "not started"), time.time_ns()
        if not interrupted:
            commands = _commands(order, cell, launcher)
            ended = _run_until_measured(order, cell, commands, launcher=launcher, stop=stop)
            interrupted = ended.interrupted
        if interrupted:
            break
        samples.append(_sample(order, cell, done, ended, begun_utc_ns))
        watch(Progress(done=done + 1, of=len(cells), block=order.block, cell=cell))
    for node in nodes:
        collect_node(launcher, node, order.pair.folder)
    _write_samples(order, samples, time.monotonic_ns() - start_ns, complete=not interrupted)
    failed = [sample for sample in samples if sample["error"] is not None]
    exit_code = Exit.INTERRUPTED if interrupted else Exit.FAILED if failed else Exit.DONE
    cause = "interrupted" if interrupted else failed[0]["error"]["text"] if failed else None
    ended_utc = utc_text(datetime.now(UTC))
    owner, consumer = (
        ProcessRecord(
            argv=list(commands[side.role].argv) if commands else [order.tool],
            node=side.node,
            env=dict(commands[side.role].env) if commands else {},
            exit=int(exit_code),
            signal=None,
            ended_utc=ended_utc,
        )
        for side in order.pair.sides
    )
    return PairRecord(
        pair=order.pair.pair,
        planned_pair=order.pair.planned_pair,
        epoch=order.pair.epoch,
        blocks=list(order.pair.blocks),
        repeated_warmup=[],
        started_utc=utc_text(started),
        ended_utc=ended_utc,
        owner=owner,
        consumer=consumer,
        cause=f"{order.tool}: {cause}" if cause else None,
        exit=int(exit_code),
    )


def _peer_cell(order: PeerOrder, cell: int, side: Side) -> PeerCell:
    planned = order.plan["cells"][cell]
    return PeerCell(
        arm=order.plan["arms"][planned["arm"]],
        size=planned["size"],
        window=planned["window"],
        device=side.env.get("RDMALAB_DEVICE"),
        gid_index=side.env.get("RDMALAB_GID_INDEX"),
        error_handling=order.plan["lane"]["error_handling"] == "peer",
        rdmacm=order.plan["lane"]["env"].get(CONNECT_VARIABLE) == "rdmacm",
    )


def _commands(order: PeerOrder, cell: int, launcher: Launcher) -> dict[Role, Command]:
    port = secrets.choice(PORTS)
    found: dict[Role, Command] = {}
    for side in order.pair.sides:
        server = None if side.role == "owner" else order.pair.owner.address
        argv = tool_argv(_peer_cell(order, cell, side), port, server)
        folder = PERFTEST_FOLDER if order.tool == "perftest" else launcher.path_on(side.node, UCX_PERFTEST_FOLDER)
        out = launcher.path_on(side.node, order.pair.folder)
        environment = _environment(side, order.pair.lane_env)
        found[side.role] = Command([f"{folder}/{argv[0]}", *argv[1:]], environment, tuple(side.cpus), out)
    return found


def _environment(side: Side, lane_env: Mapping[str, str]) -> dict[str, str]:
    library = {"LD_LIBRARY_PATH": f"{side.ucx_prefix}/lib"} if side.ucx_prefix else {}
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", **library, **lane_env, **side.env}


def _run_until_measured(
    order: PeerOrder, cell: int, commands: Mapping[Role, Command], *, launcher: Launcher, stop: Interrupts
) -> _Ended:
    """A cell of the tool, again while it ends well and prints a rate of 0: perftest divides by a processor's rate that
    it measures, in an emulated node wrongly now and then. Void tries stay as `cell-<id>.<role>.void-<n>.txt`."""
    for number in range(1, ATTEMPTS + 1):
        ended = _run_cell(order, cell, commands, launcher=launcher, stop=stop)
        measured = result_of(_peer_cell(order, cell, order.pair.consumer), ended.text)
        if measured or ended.problem is not None or number == ATTEMPTS:
            break
        for role in commands:
            log = order.pair.folder / f"cell-{cell}.{role}.txt"
            log.rename(log.with_name(f"cell-{cell}.{role}.void-{number}.txt"))
    return ended


def _run_cell(
    order: PeerOrder, cell: int, commands: Mapping[Role, Command], *, launcher: Launcher, stop: Interrupts
) -> _Ended:
    folder, sides = order.pair.folder, {side.role: side for side in order.pair.sides}
    logs = {role: folder / f"cell-{cell}.{role}.txt" for role in sides}
    deadline = time.monotonic() + order.pair.deadlines.total_s
    connect_by = time.monotonic() + CONNECT_S + launcher.allowance_s

    def start(role: Role) -> Child:
        argv = launcher.start(commands[role], sides[role].node)
        return Child.start(argv, log=logs[role], read_output=False, ends_by=launcher.ends_by)

    with start("owner") as server:
        while True:
            with start("consumer") as client:
                finished = _wait(client, deadline, stop)
                client.finish()
                code, _ = read_status(client.process.returncode)
            text = tail(logs["consumer"], 1 << 20)
            if stop.requested:
                return _Ended(text, "interrupted", interrupted=True)
            if not finished:
                return _Ended(text, f"no result within {order.pair.deadlines.total_s:.0f} s")
            if code == 0:
                break
            refused = "refused" in text or "Couldn't connect" in text or "Unable to" in text
            if not refused or time.monotonic() > connect_by or server.process.poll() is not None:
                return _Ended(text, _cause(server, tail(logs["owner"], 1 << 20), text, code))
            logs["consumer"].rename(folder / f"cell-{cell}.consumer.refused.txt")
            time.sleep(AGAIN_S)
        _wait(server, min(deadline, time.monotonic() + order.pair.deadlines.follow_s), stop)
    return _Ended(text, None)


def _wait(child: Child, deadline: float, stop: Interrupts) -> bool:
    """Whether the child has ended by itself before the deadline and before an interrupt."""
    with selectors.DefaultSelector() as selector:
        selector.register(child.pidfd, selectors.EVENT_READ, "end")
        selector.register(stop.fd, selectors.EVENT_READ, "stop")
        while (left := deadline - time.monotonic()) > 0 and not stop.requested:
            for key, _ in selector.select(left):
                if key.data == "end":
                    child.note_end()
                    return True
                stop.drain()
    child.ask_to_end()
    return False


def _cause(server: Child, said: str, text: str, code: int | None) -> str:
    """Why the client failed: what its server said, where that ended first with an error; else its own last words."""
    if server.process.poll():
        return f"its server: {_last_line(said) or 'it ended without a word'}"
    return _last_line(text) or f"exit code {code}"


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _sample(order: PeerOrder, cell: int, index: int, ended: _Ended, begun_utc_ns: int) -> dict[str, Any]:
    peer_cell = _peer_cell(order, cell, order.pair.consumer)
    arm, block = peer_cell.arm, order.plan["blocks"][order.block]
    result = result_of(peer_cell, ended.text) if ended.problem is None else None
    problem = ended.problem or (None if result else f"no result in what {order.tool} printed")
    error: dict[str, Any] | None = None
    if problem is not None:
        error = {"phase": "measure", "code": "unknown", "text": f"{order.tool}: {problem}"}
        error |= {"wc_status": None, "vendor_error": None, "advice": f"its output: cell-{cell}.consumer.txt"}
    messages = result.messages if result else 0
    return {
        "kind": "sample",
        "pair": order.pair.pair,
        "block": order.block,
        "rep": block["rep"],
        "order": index,
        "cell": cell,
        "arm": arm["name"],
        "size": peer_cell.size,
        "op": arm["op"],
        "backend": order.tool,
        "mode": arm["mode"],
        "window": peer_cell.window,
        "recv_depth": arm["recv_depth"] if arm["op"] == "send" else None,
        "signal_every": None,
        "inline": None,
        "post_list": None,
        "memory": "host",
        "working_set_bytes": peer_cell.size,
        "warmup": block["warmup"],
        "messages": messages,
        "bytes": messages * peer_cell.size,
        "elapsed_ns": result.elapsed_ns if result else None,
        "start_ns": 0,
        "start_utc_ns": begun_utc_ns,
        "sub_windows": [{"ns": result.elapsed_ns, "messages": messages}] if result else [],
        "latency_ns": None,
        "verified": None,
        "counters": {"printed": dict(result.printed)} if result else {},
        "error": error,
    }


def _write_samples(order: PeerOrder, samples: list[dict[str, Any]], wall_ns: int, *, complete: bool) -> None:
    """samples.jsonl as the engine writes it; of an interrupted block nothing counts."""
    now = time.time_ns()
    failed = sum(sample["error"] is not None for sample in samples)
    start: dict[str, Any] = {"kind": "start", "format": "rdmalab.samples", "version": 1, "pair": order.pair.pair}
    start |= {"plan_sha256": order.plan_sha256, "role": "consumer", "started_utc_ns": now - wall_ns}
    start["clock"] = {"name": "monotonic_raw", "resolution_ns": 1.0, "overhead_ns": 0.0}
    lines: list[dict[str, Any]] = [start]
    if complete:
        block: dict[str, Any] = {
            "kind": "block",
            "block": order.block,
            "pair": order.pair.pair,
            "samples": len(samples),
        }
        block |= {"failed": failed, "wait_ns": {"stage": 0, "barrier": 0}, "verified_bytes": 0}
        lines += [*samples, {**block, "wall_ns": wall_ns, "utc_ns": now}]
    end: dict[str, Any] = {
        "kind": "end",
        "status": "done" if complete and not failed else "failed" if complete else "interrupted",
    }
    end |= {"exit": 0 if complete and not failed else 1 if complete else 130, "samples": len(samples) * complete}
    lines.append({**end, "blocks": int(complete), "failed": failed, "error": None})
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    write_file(order.pair.folder / "samples.jsonl", text.encode())
