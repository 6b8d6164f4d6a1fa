"""The model of a site file (`configs/sites/*.yaml`): where a run happens.

Loaded by experiments.config; read by experiments.binding, the launchers, the testbeds and the preflight. A testbed
builds the same model in memory for the nodes that it made.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from experiments.config_fields import ConfigModel, EnvironmentVariable, Name, Size, Text
from experiments.config_lane import Estimate

Role = Literal["owner", "consumer"]
Device = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]+$")]


class Ssh(ConfigModel):
    """How to reach a node over ssh."""

    noun: ClassVar[str] = "ssh"
    host: Annotated[Text, Field(description="host name or address")]
    port: Annotated[int, Field(ge=1, le=65535, description="port of sshd")] = 22
    user: Annotated[Text | None, Field(description="user; absent: ssh's own choice")] = None
    identity: Annotated[Text | None, Field(description="private key file; absent: ssh's own choice")] = None
    known_hosts: Annotated[Text | None, Field(description="known_hosts file; absent: ssh's own")] = None
    options: Annotated[dict[str, str], Field(description="further ssh options, as for -o")] = Field(
        default_factory=dict
    )


class Node(ConfigModel):
    """One machine of a site."""

    noun: ClassVar[str] = "a node"
    name: Annotated[Name, Field(description="the node's name in records and reports")]
    roles: Annotated[
        tuple[Role, ...] | None,
        Field(strict=False, description="owner, consumer or both; absent: the first node owns, the last consumes"),
    ] = None
    address: Annotated[
        Text, Field(description="the address of the control and chunked path, where the owner listens")
    ] = "127.0.0.1"
    ssh: Annotated[Ssh | None, Field(description="how to reach it; launcher ssh needs it")] = None
    device: Annotated[
        Device | dict[Name, Device] | None,
        Field(description="the device (UCX_NET_DEVICES) for every lane, or lane by lane; absent: the lane's selector"),
    ] = None
    env: Annotated[dict[EnvironmentVariable, str], Field(description="variables for the engine on this node")] = Field(
        default_factory=dict
    )


class Control(ConfigModel):
    """The network of the control messages and of the chunked path."""

    noun: ClassVar[str] = "control"
    interface: Annotated[Text | dict[Name, Text], Field(description="interface name, or node by node")]


class SiteUcx(ConfigModel):
    """The UCX run time of the site's nodes."""

    noun: ClassVar[str] = "ucx"
    modules: Annotated[tuple[str, ...], Field(strict=False, description="environment modules to load first")] = ()
    prefix: Annotated[Text | None, Field(description="path, name under .deps/ucx or $VARIABLE of the node")] = None


class SiteLimits(ConfigModel):
    """What a site can bear."""

    noun: ClassVar[str] = "site limits"
    max_size: Annotated[Size | None, Field(description="the largest payload; a plan with a larger one is refused")] = (
        None
    )


class Site(ConfigModel):
    """A site: launcher, nodes, devices, run time, limits."""

    noun: ClassVar[str] = "a site"
    description: Annotated[Text, Field(description="what this place is, in one sentence")]
    launcher: Annotated[Literal["local", "ssh", "slurm"], Field(description="how a process is started on a node")]
    nodes: Annotated[
        tuple[Node, ...],
        Field(strict=False, min_length=1, description="the machines; with one, it plays both roles"),
    ]
    exchange: Annotated[
        Literal["dir", "tcp"], Field(description="how the two processes find each other: a shared folder, or TCP")
    ] = "dir"
    collect: Annotated[
        Literal["shared", "copy"], Field(description="shared: nodes see the run folder; copy: fetched after the run")
    ] = "shared"
    shared_folder: Annotated[
        Text | None,
        Field(
            description="a folder that this host and all nodes see under one path, through which the files of a run "
            "pass; absent: the run folder itself is seen by all"
        ),
    ] = None
    workdir: Annotated[Text | None, Field(description="the project's folder on the nodes; absent: the same path")] = (
        None
    )
    control: Annotated[Control | None, Field(description="network of the control and chunked path")] = None
    env: Annotated[
        dict[EnvironmentVariable, str], Field(description="variables for the engine on every node, UCX_* included")
    ] = Field(default_factory=dict)
    ucx: Annotated[SiteUcx | None, Field(description="the UCX run time; absent: the lane's")] = None
    limits: Annotated[SiteLimits, Field(description="what the site can bear")] = Field(default_factory=SiteLimits)
    testbed: Annotated[
        Literal["softroce", "slurm"] | None, Field(description="the testbed that makes these nodes, where one does")
    ] = None
    emulated_nic: Annotated[bool, Field(description="the RDMA ports are emulated in software: caveat emulated_nic")] = (
        False
    )
    estimate: Annotated[
        Estimate | None, Field(description="what the time estimate assumes here; absent: the lane's figures")
    ] = None

    def node_of(self, role: Role) -> Node:
        """The node that plays `role`: the one that names it, else the first owns and the last consumes."""
        for node in self.nodes:
            if node.roles is not None and role in node.roles:
                return node
        return self.nodes[0] if role == "owner" else self.nodes[-1]
