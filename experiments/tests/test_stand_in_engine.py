"""The stand-in writes what the contract says, so that tests with it mean something."""

import json
from pathlib import Path

from experiments.engine_command import Deadlines, Side
from experiments.engine_pair import PairOrder, run_pair
from experiments.interrupts import Interrupts
from experiments.launchers.local import LocalLauncher
from experiments.resolve import resolve
from store.records import Record
from store.sample_lines import BlockLine, EndLine, RendezvousSample, StartLine

LINES: dict[str, type[Record]] = {"start": StartLine, "sample": RendezvousSample, "block": BlockLine, "end": EndLine}


def test_its_lines_are_those_of_the_contract(tmp_path: Path) -> None:
    plan = resolve("quickstart", overrides=["reps=2", "sizes=[4KiB]"]).plan_bytes
    (tmp_path / "plan.json").write_bytes(plan)
    (tmp_path / "pair").mkdir()
    engine = str(Path(__file__).with_name("stand_in_engine.py"))
    order = PairOrder(
        pair=0,
        planned_pair=0,
        folder=tmp_path / "pair",
        plan_file=tmp_path / "plan.json",
        blocks=[0, 1],
        owner=Side("owner", "here", engine=engine),
        consumer=Side("consumer", "here", engine=engine),
        lane_env={},
        deadlines=Deadlines(60, 30),
    )
    with Interrupts() as stop:
        assert run_pair(order, LocalLauncher(), stop, lambda _: None).exit == 0
    lines = [json.loads(line) for line in (tmp_path / "pair" / "samples.jsonl").read_text().splitlines()]
    for line in lines:
        LINES[line["kind"]].model_validate(line)
    assert [line["kind"] for line in lines].count("sample") == 8
