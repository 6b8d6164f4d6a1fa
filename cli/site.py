"""`site init`: a commented site file from what nodes have. `site check`: whether the lanes can run on a site."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from cli.doctor import examine_and_tell, site_of
from cli.resolving import LaneOption
from cli.verb_group import plain_group
from experiments.config_site import Node, Site, Ssh
from experiments.node_setup import view_node
from experiments.places import user_configs
from experiments.preflight import NodeView
from experiments.site_draft import DraftNode, draft
from experiments.site_launcher import launcher_of
from store.errors import Exit, LabError
from store.names import default_store

site = plain_group("Places to run on: write a site file, check one.")

_HOST = re.compile(r"^(?:(?P<user>[A-Za-z0-9._-]+)@)?(?P<host>[A-Za-z0-9._-]+)(?::(?P<port>\d{1,5}))?$")
_NAME = re.compile(r"^[a-z0-9][a-z0-9_-]{0,39}$")


@site.command()
def init(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new site's name.")],
    hosts: Annotated[
        list[str] | None, typer.Argument(metavar="HOST", help="Its nodes, each [USER@]HOST[:PORT]; none: this host.")
    ] = None,
    identity: Annotated[
        Path | None, typer.Option("--identity", metavar="FILE", help="The private key that opens them.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Another file than the user's own site of that name.")
    ] = None,
) -> None:
    """Read the nodes and write a commented site file. Prints its path; never writes over a file."""
    if not _NAME.match(name):
        raise LabError(f"'{name}' cannot name a site", advice="small letters, digits, _ and -", exit_code=Exit.USAGE)
    target = (out or user_configs() / "sites" / f"{name}.yaml").absolute()
    if target.exists():
        raise LabError(f"{target} is there already", advice="remove it, or choose another name", exit_code=Exit.USAGE)
    text = draft(name, _read(name, hosts or [], identity), f"{datetime.now(UTC):%Y-%m-%d}")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    print(target)


@site.command()
def check(
    name: Annotated[str, typer.Argument(metavar="NAME|FILE", help="A site, or a site file.")],
    lane: LaneOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Every check, port and fact as JSON.")] = False,
) -> int:
    """Examine a site: the same as `doctor --site`, for a file too."""
    site_name, found = site_of(name)
    return examine_and_tell(site_name, found, lane, as_json=as_json)


def _read(name: str, hosts: list[str], identity: Path | None) -> list[DraftNode]:
    if not hosts:
        here = Site(description=name, launcher="local", nodes=(Node(name="localhost"),))
        return [DraftNode("localhost", _view(here, "localhost"), None)]
    reached = [_ssh(host, identity) for host in hosts]
    labels = [_label(ssh.host, index, reached) for index, ssh in enumerate(reached)]
    nodes = tuple(Node(name=label, ssh=ssh) for label, ssh in zip(labels, reached, strict=True))
    there = Site(description=name, launcher="ssh", nodes=nodes)
    return [DraftNode(node.name, _view(there, node.name), node.ssh) for node in nodes]


def _view(place: Site, node: str) -> NodeView:
    print(f"reading node {node}", file=sys.stderr)
    store = default_store()
    return view_node(launcher_of(place, store), place, node, store=store, ucx_prefixes=(), engine=None)


def _ssh(text: str, identity: Path | None) -> Ssh:
    found = _HOST.match(text)
    port = int(found["port"] or 22) if found else 0
    if found is None or not 1 <= port <= 65535:
        raise LabError(f"'{text}' names no host", advice="write [user@]host[:port]", exit_code=Exit.USAGE)
    key = None if identity is None else str(identity.absolute())
    return Ssh(host=found["host"], port=port, user=found["user"], identity=key)


def _label(host: str, index: int, reached: list[Ssh]) -> str:
    """A node's name: the first part of its host name, or its number where that says nothing or stands twice."""
    short = host.split(".", maxsplit=1)[0].lower()
    twice = sum(other.host == host for other in reached) > 1
    return short if re.match(r"^[a-z][a-z0-9_-]{0,39}$", short) and not twice else f"node{index + 1}"
