"""The model of a lane file (`configs/lanes/*.yaml`): which UCX transports and device carry the bytes.

Loaded by experiments.config; the planner puts its machine-independent part into the plan, experiments.binding takes
the rest (run time, device).
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from experiments.config_fields import ConfigModel, LaneVariable, Name, Size, Text

Operation = Literal["get", "put", "read", "write", "send"]
Protocol = Literal["zero-copy", "copy-out", "copy-in", "software emulation"]
LaneNeed = Literal["same_host", "rdma_port", "mlx5_port", "rdmacm"]
LaneCaveat = Literal["emulated_get", "unaccelerated", "never_run_on_hardware"]


class DeviceSelector(ConfigModel):
    """Which port a lane means, instead of a name; exactly one port must match on each node."""

    noun: ClassVar[str] = "a device selector"
    link_layer: Annotated[
        Literal["InfiniBand", "Ethernet"] | None, Field(description="the port's link layer; absent: any")
    ] = None
    min_rate: Annotated[int | None, Field(ge=1, description="the least rate in Gb/s; absent: any")] = None
    driver: Annotated[str | None, Field(description="the start of the device's driver, such as mlx5; absent: any")] = (
        None
    )


class Estimate(ConfigModel):
    """What the time estimate assumes; a figure for planning, never a result."""

    noun: ClassVar[str] = "an estimate"
    bytes_per_second: Annotated[Size, Field(description="bytes moved per second by a large transfer")]
    transfer_us: Annotated[int, Field(ge=0, description="microseconds that one small transfer takes")]


class Lane(ConfigModel):
    """A lane: the complete UCX environment but for the device, and what counts as proof on it."""

    noun: ClassVar[str] = "a lane"
    description: Annotated[Text, Field(description="what carries the bytes, in one sentence")]
    backend: Annotated[Literal["ucx", "verbs"], Field(description="the library that moves the bytes")] = "ucx"
    needs: Annotated[tuple[LaneNeed, ...], Field(strict=False, description="what each node must have")] = ()
    env: Annotated[
        dict[LaneVariable, str],
        Field(description="the complete set of UCX_* variables but for the device; over verbs RDMALAB_CONNECT alone"),
    ] = Field(default_factory=dict)
    transports: Annotated[
        tuple[Name, ...],
        Field(strict=False, description="transports of which each row of the protocol table that counts must consist"),
    ] = ()
    accepts: Annotated[
        dict[Operation, Annotated[tuple[Protocol, ...], Field(strict=False)]],
        Field(description="per operation, the protocols that the lane accepts as its own"),
    ] = Field(default_factory=dict)
    error_handling: Annotated[
        Literal["peer", "none"], Field(description="UCX endpoint error handling; none where a transport has no handler")
    ] = "peer"
    ucx_prefix: Annotated[
        Text | None,
        Field(description="a UCX run time by name (under .deps/ucx), path or $VARIABLE; absent: the site's or default"),
    ] = None
    device: Annotated[
        DeviceSelector | None, Field(description="which port is meant, where the site names none; absent: UCX chooses")
    ] = None
    caveats: Annotated[
        tuple[LaneCaveat, ...], Field(strict=False, description="why a number of this lane means less than it seems")
    ] = ()
    estimate: Annotated[Estimate, Field(description="what the time estimate assumes")]
