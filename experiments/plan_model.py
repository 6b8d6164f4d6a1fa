"""`plan.json` as a model: the JSON Schema comes from it, and a plan that was read back can be checked with it.

The planner builds plain values; a test holds the two together. docs/formats.md describes every key.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from experiments.config_experiment import Requirement
from experiments.config_fields import ConfigModel
from experiments.config_lane import Operation, Protocol
from experiments.config_verdicts import Verdict

Id = Annotated[int, Field(ge=0)]
Bytes = Annotated[int, Field(ge=1)]


class PlanLane(ConfigModel):
    """The lane's part that is the same on every machine."""

    noun: ClassVar[str] = "a plan's lane"
    name: str
    env: dict[str, str]
    error_handling: Literal["peer", "none"]
    accepts: dict[Operation, list[Protocol]]
    transports: list[str]


class PlanLayout(ConfigModel):
    """How a payload lies in memory."""

    noun: ClassVar[str] = "a plan's layout"
    blocks: Bytes
    block_size: Bytes | None


class PlanProof(ConfigModel):
    """What must be seen for an arm to count; `protocols` null means the lane's."""

    noun: ClassVar[str] = "a plan's proof"
    operation: Operation
    protocols: list[Protocol] | None


class PlanArm(ConfigModel):
    """An arm with every key resolved; its place in the list is its id."""

    noun: ClassVar[str] = "a plan's arm"
    name: str
    path: Literal["rdma", "chunked"]
    op: Operation
    read: Literal["get", "get_pinned", "get_into"]
    via: Literal["am", "tcp"]
    copy_: Annotated[Literal["after", "overlapped"], Field(alias="copy")]
    destination: Literal["fresh", "reused"]
    staging: Literal["pinned", "plain"]
    min_bytes: Annotated[int, Field(ge=0)]
    chunk: Bytes
    depth: Bytes
    piece: Bytes
    kill_switch: bool
    eager_endpoint: bool
    progress: Literal["inline", "thread"]
    spin_us: Annotated[int, Field(ge=0)]
    memory: Literal["host", "host_huge", "cuda"]
    layout: PlanLayout
    proof: PlanProof


class PlanCell(ConfigModel):
    """One point of the plan; its place in the list is its id."""

    noun: ClassVar[str] = "a plan's cell"
    arm: Id
    size: Bytes


class PlanOperationArm(ConfigModel):
    """An arm of the operations engine with every key resolved; its place in the list is its id."""

    noun: ClassVar[str] = "a plan's arm"
    name: str
    op: Literal["read", "write", "send"]
    mode: Literal["rate", "latency"]
    recv_depth: Bytes
    iterations: Id
    duration_ms: Bytes
    signal_every: Id
    inline_bytes: Id
    post_list: Id
    memory: Literal["host", "host_huge", "cuda"]
    working_set_bytes: Bytes
    peer: Literal["perftest", "ucx_perftest"] | None
    proof: PlanProof


class PlanOperationCell(PlanCell):
    """One point of an operations plan; `window`: operations in flight."""

    window: Bytes


class PlanOperationsLane(PlanLane):
    """The lane of an operations plan, with the library that moves the bytes."""

    backend: Literal["ucx", "verbs"]


class PlanBlock(ConfigModel):
    """One block, in the order of execution; its place in the list is its id."""

    noun: ClassVar[str] = "a plan's block"
    pair: Id
    rep: Id
    warmup: bool
    cells: Annotated[list[Id], Field(min_length=1)]


class PlanLimits(ConfigModel):
    """Bounds of memory and of waiting."""

    noun: ClassVar[str] = "a plan's limits"
    registered_bytes: Bytes
    arena_bytes: Bytes
    get_timeout_ms: Bytes
    exchange_timeout_ms: Bytes
    lease_ms: Bytes


class PlanOperationsBlock(PlanBlock):
    """A block of an operations plan; `peer` where a tool and not the engine runs it."""

    peer: Literal["perftest", "ucx_perftest"] | None = None


class PlanBase(ConfigModel):
    """What `plan.json` has for any engine."""

    noun: ClassVar[str] = "a plan"
    format: Literal["rdmalab.plan"]
    version: Literal[1]
    experiment: str
    question: str
    pair: Literal["warm", "cold"]
    pairs: Bytes
    reps: Bytes
    order: Literal["sequential", "interleaved", "random"]
    seed: Annotated[int, Field(ge=0, lt=1 << 64)]
    sizes: Annotated[list[Bytes], Field(min_length=1)]
    limits: PlanLimits
    verify: bool
    require: list[Requirement]
    verdicts: list[Verdict]


class Plan(PlanBase):
    """`plan.json` of the rendezvous engine."""

    engine: Literal["rendezvous"]
    lane: PlanLane
    arms: Annotated[list[PlanArm], Field(min_length=1)]
    cells: Annotated[list[PlanCell], Field(min_length=1)]
    blocks: Annotated[list[PlanBlock], Field(min_length=1)]


class OperationsPlan(PlanBase):
    """`plan.json` of the operations engine."""

    engine: Literal["operations"]
    lane: PlanOperationsLane
    windows: Annotated[list[Bytes], Field(min_length=1)]
    arms: Annotated[list[PlanOperationArm], Field(min_length=1)]
    cells: Annotated[list[PlanOperationCell], Field(min_length=1)]
    blocks: Annotated[list[PlanOperationsBlock], Field(min_length=1)]
