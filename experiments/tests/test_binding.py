"""Plan + lane + site -> binding: nodes, devices, cores, run time; what a site cannot bear is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from experiments.binding import Binding, Facts, bind, with_device
from experiments.config import load_experiment, load_lane, load_site, load_site_file
from experiments.config_lane import Lane
from experiments.config_site import Site
from experiments.cores import group_by_core, pinning
from experiments.planner import make_plan
from experiments.runnable import local_devices, obstacle
from experiments.ucx_prefix import chosen_prefix, resolve_prefix
from store.errors import Exit, LabError

TWO_NODES = """\
description: two nodes
launcher: ssh
exchange: tcp
nodes:
  - name: n1
    address: 10.0.0.1
    ssh: {host: h1}
    device: {rc_verbs: "mlx5_2:1", tcp: eth0}
    env: {UCX_LOG_LEVEL: warn}
  - {name: n2, address: 10.0.0.2, ssh: {host: h2}, device: "mlx5_0:1"}
env: {UCX_IB_GID_INDEX: "3"}
limits: {max_size: 1MiB}
estimate: {bytes_per_second: 1MiB, transfer_us: 50000}
"""


@pytest.fixture
def run_times(tmp_path: Path) -> Path:
    for name in ("1.22.0", "1.20.1-verbs"):
        (tmp_path / "ucx" / name / "lib").mkdir(parents=True)
        (tmp_path / "ucx" / name / "lib" / "libucp.so.0").touch()
    return tmp_path / "ucx"


@pytest.fixture
def two_nodes(tmp_path: Path) -> Site:
    path = tmp_path / "two.yaml"
    path.write_text(TWO_NODES)
    return load_site_file(path)


def a_plan(lane: str, *overrides: str) -> tuple[dict[str, Any], Lane]:
    loaded = load_experiment("quickstart", ["sizes=[4KiB, 64KiB]", *overrides])
    found = load_lane(lane)
    return make_plan(loaded.name, loaded.experiment, lane, found, loaded.seed), found


def test_local_binding(run_times: Path) -> None:
    plan, lane = a_plan("tcp")
    facts = Facts(cores=[[0, 2], [1, 3]], run_times=run_times)
    binding = bind(plan, lane, "local", load_site("local"), facts)
    owner, consumer = binding.nodes
    assert (owner.role, consumer.role) == ("owner", "consumer")
    assert owner.name == consumer.name == "localhost"
    assert (owner.cpus, consumer.cpus) == ([0], [1])
    assert owner.device == "lo"
    assert owner.env == {"UCX_NET_DEVICES": "lo"}
    assert owner.ucx_prefix == str(run_times / "1.22.0")
    assert binding.exchange == "dir"
    assert binding.estimate_s > 0


def test_binding_survives_its_file(run_times: Path) -> None:
    plan, lane = a_plan("shm")
    binding = bind(plan, lane, "local", load_site("local"), Facts(run_times=run_times))
    assert Binding.model_validate_json(binding.model_dump_json()) == binding
    assert Binding.model_validate(binding.model_dump(mode="json")) == binding


def test_two_nodes_have_their_own_devices_and_variables(two_nodes: Site, run_times: Path) -> None:
    plan, lane = a_plan("rc_verbs")
    binding = bind(plan, lane, "two", two_nodes, Facts(cores=[[0], [1]], run_times=run_times))
    owner, consumer = binding.nodes
    assert owner.env == {"UCX_IB_GID_INDEX": "3", "UCX_LOG_LEVEL": "warn", "UCX_NET_DEVICES": "mlx5_2:1"}
    assert consumer.env == {"UCX_IB_GID_INDEX": "3", "UCX_NET_DEVICES": "mlx5_0:1"}
    assert owner.address == "10.0.0.1"
    assert owner.cpus == consumer.cpus == []  # this host's cores say nothing about other nodes
    assert owner.ucx_prefix == str(run_times / "1.20.1-verbs")
    assert binding.estimate_s > 8  # 160 samples of 50 ms


def test_node_overrides_its_site(two_nodes: Site, run_times: Path) -> None:
    plan, lane = a_plan("rc_verbs")
    site = two_nodes.model_copy(update={"env": {"UCX_LOG_LEVEL": "error", "UCX_IB_GID_INDEX": "3"}})
    owner, consumer = bind(plan, lane, "two", site, Facts(run_times=run_times)).nodes
    assert owner.env["UCX_LOG_LEVEL"] == "warn"
    assert consumer.env["UCX_LOG_LEVEL"] == "error"


def test_device_found_by_the_preflight_is_put_in(run_times: Path) -> None:
    plan, lane = a_plan("shm")
    binding = bind(plan, lane, "local", load_site("local"), Facts(run_times=run_times))
    changed = with_device(binding, "consumer", "mlx5_1:1")
    assert changed.node("consumer").env["UCX_NET_DEVICES"] == "mlx5_1:1"
    assert changed.node("owner") == binding.node("owner")


def test_payload_above_the_sites_limit_is_refused_with_what_fits(two_nodes: Site, run_times: Path) -> None:
    plan, lane = a_plan("tcp")
    plan = {**plan, "sizes": [4096, 2 << 20]}
    with pytest.raises(LabError, match="site two takes payloads up to 1MiB, the plan has 2MiB") as caught:
        bind(plan, lane, "two", two_nodes, Facts(run_times=run_times))
    assert caught.value.exit_code is Exit.USAGE
    assert caught.value.advice == "--set sizes=[4KiB]"


@pytest.mark.parametrize(
    ("cores", "threads", "pinned"),
    [
        ([[0], [1]], 1, ([0], [1])),
        ([[0, 4], [1, 5], [2, 6], [3, 7]], 1, ([2], [3])),
        ([[0, 4], [1, 5], [2, 6], [3, 7]], 2, ([0, 1], [2, 3])),
        ([[0], [1]], 2, ([], [])),
        ([[0, 1]], 1, ([], [])),
        ([], 1, ([], [])),
    ],
)
def test_owner_and_consumer_never_share_a_core(cores: list[list[int]], threads: int, pinned: object) -> None:
    assert pinning(cores, threads) == pinned


def test_progress_threads_want_a_core_of_their_own(run_times: Path) -> None:
    plan, lane = a_plan("shm", "arms.rdma+get.progress=thread")
    facts = Facts(cores=[[0], [1], [2], [3]], run_times=run_times)
    binding = bind(plan, lane, "local", load_site("local"), facts)
    assert (binding.nodes[0].cpus, binding.nodes[1].cpus) == ([0, 1], [2, 3])


def test_cores_are_grouped_by_siblings(tmp_path: Path) -> None:
    for cpu, siblings in {0: "0,2", 1: "1,3", 2: "0,2", 3: "1,3"}.items():
        (tmp_path / f"cpu{cpu}" / "topology").mkdir(parents=True)
        (tmp_path / f"cpu{cpu}" / "topology" / "thread_siblings_list").write_text(siblings + "\n")
    assert group_by_core({0, 1, 2, 3}, tmp_path) == [[0, 2], [1, 3]]
    assert group_by_core({0, 3}, tmp_path) == [[0], [3]]
    assert group_by_core({5, 6}, tmp_path) == [[5], [6]]


def test_run_time_chosen_by_override_then_site_then_lane() -> None:
    assert chosen_prefix("/site", "lane", {"RDMALAB_UCX_PREFIX": "/mine"}) == "/mine"
    assert chosen_prefix("/site", "lane", {}) == "/site"
    assert chosen_prefix(None, "lane", {"RDMALAB_UCX_PREFIX": ""}) == "lane"
    assert chosen_prefix(None, None, {}) == "1.22.0"


def test_run_time_by_name_path_and_variable(run_times: Path) -> None:
    assert resolve_prefix("1.22.0", {}, run_times) == run_times / "1.22.0"
    assert resolve_prefix(str(run_times / "1.22.0"), {}, run_times) == run_times / "1.22.0"
    assert resolve_prefix("${HPCX}", {"HPCX": str(run_times / "1.22.0")}, run_times) == run_times / "1.22.0"


@pytest.mark.parametrize(
    ("written", "message", "exit_code"),
    [
        ("1.99", "there is no UCX run time '1.99'", Exit.CANNOT_RUN),
        ("/nowhere", "no lib/libucp.so.0 there", Exit.CANNOT_RUN),
        ("$NOT_SET", "NOT_SET is not set here", Exit.CANNOT_RUN),
        ("./near", "is a relative path", Exit.USAGE),
    ],
)
def test_run_time_that_is_not_there(written: str, message: str, exit_code: Exit, run_times: Path) -> None:
    with pytest.raises(LabError, match=message) as caught:
        resolve_prefix(written, {}, run_times)
    assert caught.value.exit_code is exit_code


def test_obstacles(two_nodes: Site, tmp_path: Path) -> None:
    local = load_site("local")
    assert obstacle("tcp", load_lane("tcp"), "local", local, []) is None
    assert obstacle("shm", load_lane("shm"), "local", local, []) is None
    assert obstacle("rc_verbs", load_lane("rc_verbs"), "two", two_nodes, []) is None
    assert obstacle("rc_verbs", load_lane("rc_verbs"), "local", local, ["rxe0"]) is None
    for lane, site, devices, message in (
        ("shm", two_nodes, [], "is for one host"),
        ("rc_verbs", local, [], "needs an RDMA port, and this host has none"),
        ("rc_mlx5_ib", local, ["rxe0"], "needs an mlx5 adapter"),
    ):
        found = obstacle(lane, load_lane(lane), "s", site, devices)
        assert found is not None
        assert message in found.message
        assert found.advice
        assert found.exit_code is Exit.CANNOT_RUN
    assert local_devices(tmp_path / "absent") == []
