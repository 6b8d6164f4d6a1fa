"""The testbed, booted once for all tests that ask for it, and left as it was found."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.testbeds.softroce import Testbed
from experiments.testbeds.tests.softroce_nodes import Nodes
from experiments.tests.e2e_lab import Lab
from store.names import ROOT


@pytest.fixture(scope="session")
def nodes() -> Iterator[Nodes]:
    """Both nodes, ready."""
    testbed = Testbed(ROOT)
    was_up = all(node.condition == "ready" for node in testbed.status())
    testbed.up(print)
    with tempfile.TemporaryDirectory(prefix="rl-") as folder:  # short: sockets lie in it
        yield Nodes(testbed, Path(folder))
        Nodes(testbed, Path(folder)).log_out(Path(folder))
    if not was_up:
        testbed.down(print)


@pytest.fixture
def lab(nodes: Nodes, tmp_path: Path) -> Lab:
    """A store of the test's own, with the testbed up."""
    return Lab(tmp_path)
