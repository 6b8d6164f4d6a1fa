"""The real engine takes every shipped plan, and refuses what the planner refuses: the two share one contract."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from experiments.config import load_experiment, load_lane, names
from experiments.engine_command import engine_path
from experiments.planner import canonical, make_plan
from experiments.resolve import check_engine
from experiments.ucx_prefix import DEFAULT, resolve_prefix
from store.errors import Exit, LabError

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def engine() -> Path:
    return engine_path()


def check(engine: Path, plan: bytes, folder: Path) -> subprocess.CompletedProcess[str]:
    path = folder / "plan.json"
    path.write_bytes(plan)
    return subprocess.run(
        [str(engine), f"--check-plan={path}"],
        env={"LD_LIBRARY_PATH": str(resolve_prefix(DEFAULT, os.environ) / "lib")},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


OF_VERBS_ONLY = "verbs_against_perftest"  # perftest drives queue pairs, which lanes over UCX do not show
ON_LANES = [
    (name, lane)
    for name in names("experiment")
    for lane in (("verbs",) if name == OF_VERBS_ONLY else ("tcp", "shm", "rc_verbs", "rc_mlx5_ib"))
]


@pytest.mark.parametrize(("name", "lane"), ON_LANES)
def test_engine_takes_every_shipped_plan(engine: Path, name: str, lane: str, tmp_path: Path) -> None:
    loaded = load_experiment(name)
    plan = make_plan(loaded.name, loaded.experiment, lane, load_lane(lane), loaded.seed)
    checked = check(engine, canonical(plan), tmp_path)
    assert checked.returncode == 0, checked.stderr
    check_engine(plan, engine)


@pytest.mark.parametrize(
    ("override", "exit_code"),
    [("arms.rdma+get.memory=cuda", Exit.CANNOT_RUN), ("arms.rdma+get.op=put", Exit.CANNOT_RUN)],
)
def test_engine_and_planner_refuse_alike_what_is_not_built(
    engine: Path, override: str, exit_code: Exit, tmp_path: Path
) -> None:
    loaded = load_experiment("quickstart", [override])
    plan = make_plan(loaded.name, loaded.experiment, "tcp", load_lane("tcp"), loaded.seed)
    with pytest.raises(LabError) as caught:
        check_engine(plan, engine)
    assert caught.value.exit_code is exit_code
    assert check(engine, canonical(plan), tmp_path).returncode == exit_code
