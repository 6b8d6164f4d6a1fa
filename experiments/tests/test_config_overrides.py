"""`--set key=value` changes an experiment as an edit of its file would, and is checked as strictly."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.config import load_experiment
from experiments.config_experiment import Experiment
from experiments.config_mistakes import Mistakes

TEXT = """\
question: Which is faster?
sizes: [4KiB..64KiB x2]
reps: 3
arms:
  rdma:         {path: rdma}
  chunked+get:  {path: chunked}
verdicts:
  - crossover: {of: rdma, over: chunked+get}
"""


@pytest.fixture
def mine(tmp_path: Path) -> str:
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT)
    return str(path)


def loaded(mine: str, *overrides: str) -> Experiment:
    experiment = load_experiment(mine, overrides).experiment
    assert isinstance(experiment, Experiment)
    return experiment


def refusal(mine: str, *overrides: str) -> str:
    with pytest.raises(Mistakes) as caught:
        load_experiment(mine, overrides)
    return caught.value.message


def test_sets_scalars_lists_and_nested_keys(mine: str) -> None:
    experiment = loaded(
        mine,
        "reps=7",
        "sizes=[4KiB, 1MiB+4097, 2MiB..8MiB x2]",
        "arms.chunked+get.chunk=1MiB",
        "verdicts.0.crossover.within=3",
        "limits.get_timeout_ms=5",
    )
    assert experiment.reps == 7
    assert experiment.payloads() == (4096, (1 << 20) + 4097, 2 << 20, 4 << 20, 8 << 20)
    assert experiment.arms["chunked+get"].chunk == 1 << 20
    assert experiment.verdicts[0].crossover is not None
    assert experiment.verdicts[0].crossover.within == 3.0
    assert experiment.limits.get_timeout_ms == 5


def test_whole_arm_can_be_added(mine: str) -> None:
    assert loaded(mine, "arms.more={path: rdma, read: get_into}").arms["more"].read == "get_into"


def test_value_may_hold_an_equals_sign(mine: str) -> None:
    assert loaded(mine, "question=Is a=b?").question == "Is a=b?"


def test_seed_does_not_move_when_something_else_is_set(mine: str) -> None:
    assert load_experiment(mine, ["reps=9"]).seed == load_experiment(mine).seed
    assert load_experiment(mine, ["seed=42"]).seed == 42


def test_comments_and_layout_do_not_change_the_seed(mine: str, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("# a remark\n" + TEXT.replace("[4KiB..64KiB x2]", "\n  - 4KiB..64KiB x2"))
    assert load_experiment(str(other)).seed == load_experiment(mine).seed


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("reps=0", "--set: reps: '0' is too small, the least is 1\n      | reps=0\n      |      ^"),
        ("rep=4", "--set: unknown key 'rep'\n      | rep=4\n      | ^ did you mean 'reps'?"),
        ("sizes=[4KiB, 4KB]", "      |              ^ 'KB' can mean 1000 or 1024"),
        ("sizes=4KiB", "^ write [4KiB]"),
        ("sizes=[-1]", "size -1 is below 1"),
        ("sizes=[0]", "size 0 is below 1"),
        (
            "arms.rdm.chunk=1MiB",
            "there is no arm 'rdm'\n      | arms.rdm.chunk=1MiB\n      |      ^ did you mean 'rdma'?",
        ),
        ("arms.rdma.chunck=1MiB", "unknown key 'chunck' in arm 'rdma'"),
        ("arms.rdma.min_bytes=8KiB", "min_bytes of rdma arm 'rdma' is above 4KiB"),
        ("verdicts.3.crossover.within=2", "'3' is no entry of verdicts"),
        ("reps.more=2", "reps has no parts"),
        ("reps", "write key=value"),
        ("=3", "write key=value"),
        ("reps=[", "--set: not YAML"),
        ("reps={a: 1, a: 2}", "'a' stands twice"),
        ("limits=[]", "limits: '[]' is not a mapping"),
    ],
)
def test_mistakes_point_into_the_override(mine: str, override: str, told: str) -> None:
    assert told in refusal(mine, override)


def test_key_set_twice_is_refused(mine: str) -> None:
    assert "'reps' is set twice" in refusal(mine, "reps=3", "reps=4")


def test_mistakes_of_several_overrides_are_told_together(mine: str) -> None:
    told = refusal(mine, "reps=0", "pairs=0")
    assert "reps: '0'" in told
    assert "pairs: '0'" in told


def test_order_of_keys_does_not_change_the_seed(mine: str, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("reps: 3\n" + TEXT.replace("reps: 3\n", ""))
    assert load_experiment(str(other)).seed == load_experiment(mine).seed


def test_replaced_value_is_not_pointed_at(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT + "limits: {arena_bytes: 128MiB}\n")
    told = refusal(str(path), "limits={registered_bytes: 1MiB}")
    assert "arena_bytes 64MiB is above registered_bytes" in told
    assert "128MiB" not in told
