"""What `diff` finds between two records: by class, by node or role, in plan and binding; what is not comparable."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.run_difference import GROUPS, Difference, run_difference
from analysis.tests.synthetic import Arm, Recipe
from analysis.tests.synthetic_run import make_run
from store.errors import LabError
from store.facts import Fact, Status
from store.names import PUBLISHED
from store.write import set_writable

RECIPE = Recipe(sizes=(4096,), reps=2)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    set_writable(tmp_path, True)


def facts(**values: object) -> dict[str, Fact]:
    return {key.replace("__", "."): Fact(value, None, "made up") for key, value in values.items()}  # type: ignore[arg-type]


def two(store: Path, one: Recipe, other: Recipe) -> tuple[Path, Path]:
    return make_run(store / "a", one), make_run(store / "b", other)


def test_the_same_record_differs_in_nothing(store: Path) -> None:
    found = run_difference(*two(store, RECIPE, RECIPE))
    assert list(found.groups) == list(GROUPS)
    assert not any(found.groups.values())
    assert (found.same, found.not_comparable) == (6, ())


def test_a_difference_stands_under_what_it_means(store: Path) -> None:
    one = replace(RECIPE, facts=facts(nic__mlx5_0__firmware="28.43", cpu__mhz=2400.0, memory__total=100))
    other = replace(RECIPE, facts=facts(nic__mlx5_0__firmware="28.45", cpu__mhz=2397.0, memory__total=200, cpu__load=3))
    groups = run_difference(*two(store, one, other)).groups
    assert groups["identity"] == (Difference("node1.nic.mlx5_0.firmware", "28.43", "28.45"),)
    assert groups["tolerant"] == (
        Difference("node1.cpu.mhz", 2400.0, 2397.0, within=True),
        Difference("node1.memory.total", 100, 200),
    )
    assert [each.key for each in groups["volatile"]] == ["node1.cpu.load"]


def test_what_one_record_lacks_is_not_comparable(store: Path) -> None:
    absent = {"nic.a.firmware": Fact(None, None, "sysfs", Status.ABSENT)}
    one = replace(RECIPE, facts={**absent, **facts(kernel__version="1")})
    other = replace(RECIPE, facts=facts(nic__a__firmware="28.43"))
    found = run_difference(*two(store, one, other))
    assert not found.groups["identity"]
    assert found.not_comparable == (("node1.kernel.version", "absent in B"), ("node1.nic.a.firmware", "absent in A"))


def test_what_the_processes_told_after_the_run_counts_too(store: Path) -> None:
    one, other = (
        replace(RECIPE, facts_after=facts(ucx__runtime_version=version, ucx__setting__UCX_LOG_FILE=version))
        for version in ("1.20.1", "1.22.0")
    )
    groups = run_difference(*two(store, one, other)).groups
    assert groups["identity"] == (Difference("node1.ucx.runtime_version", "1.20.1", "1.22.0"),)
    assert [each.key for each in groups["volatile"]] == ["node1.ucx.setting.UCX_LOG_FILE"]


def test_plans_differ_by_arm_and_key(store: Path) -> None:
    more = Arm("third", 10_000, 1.0)
    changed = replace(RECIPE.arms[0], extra={"depth": 4})
    other = replace(RECIPE, arms=(changed, RECIPE.arms[1], more), sizes=(4096, 8192))
    plan = {each.key: (each.before, each.after) for each in run_difference(*two(store, RECIPE, other)).groups["plan"]}
    assert plan["arm chunked: depth"] == (1, 4)
    assert plan["arm third"] == (None, "planned")
    assert plan["sizes"] == ([4096], [4096, 8192])
    assert not [key for key in plan if key.startswith(("cells", "blocks"))]


def rename(run: Path, node: str, role: str) -> None:
    """The run as if it had been made on another node."""
    set_writable(run, True)
    setup = json.loads((run / "setup" / "node1.json").read_text())
    (run / "setup" / "node1.json").unlink()
    (run / "setup" / f"{node}.json").write_text(json.dumps({**setup, "node": node}))
    binding = json.loads((run / "binding.json").read_text())
    binding["nodes"][0] |= {"name": node, "role": role}
    (run / "binding.json").write_text(json.dumps(binding))


def test_nodes_of_other_names_are_matched_by_their_role(store: Path) -> None:
    one, other = two(store, RECIPE, replace(RECIPE, facts=facts(kernel__release="6.6")))
    rename(other, "n17", "both")
    found = run_difference(one, other)
    assert found.groups["identity"] == (Difference("both.kernel.release", "6.1.0", "6.6"),)
    assert found.groups["binding"] == (Difference("node of both", "node1", "n17"),)


def test_a_node_without_a_partner_is_not_comparable(store: Path) -> None:
    one, other = two(store, RECIPE, RECIPE)
    rename(other, "n17", "consumer")
    found = run_difference(one, other)
    assert found.not_comparable == (
        ("node1, all 6 facts", "no such node in B"),
        ("n17, all 6 facts", "no such node in A"),
    )


def test_figures_of_others_are_compared_by_their_setup(store: Path) -> None:
    found = run_difference(PUBLISHED / "velo_rdma", make_run(store, RECIPE))
    assert found.before == "published/velo_rdma"
    assert not found.groups["plan"], "figures have no plan"
    assert found.not_comparable


def test_a_folder_that_is_no_run_is_refused(store: Path) -> None:
    (store / "empty").mkdir()
    with pytest.raises(LabError, match="not a run"):
        run_difference(store / "empty", make_run(store, RECIPE))
