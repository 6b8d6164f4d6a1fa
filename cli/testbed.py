"""`testbed softroce up | down | status`: nodes where there are none. One sub-command per testbed."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from cli.verb_group import plain_group
from experiments.testbeds.softroce import Testbed
from store.errors import Exit
from store.names import ROOT

testbed = plain_group("Nodes where there are none: two emulated RDMA nodes.")
softroce = plain_group("Two emulated nodes with Soft-RoCE, made by QEMU on this host.")
testbed.add_typer(softroce, name="softroce")


def _say(text: str) -> None:
    print(text, file=sys.stderr)


@softroce.command()
def up(
    accelerator: Annotated[
        str,
        typer.Option(
            "--accelerator", metavar="NAME", help="QEMU's: tcg emulates anywhere, kvm is faster where it works."
        ),
    ] = "tcg",
) -> None:
    """Bring up what is not up, and return when both nodes answer over ssh."""
    Testbed(ROOT).up(_say, accelerator)


@softroce.command()
def down() -> None:
    """End exactly what `up` started."""
    Testbed(ROOT).down(_say)


@softroce.command()
def status(as_json: Annotated[bool, typer.Option("--json", help="The same as JSON.")] = False) -> int:
    """Tell each node's condition: ready, booting, silent, dead or down. Exit 1 where one is dead or silent."""
    nodes = Testbed(ROOT).status()
    if as_json:
        print(json.dumps({"testbed": "softroce", "nodes": [asdict(node) for node in nodes]}, indent=2))
    else:
        for node in nodes:
            print(f"{node.name}  {node.condition:8} {node.detail}" + (f", pid {node.pid}" if node.pid else ""))
    return int(Exit.FAILED if any(node.condition in ("dead", "silent") for node in nodes) else Exit.DONE)
