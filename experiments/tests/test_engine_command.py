"""What starts the engine: words, environment, deadlines."""

from typing import Any

import pytest

from experiments.engine_command import Side, deadlines_for, engine_command, engine_path, ranges
from store.errors import Exit, LabError

PLAN: dict[str, Any] = {
    "cells": [{"arm": 0, "size": 50_000_000}, {"arm": 0, "size": 4096}],
    "blocks": [{"pair": 0, "cells": [0, 1]}] * 10,
    "limits": {"get_timeout_ms": 2000, "exchange_timeout_ms": 3000},
}


@pytest.mark.parametrize(
    ("blocks", "text"),
    [([0], "0"), ([0, 1, 2], "0-2"), ([0, 5, 6, 7, 9], "0,5-7,9"), ([3, 4, 6], "3-4,6")],
)
def test_blocks_are_told_as_ranges(blocks: list[int], text: str) -> None:
    assert ranges(blocks) == text


def test_the_environment_is_the_lanes_the_bindings_and_nothing_else() -> None:
    side = Side("owner", "n1", address="10.0.0.1", env={"UCX_NET_DEVICES": "lo", "X": "1"}, ucx_prefix="/ucx")
    command = engine_command(
        side,
        engine="/e",
        plan="/p",
        out="/o",
        exchange="dir:/o/exchange",
        token="ab",
        pair=3,
        blocks=[0, 1],
        lane_env={"UCX_TLS": "tcp"},
    )
    assert command.argv[0] == "/e"
    assert "--listen=10.0.0.1" in command.argv
    assert dict(command.env) == {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LC_ALL": "C",
        "LD_LIBRARY_PATH": "/ucx/lib",
        "UCX_TLS": "tcp",
        "UCX_NET_DEVICES": "lo",
        "X": "1",
        "UCX_LOG_FILE": "/o/owner.ucx.log",
        "UCX_PROTO_INFO": "y",
    }


def test_deadlines_follow_the_plan_the_estimate_and_the_way_to_the_node() -> None:
    near = deadlines_for(PLAN, 10, estimate_s=10.0)
    far = deadlines_for(PLAN, 5, estimate_s=10.0, allowance_s=45.0)
    assert near.stall_s == pytest.approx(5.0 + 3.0 + 2.0, abs=0.01)  # waits, margin, 50 MB at 25 MB/s
    assert near.total_s > 10.0 * 10
    assert far.stall_s == pytest.approx(near.stall_s + 45.0)
    assert far.total_s < near.total_s + 45.0


def test_an_engine_that_is_not_built_cannot_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RDMALAB_ENGINE", "/nowhere/engine")
    with pytest.raises(LabError, match="no engine there") as caught:
        engine_path()
    assert caught.value.exit_code == Exit.CANNOT_RUN
