"""A UCX prefix that stands in a variable of the node."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from experiments.config_site import Node, Site, SiteUcx
from experiments.setup_record import RunOnNode
from experiments.ucx_on_node import prefix_on_node
from store.errors import Exit, LabError

# What a login shell of a cluster defines.
PROFILE = """
module() {
    [ "$2" = hpcx ] || { echo "no module $2" >&2; return 1; }
    echo "loading"
    export HPCX_UCX_DIR=/opt/hpcx/ucx
}
"""


def site(*modules: str) -> Site:
    return Site(description="x", launcher="local", nodes=(Node(name="n1"),), ucx=SiteUcx(modules=modules, prefix="$A"))


@pytest.fixture
def run(tmp_path: Path) -> RunOnNode:
    (tmp_path / ".bash_profile").write_text(PROFILE)

    def on_node(argv: Sequence[str], text: str) -> tuple[int, str, str]:
        env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "UCX_DIR": "/opt/ucx", "BAD": "relative"}
        done = subprocess.run(argv, input=text, env=env, capture_output=True, text=True, check=False, timeout=30)
        return done.returncode, done.stdout, done.stderr

    return on_node


def test_a_path_is_left_as_it_is() -> None:
    assert prefix_on_node(lambda argv, text: (1, "", ""), "n1", site(), "/usr") == "/usr"


@pytest.mark.parametrize("written", ["$UCX_DIR", "${UCX_DIR}"])
def test_a_variable_of_the_node(run: RunOnNode, written: str) -> None:
    assert prefix_on_node(run, "n1", site(), written) == "/opt/ucx"


def test_a_variable_that_a_module_sets(run: RunOnNode) -> None:
    assert prefix_on_node(run, "n1", site("hpcx"), "$HPCX_UCX_DIR") == "/opt/hpcx/ucx"


@pytest.mark.parametrize(
    ("modules", "written", "why"),
    [
        (("ghost",), "$HPCX_UCX_DIR", "no module ghost"),
        ((), "$HPCX_UCX_DIR", "HPCX_UCX_DIR is not set there"),
        ((), "$BAD", "BAD is not set there"),
    ],
)
def test_what_cannot_be_resolved_is_told(run: RunOnNode, modules: tuple[str, ...], written: str, why: str) -> None:
    with pytest.raises(LabError, match=why) as caught:
        prefix_on_node(run, "n1", site(*modules), written)
    assert caught.value.exit_code is Exit.CANNOT_RUN
