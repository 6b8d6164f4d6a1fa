"""The model of an experiment of the operations engine (`engine: operations`): reads, writes and sends.

Loaded by experiments.config instead of `Experiment` when the file says so; experiments.planner_operations plans it.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from experiments.config_experiment import ExperimentBase, Proof
from experiments.config_fields import ConfigModel, Name, Size

Peer = Literal["perftest", "ucx_perftest"]
LARGEST_WINDOW = 1 << 20
Window = Annotated[int, Field(ge=1, le=LARGEST_WINDOW)]


class OperationArm(ConfigModel):
    """One compared way of moving messages."""

    noun: ClassVar[str] = "an arm of operations"
    op: Annotated[
        Literal["read", "write", "send"], Field(description="what the consumer does to the owner, over and over")
    ]
    mode: Annotated[
        Literal["rate", "latency"], Field(description="as many as go, or one after the other with a time for each")
    ] = "rate"
    recv_depth: Annotated[
        int | None,
        Field(ge=1, le=LARGEST_WINDOW, description="posted receives of a send; absent: 2 x largest window, >= 128"),
    ] = None
    iterations: Annotated[int, Field(ge=0, description="messages of a sample; 0: as many as the duration holds")] = 0
    duration_ms: Annotated[int, Field(ge=1, le=3_600_000, description="milliseconds of a sample")] = 300
    signal_every: Annotated[
        int, Field(ge=0, le=LARGEST_WINDOW, description="messages per completion; 0: half the window, at most 64")
    ] = 0
    inline_bytes: Annotated[
        int, Field(ge=0, le=4096, description="messages up to this go inside the work request (lane verbs)")
    ] = 0
    post_list: Annotated[
        int, Field(ge=0, le=LARGEST_WINDOW, description="work requests per doorbell; 0: what is free, up to 32")
    ] = 0
    memory: Annotated[Literal["host", "host_huge", "cuda"], Field(description="where messages lie on both sides")] = (
        "host"
    )
    working_set: Annotated[Size, Field(description="bytes that the messages walk through on each side")] = 64 << 20
    peer: Annotated[
        Peer | None, Field(description="the tool that measures this arm instead of the engine, interleaved with it")
    ] = None
    proof: Annotated[Proof, Field(description="what must be seen for the arm to count")] = Field(default_factory=Proof)


class OperationsExperiment(ExperimentBase):
    """An experiment of the operations engine: message sizes, operations in flight, arms."""

    noun: ClassVar[str] = "an experiment of operations"
    windows: Annotated[
        tuple[Window, ...],
        Field(strict=False, min_length=1, description="operations in flight; each is measured"),
    ] = (1,)
    arms: Annotated[dict[Name, OperationArm], Field(min_length=1, description="the compared ways, by name")]
    beside: Annotated[
        Peer | None, Field(description="a tool that measures each arm too, as an arm NAME+TOOL, interleaved with it")
    ] = None


def with_arms_beside(experiment: OperationsExperiment) -> OperationsExperiment:
    """The experiment with the arms that `beside` stands for, each after the one that it is compared with."""
    if experiment.beside is None:
        return experiment
    arms: dict[str, OperationArm] = {}
    for name, arm in experiment.arms.items():
        arms[name] = arm
        if arm.peer is None:
            arms.setdefault(f"{name}+{experiment.beside}", arm.model_copy(update={"peer": experiment.beside}))
    return experiment.model_copy(update={"arms": arms, "beside": None})
