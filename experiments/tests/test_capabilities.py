"""What the engine says of itself decides what a plan may ask: valid but not built is exit 5, with what can be done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from experiments.capabilities import ask_engine, check_built, parse_capabilities
from experiments.config import load_experiment, load_lane
from experiments.planner import make_plan
from store.errors import Exit, LabError

DESCRIBED: dict[str, Any] = {
    "format": "rdmalab.capabilities",
    "version": 1,
    "engine_version": "0.1.0",
    "engines": ["rendezvous"],
    "pair": ["cold", "warm"],
    "order": ["sequential", "interleaved", "random"],
    "exchange": ["dir", "tcp"],
    "arm": {
        "path": ["rdma", "chunked"],
        "op": ["get"],
        "read": ["get", "get_pinned", "get_into"],
        "via": ["am", "tcp"],
        "copy": ["after", "overlapped"],
        "destination": ["fresh", "reused"],
        "staging": ["pinned", "plain"],
        "progress": ["inline", "thread"],
        "memory": ["host"],
    },
    "layout": {"max_blocks": 1},
}


def a_plan(*overrides: str) -> dict[str, Any]:
    loaded = load_experiment("quickstart", overrides)
    return make_plan(loaded.name, loaded.experiment, "tcp", load_lane("tcp"), loaded.seed)


def described(**changes: Any) -> str:
    return json.dumps({**DESCRIBED, **changes})


def test_plan_within_the_capabilities_passes() -> None:
    check_built(a_plan(), parse_capabilities(described(), Path("engine")))


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("arms.rdma+get.memory=cuda", "memory of arm 'rdma+get': cuda (it can: host)"),
        ("arms.rdma+get.op=put", "op of arm 'rdma+get': put (it can: get)"),
        ("arms.rdma+get.layout.blocks=4", "layout of arm 'rdma+get' has 4 blocks (it can: up to 1)"),
    ],
)
def test_valid_but_not_built_is_exit_5(override: str, told: str) -> None:
    with pytest.raises(LabError) as caught:
        check_built(a_plan(override), parse_capabilities(described(), Path("engine")))
    assert caught.value.exit_code is Exit.CANNOT_RUN
    assert told in caught.value.message


def test_every_missing_value_is_told() -> None:
    with pytest.raises(LabError) as caught:
        check_built(
            a_plan("arms.rdma+get.memory=cuda", "arms.rdma+get_into.memory=host_huge"),
            parse_capabilities(described(), Path("engine")),
        )
    assert "rdma+get_into" in (caught.value.advice or "")


def test_key_that_the_engine_does_not_list_counts_as_not_built() -> None:
    arm = {key: value for key, value in DESCRIBED["arm"].items() if key != "progress"}
    with pytest.raises(LabError, match=r"progress of arm .* nothing listed"):
        check_built(a_plan(), parse_capabilities(described(arm=arm), Path("engine")))


@pytest.mark.parametrize("text", ["", "[]", "{}", "not json", described(version=2), described(format="other")])
def test_other_descriptions_are_refused(text: str) -> None:
    with pytest.raises(LabError) as caught:
        parse_capabilities(text, Path("engine"))
    assert caught.value.exit_code is Exit.CANNOT_RUN


def test_asks_the_real_process(tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    engine.write_text(f"#!/bin/sh\n[ \"$1\" = --describe ] && cat <<'END'\n{described()}\nEND\n")
    engine.chmod(0o755)
    assert ask_engine(engine, {"PATH": "/usr/bin:/bin"}).described == DESCRIBED


@pytest.mark.parametrize(
    ("script", "told"), [("echo lost a library >&2; exit 127", "lost a library"), ("exit 3", "exit 3")]
)
def test_engine_that_cannot_answer(tmp_path: Path, script: str, told: str) -> None:
    engine = tmp_path / "engine"
    engine.write_text(f"#!/bin/sh\n{script}\n")
    engine.chmod(0o755)
    with pytest.raises(LabError, match=told):
        ask_engine(engine, {"PATH": "/usr/bin:/bin"})
    with pytest.raises(LabError, match="No such file"):
        ask_engine(tmp_path / "absent", {})
