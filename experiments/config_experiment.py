"""The model of an experiment file (`configs/experiments/*.yaml` or anyone's own): a question and how to answer it.

Loaded by experiments.config, turned into a plan by experiments.planner. It is the same for every operation and
engine: a value that no engine does yet is valid here and refused later, by what the engine says of itself.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from experiments.config_fields import ConfigModel, Name, Size, SizeEntry, SizeOrZero, Text
from experiments.config_lane import Operation, Protocol
from experiments.config_verdicts import Verdict

Requirement = Literal[
    "lane_proven",
    "same_engine",
    "same_ucx",
    "same_environment",
    "memlock_for_plan",
    "port_usable",
    "two_cores",
]


class Layout(ConfigModel):
    """How a payload lies in memory."""

    noun: ClassVar[str] = "a layout"
    blocks: Annotated[int, Field(ge=1, description="pieces that a payload consists of")] = 1
    block_size: Annotated[Size | None, Field(description="bytes of a piece; absent: payload / blocks")] = None


class Proof(ConfigModel):
    """What must be seen for an arm's bytes to count as moved the way it says."""

    noun: ClassVar[str] = "a proof"
    operation: Annotated[Operation | None, Field(description="operation whose row counts; absent: the arm's op")] = None
    protocols: Annotated[
        tuple[Protocol, ...] | None,
        Field(strict=False, min_length=1, description="accepted protocols; absent: the lane's"),
    ] = None


class Arm(ConfigModel):
    """One compared way of moving the bytes."""

    noun: ClassVar[str] = "an arm"
    path: Annotated[Literal["rdma", "chunked"], Field(description="one remote operation, or pulls of chunks")]
    op: Annotated[Operation, Field(description="the operation")] = "get"
    read: Annotated[
        Literal["get", "get_pinned", "get_into"],
        Field(description="copied out to an owned buffer, leased registered memory, or the caller's registered buffer"),
    ] = "get"
    via: Annotated[
        Literal["am", "tcp"], Field(description="control messages and chunks: UCX active messages or TCP")
    ] = "am"
    copy_: Annotated[
        Literal["after", "overlapped"],
        Field(alias="copy", description="when get copies out: after the transfer, or piece by piece during it"),
    ] = "after"
    destination: Annotated[
        Literal["fresh", "reused"], Field(description="where get copies to: a new buffer for each get, or one kept")
    ] = "fresh"
    staging: Annotated[
        Literal["pinned", "plain"], Field(description="the owner's memory: registered arenas, or plain memory")
    ] = "pinned"
    min_bytes: Annotated[
        SizeOrZero | Literal["above_largest"] | None,
        Field(
            description="the owner offers rdma from this size; absent: 0, and above_largest for a chunked arm "
            "that nothing else makes chunked"
        ),
    ] = None
    chunk: Annotated[Size, Field(description="bytes of a chunk of the chunked path")] = 512 * 1024
    depth: Annotated[int, Field(ge=1, le=1024, description="chunks in flight")] = 1
    piece: Annotated[Size, Field(description="bytes of a piece of an overlapped copy")] = 512 * 1024
    kill_switch: Annotated[
        bool, Field(description="rdma switched off as in an emergency; changes staging too: caveat two_factors")
    ] = False
    eager_endpoint: Annotated[
        bool, Field(description="connect when the pair starts, so that no transfer pays the wire-up")
    ] = False
    progress: Annotated[Literal["inline", "thread"], Field(description="who drives UCX: the caller, or a thread")] = (
        "inline"
    )
    spin_us: Annotated[int, Field(ge=0, le=1_000_000, description="microseconds a thread spins before it parks")] = 50
    memory: Annotated[Literal["host", "host_huge", "cuda"], Field(description="where payloads lie")] = "host"
    layout: Annotated[Layout, Field(description="how a payload lies in memory")] = Field(default_factory=Layout)
    proof: Annotated[Proof, Field(description="what must be seen for the arm to count")] = Field(default_factory=Proof)


class Limits(ConfigModel):
    """Bounds of memory and of waiting."""

    noun: ClassVar[str] = "limits"
    registered_bytes: Annotated[Size, Field(description="registered memory per process")] = 2 << 30
    arena_bytes: Annotated[Size, Field(description="the first arena; payloads of this size get one of their own")] = (
        64 << 20
    )
    get_timeout_ms: Annotated[int, Field(ge=1, le=3_600_000, description="deadline of one transfer")] = 30_000
    exchange_timeout_ms: Annotated[
        int, Field(ge=1, le=3_600_000, description="deadline for the two processes to find each other")
    ] = 30_000
    lease_ms: Annotated[int, Field(ge=1, le=3_600_000, description="life of a descriptor without renewal")] = 30_000


class ExperimentBase(ConfigModel):
    """What an experiment of any engine has; `arms` and the engine's own factors are added by each."""

    noun: ClassVar[str] = "an experiment"
    question: Annotated[Text, Field(description="what the run answers, as a question")]
    engine: Annotated[
        Literal["rendezvous", "operations"], Field(description="the part of the engine that measures")
    ] = "rendezvous"
    pair: Annotated[
        Literal["warm", "cold"], Field(description="warm: a pair of processes serves all; cold: a fresh pair per rep")
    ] = "warm"
    lane: Annotated[Name, Field(description="the default lane; --lane overrides")] = "tcp"
    sizes: Annotated[
        tuple[SizeEntry, ...],
        Field(strict=False, min_length=1, description="payload sizes: 4KiB, 1MiB+4097, ranges such as 4KiB..1MiB x2"),
    ]
    reps: Annotated[
        int,
        Field(ge=1, le=1_000_000, description="passes over all cells per warm pair, the first as warm-up; cold: pairs"),
    ]
    pairs: Annotated[int, Field(ge=1, le=10_000, description="fresh warm pairs, one after the other")] = 1
    order: Annotated[
        Literal["sequential", "interleaved", "random"],
        Field(description="of the cells in a block: as written; arms of a size together, both shuffled; all shuffled"),
    ] = "interleaved"
    seed: Annotated[
        int | None,
        Field(ge=0, lt=1 << 64, description="of order and payload; absent: derived from the file's content"),
    ] = None
    require: Annotated[
        tuple[Requirement, ...],
        Field(strict=False, description="what must hold on every node before the run starts"),
    ] = ("lane_proven", "same_engine", "same_ucx", "same_environment", "memlock_for_plan")
    verdicts: Annotated[
        tuple[Verdict, ...], Field(strict=False, description="the answers to compute, in the order of the report")
    ] = ()
    limits: Annotated[Limits, Field(description="bounds of memory and of waiting")] = Field(default_factory=Limits)
    verify: Annotated[bool, Field(description="check every byte of every transfer, outside the timed part")] = True

    def payloads(self) -> tuple[int, ...]:
        """The sizes in bytes, ranges expanded, in the order written."""
        return tuple(size for entry in self.sizes for size in entry)


class Experiment(ExperimentBase):
    """An experiment: the question, the factors, the arms, the repetitions, the verdicts."""

    arms: Annotated[dict[Name, Arm], Field(min_length=1, description="the compared ways, by name")]
