"""How names find experiments, lanes and sites: shipped, the user's own, any file; what a slip is answered with."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.config import load_defaults, load_experiment, load_lane, load_site, names
from experiments.config_mistakes import Mistakes
from experiments.places import user_configs
from store.errors import Exit, LabError

OWN = "question: q\nsizes: [4KiB]\nreps: 2\narms: {a: {path: rdma}}\n"
LANE = """\
description: mine
env: {UCX_TLS: "rc_mlx5,ud_mlx5"}
transports: [rc_mlx5]
accepts: {get: [zero-copy]}
estimate: {bytes_per_second: 1GiB, transfer_us: 5}
"""


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "rdmalab"
    for kind in ("experiments", "lanes", "sites"):
        (folder / kind).mkdir(parents=True)
    return folder


def test_shipped_names() -> None:
    assert set(names("experiment")) >= {
        "quickstart",
        "rendezvous_warm",
        "rendezvous_cold",
        "threshold_clean",
        "as_published",
        "copy_cost",
        "noise",
    }
    assert set(names("lane")) >= {"tcp", "shm", "rc_verbs", "rc_mlx5_ib", "rc_mlx5_roce", "dc_mlx5", "verbs"}
    assert "local" in names("site")


@pytest.mark.parametrize("lane", names("lane"))
def test_shipped_lanes_load(lane: str) -> None:
    assert load_lane(lane).description


def test_lanes_that_nobody_ran_say_so() -> None:
    for lane in ("rc_mlx5_ib", "rc_mlx5_roce", "dc_mlx5"):
        assert "never_run_on_hardware" in load_lane(lane).caveats
    assert load_lane("tcp").caveats == ("emulated_get",)


def test_own_configs_are_found_by_name(own: Path) -> None:
    (own / "experiments" / "mine.yaml").write_text(OWN)
    (own / "lanes" / "my_lane.yaml").write_text(LANE)
    (own / "sites" / "my_site.yaml").write_text("description: d\nlauncher: local\nnodes: [{name: here}]\n")
    assert load_experiment("mine").name == "mine"
    assert load_lane("my_lane").transports == ("rc_mlx5",)
    assert load_site("my_site").node_of("consumer").name == "here"
    assert "mine" in names("experiment")


def test_own_name_must_not_hide_a_shipped_one(own: Path) -> None:
    (own / "lanes" / "tcp.yaml").write_text(LANE)
    with pytest.raises(LabError, match="ships with the tool") as caught:
        load_lane("tcp")
    assert caught.value.exit_code is Exit.USAGE


def test_defaults_name_the_site(own: Path) -> None:
    assert load_defaults().site == "local"
    (own / "defaults.yaml").write_text("site: cluster\n")
    assert load_defaults().site == "cluster"
    (own / "defaults.yaml").write_text("sites: cluster\n")
    with pytest.raises(Mistakes, match="did you mean 'site'"):
        load_defaults()


def test_relative_xdg_folder_is_ignored() -> None:
    assert user_configs({"XDG_CONFIG_HOME": "relative"}) == user_configs({})


@pytest.mark.parametrize(
    ("kind", "load", "typo", "near"),
    [
        ("experiment", load_experiment, "quickstrat", "quickstart"),
        ("lane", load_lane, "rc_verb", "rc_verbs"),
        ("site", load_site, "locl", "local"),
    ],
)
def test_unknown_names_get_the_nearest(kind: str, load: object, typo: str, near: str) -> None:
    assert callable(load)
    with pytest.raises(LabError, match=f"there is no {kind} '{typo}'") as caught:
        load(typo)
    assert caught.value.exit_code is Exit.USAGE
    assert near in (caught.value.advice or "")


def test_name_like_nothing_gets_the_list() -> None:
    with pytest.raises(LabError) as caught:
        load_experiment("xyzzy")
    assert "quickstart" in (caught.value.advice or "")


def test_file_that_is_not_there() -> None:
    with pytest.raises(LabError, match=r"no/where\.yaml: no such file") as caught:
        load_experiment("no/where.yaml")
    assert caught.value.exit_code is Exit.USAGE
