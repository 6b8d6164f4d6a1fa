#!/usr/bin/env python3
"""Stands in for the engine in unit tests of the pair: the contract's files and lines, and faults on demand.

Told by variables: <ROLE>_DOES = run (default) | exit:N | abort | hang | linger | stubborn | die:N (samples), with
a text to say before it (`exit:5|text`); or by STAND_IN_SCRIPT, a JSON file {pair number: {role: what it does}}, where
`protocol` is the GET protocol of its table, or `none` for no table and no lane check.
"""

import hashlib
import json
import os
import signal
import sys
import time
from pathlib import Path

CAPABILITIES = {
    "format": "rdmalab.capabilities",
    "version": 1,
    "engines": ["rendezvous"],
    "pair": ["cold", "warm"],
    "order": ["interleaved", "random", "sequential"],
    "arm": {
        "path": ["chunked", "rdma"],
        "op": ["get"],
        "read": ["get", "get_into", "get_pinned"],
        "via": ["am", "tcp"],
        "copy": ["after", "overlapped"],
        "destination": ["fresh", "reused"],
        "staging": ["pinned", "plain"],
        "progress": ["inline", "thread"],
        "memory": ["host"],
    },
    "layout": {"max_blocks": 1},
}


GET_TABLE = """\
+--------+--------------------+--------------------------------------------------+
| ucp_context_0 intra-node cfg#0                                                  |
| remote memory read by ucp_get* into host memory from host                       |
+--------+--------------------+--------------------------------------------------+
| Range  |    Description     |                      Config                      |
+--------+--------------------+--------------------------------------------------+
| 0..inf | software emulation | tcp/lo                                           |
+--------+--------------------+--------------------------------------------------+
"""


def option(name: str) -> str:
    return next(text.split("=", 1)[1] for text in sys.argv[1:] if text.startswith(f"--{name}="))


def block_ids(text: str) -> list[int]:
    ids: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        ids += range(int(first), int(last or first) + 1)
    return ids


if "--describe" in sys.argv:
    print(json.dumps(CAPABILITIES))
    sys.exit(0)
role, out = option("role"), Path(option("out"))
plan = json.loads(Path(option("plan")).read_text())
exchange = Path(option("exchange").removeprefix("dir:"))
script = os.environ.get("STAND_IN_SCRIPT")
scripted = json.loads(Path(script).read_text()).get(option("pair"), {}) if script else {}
does, _, say = (scripted.get(role) or os.environ.get(f"{role.upper()}_DOES", "run")).partition("|")
described: dict[str, object] = {"format": "rdmalab.engine", "version": 1, "role": role, "pid": os.getpid()}
variables = {name: value for name, value in os.environ.items() if name.startswith("UCX_")}
described["ucx"] = {
    "header": "1.22.0",
    "runtime": "1.22.0",
    "settings": {},
    "env": variables,
    "memory_domains": ["tcp"],
}
protocol = scripted.get("protocol", "software emulation")
if role == "consumer" and protocol != "none":
    row = {"from_bytes": 0, "to_bytes": None, "protocol": protocol, "config": "tcp/lo", "estimate": False}
    described["lane_check"] = {"operation": "get", "rows": [row], "verdict": "accepted", "text": protocol}
    text = GET_TABLE.replace("software emulation", f"{protocol:<18}")
    table = [f"[1.0] [host:{os.getpid()}:0]   {line}" for line in text.splitlines()]
    (out / "consumer.ucx.log").write_text("\n".join(table) + "\n")
(out / f"{role}.json").write_text(json.dumps(described))
if say:
    print(say, file=sys.stderr, flush=True)
if does.startswith("exit:"):
    sys.exit(int(does[5:]))
if does == "abort":
    os.abort()


def wait_for(path: Path, seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not path.exists():
        if time.monotonic() > deadline:
            print(f"rdmalab_engine {role}: exchange, {path.name}: nobody came; is the peer alive?", file=sys.stderr)
            sys.exit(4)
        time.sleep(0.005)


def owner() -> None:
    (exchange / "owner.json").write_text(option("token"))
    wait_for(exchange / "bye", 30.0)
    if does == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if does in ("linger", "stubborn"):
        signal.pause()


def sample(block: int, cell: int, order: int) -> dict[str, object]:
    """A sample line with every key of the contract; its times are invented: from 14000 B on, RDMA is faster."""
    size, arm = plan["cells"][cell]["size"], plan["arms"][plan["cells"][cell]["arm"]]
    copy = size // 4 if arm["read"] == "get" else 0
    transfer = 20_000 + size if arm["path"] == "rdma" else 6_000 + 2 * size
    phases = {"wireup_ns": 0, "acquire_ns": 4000 + order % 7, "transfer_ns": transfer, "copy_ns": copy}
    return {
        "kind": "sample",
        "pair": int(option("pair")),
        "block": block,
        "rep": plan["blocks"][block]["rep"],
        "order": order,
        "cell": cell,
        "arm": arm["name"],
        "size": size,
        "op": "get",
        "warmup": plan["blocks"][block]["warmup"],
        "first": False,
        "path": arm["path"],
        "path_asked": arm["path"],
        "reason": "ok",
        "refusal": None,
        "read": arm["read"],
        "via": arm["via"],
        "staging": arm["staging"],
        "staging_asked": arm["staging"],
        "staging_reason": "ok",
        "min_bytes": arm["min_bytes"],
        "chunk": arm["chunk"],
        "depth": arm["depth"],
        "chunks": 0 if arm["path"] == "rdma" else 1,
        "piece_bytes": None,
        "bytes": size,
        "start_ns": time.monotonic_ns(),
        "start_utc_ns": time.time_ns(),
        **phases,
        "release_ns": 500,
        "total_ns": sum(phases.values()),
        "minor_faults": 0,
        "registrations": 0,
        "nic_registered": None,
        "md_map": None,
        "verified": True,
        "error": None,
    }


def consumer() -> None:
    wait_for(exchange / "owner.json")
    order = 0
    blocks = block_ids(option("blocks"))
    total = sum(len(plan["blocks"][block]["cells"]) for block in blocks)
    with (out / "samples.jsonl").open("w") as samples:

        def put(**line: object) -> None:
            samples.write(json.dumps(line, separators=(",", ":")) + "\n")
            samples.flush()

        put(
            kind="start",
            format="rdmalab.samples",
            version=1,
            plan_sha256=hashlib.sha256(Path(option("plan")).read_bytes()).hexdigest(),
            pair=int(option("pair")),
            role=role,
            clock={"name": "monotonic_raw", "resolution_ns": 1, "overhead_ns": 20},
            started_utc_ns=time.time_ns(),
        )
        for block in blocks:
            cells = plan["blocks"][block]["cells"]
            for cell in cells:
                put(**sample(block, cell, order))
                order += 1
                print(
                    json.dumps({"kind": "progress", "done": order, "of": total, "block": block, "cell": cell}),
                    flush=True,
                )
                if does == f"die:{order}":
                    os.kill(os.getpid(), signal.SIGKILL)
                if does == "hang" and block == blocks[-1]:
                    signal.pause()
            put(
                kind="block",
                block=block,
                pair=int(option("pair")),
                samples=len(cells),
                failed=0,
                wait_ns={"stage": 0, "barrier": 0},
                verified_bytes=sum(plan["cells"][cell]["size"] for cell in cells),
                wall_ns=1000,
                utc_ns=time.time_ns(),
            )
        put(kind="end", status="done", exit=0, samples=order, blocks=len(blocks), failed=0, error=None)
    (exchange / "bye").touch()


signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
owner() if role == "owner" else consumer()
