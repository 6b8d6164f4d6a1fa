"""What a launcher is: it turns a command for a node into an argv of this machine. It runs nothing, knows nothing of us.

`experiments.engine_pair` runs what it returns, in this order for one pair: `before`, `start` once per process, and
`after` when both have ended. One launcher serves all nodes of a site; `node` is a node's name in that site.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal


@dataclass(frozen=True)
class Command:
    """A program to start on a node: absolute paths as the node sees them, and its whole environment."""

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    cpus: Sequence[int] = ()
    folder: str = "/"


class Launcher(ABC):
    """Where processes run. Subclasses: `local`, and one per way to reach other machines."""

    ends_by: ClassVar[Literal["signal", "stdin"]] = "signal"
    """How a started process is asked to end: a TERM to its process group, or closing its standard input, upon which
    the node's side sends the TERM and, after a grace, the KILL. The process must also end when the tool is gone."""

    allowance_s: ClassVar[float] = 0.0
    """Seconds that starting and ending a process there may take beyond what it takes on this machine."""

    @abstractmethod
    def start(self, command: Command, node: str) -> list[str]:
        """The argv that runs `command` on `node` with exactly its environment, and passes on output and exit code."""

    def tool(self, argv: Sequence[str], node: str) -> list[str]:
        """The argv that runs a short command on the node in its own environment, with our standard input."""
        return list(argv)

    def path_on(self, node: str, path: Path) -> str:
        """The name under which `node` finds `path`, a file or folder of a run on this machine."""
        return str(path)

    def before(self, node: str, folder: Path, files: Sequence[Path]) -> list[list[str]]:
        """Argvs that make `folder` on the node and bring `files` there; none where it is shared."""
        return []

    def after(self, node: str, folder: Path) -> list[list[str]]:
        """Argvs that bring `folder` back from the node and end what is left of the pair there; none where shared."""
        return []

    def lost(self, node: str, exit_code: int) -> str | None:
        """What an exit code says about the way to the node rather than about the program; None for its own."""
        return None

    def advice(self, stderr: str) -> str | None:
        """What to do when the way to a node is `lost`, from what its program printed."""
        return None
