"""What an engine saw of its UCX_* environment against what it was given."""

from __future__ import annotations

from typing import Any

import pytest

from experiments.seen_environment import seen_otherwise

GIVEN = {"UCX_TLS": "rc_verbs,self", "UCX_NET_DEVICES": "mlx5_2:1", "PATH": "/usr/bin"}
SAME = {"UCX_TLS": "rc_verbs,self", "UCX_NET_DEVICES": "mlx5_2:1"}


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (SAME, []),
        (SAME | {"UCX_TLS": "tcp"}, ["UCX_TLS=rc_verbs,self arrived as tcp"]),
        ({"UCX_TLS": "rc_verbs,self"}, ["UCX_NET_DEVICES=mlx5_2:1 did not arrive"]),
        (SAME | {"UCX_RNDV_THRESH": "0"}, ["UCX_RNDV_THRESH=0 was not given"]),
    ],
)
def test_each_difference_is_told(seen: dict[str, str], told: list[str]) -> None:
    assert seen_otherwise(GIVEN, {"ucx": {"env": seen}}) == told


@pytest.mark.parametrize("description", [None, {}, {"ucx": None}, {"ucx": {"env": "x"}}])
def test_without_a_description_there_is_nothing_to_compare(description: dict[str, Any] | None) -> None:
    assert seen_otherwise(GIVEN, description) == []
