"""What the tests on the two emulated nodes share: a shell on each, the command line, deadlines."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments.launchers.ssh import SshLauncher, SshTarget
from experiments.testbeds.softroce import Testbed
from experiments.tests.e2e_lab import Lab, engine

ON_THE_TESTBED = [
    pytest.mark.softroce,
    pytest.mark.timeout(400),
    pytest.mark.skipif(engine() is None, reason="the engine is not built: ./rdmalab builds it"),
    pytest.mark.skipif(shutil.which("qemu-system-x86_64") is None, reason="no QEMU: package qemu-system-x86"),
]
DEADLINE_S = 300.0


class Nodes:
    """The testbed, with a shell on each node over connections of its own, apart from those of the runs."""

    def __init__(self, testbed: Testbed, control_folder: Path) -> None:
        self.testbed = testbed
        self._control_folder = control_folder

    def sh(self, node: str, script: str) -> str:
        """Runs a script on a node and returns what it printed."""
        argv = self._launcher(self._control_folder).tool(["sh", "-c", script], node)
        return subprocess.run(argv, check=True, capture_output=True, text=True, timeout=120).stdout

    def log_out(self, control_folder: Path) -> None:
        """Closes the connections kept in a folder, so that the next command logs in anew."""
        for node in ("node1", "node2"):
            argv = self._launcher(control_folder).forget(node)
            subprocess.run(argv, check=False, capture_output=True, timeout=60)

    def _launcher(self, control_folder: Path) -> SshLauncher:
        targets = {
            node.name: SshTarget(
                host="127.0.0.1",
                port=node.ssh_port,
                user="root",
                identity=str(self.testbed.login_key),
                known_hosts=str(self.testbed.known_hosts),
                options={"ControlPersist": "900"},
            )
            for node in self.testbed.nodes()
        }
        return SshLauncher(targets, control_folder)


def do(lab: Lab, *words: str, **environ: str) -> tuple[int, str, str]:
    return lab.end(lab.start(*words, **environ), DEADLINE_S)


def eventually(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, f"did not happen: {what}"
        time.sleep(0.1)
