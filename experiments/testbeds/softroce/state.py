"""What a running testbed has written down: one JSON file in its state folder, replaced as a whole at each change."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from experiments.testbeds.recorded_process import RecordedProcess
from store.errors import Exit, LabError

_VERSION = 1


@dataclass(frozen=True)
class NodeState:
    """One started node: its process and the loopback port that leads to its sshd."""

    number: int
    ssh_port: int
    process: RecordedProcess

    @property
    def name(self) -> str:
        """The node's name."""
        return f"node{self.number}"


def read_state(path: Path) -> dict[int, NodeState]:
    """The recorded nodes by number, empty where nothing was recorded. LabError for a file that is not ours."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise LabError(
            f"the testbed's record {path} cannot be read: {error}",
            advice="remove the file once no qemu-system process of it runs any more",
        ) from error
    try:
        if data["version"] != _VERSION:
            raise KeyError(f"version {data['version']}")
        nodes = (NodeState(n["number"], n["ssh_port"], RecordedProcess(**n["process"])) for n in data["nodes"])
        return {node.number: node for node in nodes}
    except (KeyError, TypeError) as error:
        raise LabError(
            f"the testbed's record {path} has another shape: {error}",
            advice="it is from another version; end its nodes with that version's `testbed softroce down`",
            exit_code=Exit.FAILED,
        ) from error


def write_state(path: Path, nodes: dict[int, NodeState]) -> None:
    """Replaces the record."""
    text = json.dumps({"version": _VERSION, "nodes": [asdict(node) for node in nodes.values()]}, indent=1)
    partial = path.with_suffix(".partial")
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(path)
