"""The lines of samples.jsonl as data (docs/formats.md). For schemas, tests and careful readers of single lines.

A million samples are not read through these models; `store.run.Run.sample_sources` is for that.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from store.records import Record

Phase = Literal["wireup", "acquire", "transfer", "copy", "verify", "release"]
Nanoseconds = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]


class SampleError(Record):
    """Why a repetition, or a process, failed."""

    phase: str
    code: str
    text: str


class Clock(Record):
    """The clock of the timed parts, its step and the cost of one reading."""

    name: Literal["tsc", "monotonic_raw"]
    resolution_ns: float
    overhead_ns: float


class StartLine(Record):
    """The first line of samples.jsonl."""

    kind: Literal["start"]
    format: Literal["rdmalab.samples"] = "rdmalab.samples"
    version: Literal[1] = 1
    plan_sha256: str
    pair: Count
    role: Literal["consumer", "loopback"]
    clock: Clock
    started_utc_ns: Nanoseconds


class RendezvousSample(Record):
    """One repetition of a rendezvous cell. Phase times that were not reached are null."""

    kind: Literal["sample"]
    pair: Count
    block: Count
    rep: Count
    order: Count
    cell: Count
    arm: str
    size: Count
    op: Literal["get", "put", "read", "write", "send"]
    warmup: bool
    first: bool
    path: Literal["rdma", "chunked"]
    path_asked: Literal["rdma", "chunked"]
    reason: str
    refusal: str | None
    read: Literal["get", "get_pinned", "get_into"]
    via: Literal["am", "tcp"]
    staging: Literal["pinned", "plain"]
    staging_asked: Literal["pinned", "plain"]
    staging_reason: str
    min_bytes: Count
    chunk: Count
    depth: Count
    chunks: Count
    piece_bytes: Count | None
    bytes: Count
    start_ns: Nanoseconds
    start_utc_ns: Nanoseconds
    wireup_ns: Nanoseconds | None
    acquire_ns: Nanoseconds | None
    transfer_ns: Nanoseconds | None
    copy_ns: Nanoseconds | None
    release_ns: Nanoseconds | None
    total_ns: Nanoseconds | None
    minor_faults: Count | None
    registrations: Count | None
    nic_registered: bool | None
    md_map: str | None
    verified: bool
    error: SampleError | None


class SubWindow(Record):
    """One raw part of a rate interval."""

    ns: Nanoseconds
    messages: Count


class OperationsError(SampleError):
    """Why a cell of operations failed; the last three are what a device said, or null."""

    wc_status: str | None
    vendor_error: int | None
    advice: str | None


class OperationsSample(Record):
    """One repetition of an operations cell: a rate over sub-windows, or latencies one by one."""

    kind: Literal["sample"]
    pair: Count
    block: Count
    rep: Count
    order: Count
    cell: Count
    arm: str
    size: Count
    op: str
    backend: Literal["verbs", "ucx", "perftest", "ucx_perftest"]
    mode: Literal["latency", "rate"]
    window: Count
    recv_depth: Count | None
    signal_every: Count | None
    inline: Count | bool | None
    post_list: Count | None
    memory: str
    working_set_bytes: Count
    warmup: bool
    messages: Count
    bytes: Count
    elapsed_ns: Nanoseconds | None
    start_ns: Nanoseconds
    start_utc_ns: Nanoseconds
    sub_windows: list[SubWindow]
    latency_ns: list[Nanoseconds] | None
    counters: dict[str, Any] | None
    verified: bool | None
    error: OperationsError | None


class Waits(Record):
    """Control-plane waits of a block, apart from the measurement."""

    stage: Nanoseconds
    barrier: Nanoseconds


class BlockLine(Record):
    """Ends a block; what stands before it is on disk. Samples without their block line do not count."""

    kind: Literal["block"]
    block: Count
    pair: Count
    samples: Count
    failed: Count
    wait_ns: Waits
    verified_bytes: Count
    wall_ns: Nanoseconds
    utc_ns: Nanoseconds


class EndLine(Record):
    """The last line of a process that could still write one."""

    kind: Literal["end"]
    status: Literal["done", "failed", "interrupted"]
    exit: int
    samples: Count
    blocks: Count
    failed: Count
    error: SampleError | None
