"""The options that name an experiment, a site, a lane and overrides, alike in every verb that takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from store.errors import LabError


def _names_of(kind: str) -> Callable[[str], list[str]]:
    """Completion for the shell: the names of a kind that begin as typed; a broken folder completes nothing."""

    def complete(incomplete: str) -> list[str]:
        from experiments.config import names

        try:
            return [name for name in names(kind) if name.startswith(incomplete)]
        except LabError:
            return []

    return complete


NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE", help="An experiment, or any YAML file.", autocompletion=_names_of("experiment")
    ),
]
SiteOption = Annotated[
    str | None,
    typer.Option(
        "--site",
        help="Where to run: a site's name; default: this host, or your own default.",
        metavar="SITE",
        autocompletion=_names_of("site"),
    ),
]
LaneOption = Annotated[
    str | None,
    typer.Option(
        "--lane",
        help="What carries the bytes: a lane's name.",
        metavar="LANE",
        autocompletion=_names_of("lane"),
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change a key: reps=3, sizes=[4KiB,1MiB], arms.rdma.chunk=1MiB.", metavar="KEY=VALUE"),
]
