"""A peer tool that ends well and prints a rate of 0 is asked again, and what it printed is kept."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from experiments import peer_pair
from experiments.peer_commands import PeerCell

ROW = """\
 #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 64         200              0.00               {rate}   \t\t   {mpps}
"""
VOID, SOUND = ROW.format(rate="0.00", mpps="0.000000"), ROW.format(rate="0.19", mpps="0.003065")
CELL = PeerCell(
    arm={"peer": "perftest", "mode": "rate", "op": "send"}, size=64, window=16, device="rxe0:1", gid_index="1",
    error_handling=False, rdmacm=False,
)  # fmt: skip


def tried(folder: Path, monkeypatch: pytest.MonkeyPatch, *outputs: str, problem: str | None = None) -> Any:
    """How the cell ended when the tool prints `outputs`, one a try; every try writes both logs."""
    left = list(outputs)

    def run_cell(*_: Any, **__: Any) -> Any:
        text = left.pop(0)
        for role in ("owner", "consumer"):
            (folder / f"cell-5.{role}.txt").write_text(text)
        return peer_pair._Ended(text, problem)

    monkeypatch.setattr(peer_pair, "_run_cell", run_cell)
    monkeypatch.setattr(peer_pair, "_peer_cell", lambda *_: CELL)
    order: Any = SimpleNamespace(pair=SimpleNamespace(folder=folder, consumer=None))
    commands: Any = {"owner": None, "consumer": None}
    nothing: Any = None
    ended = peer_pair._run_until_measured(order, 5, commands, launcher=nothing, stop=nothing)
    assert not left
    return ended


def test_a_rate_of_0_is_tried_again_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tried(tmp_path, monkeypatch, VOID, SOUND).text == SOUND
    assert (tmp_path / "cell-5.consumer.void-1.txt").read_text() == VOID
    assert (tmp_path / "cell-5.owner.void-1.txt").read_text() == VOID
    assert (tmp_path / "cell-5.consumer.txt").read_text() == SOUND


def test_three_times_nothing_is_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tried(tmp_path, monkeypatch, VOID, VOID, VOID).text == VOID


def test_a_failure_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tried(tmp_path, monkeypatch, VOID, problem="its server died").problem == "its server died"
