"""What is generated from the models is up to date, and says the same as they do."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from experiments.config import load_experiment, load_lane, names
from experiments.config_shape import keys_of
from experiments.key_tables import PAGE, TABLES, is_stale, updated
from experiments.plan_model import OperationsPlan, Plan
from experiments.planner import canonical, make_plan
from experiments.schemas import SCHEMAS, schema_text, stale, write


def test_committed_schemas_are_up_to_date() -> None:
    assert stale() == [], "run python -m experiments.schemas"


def test_documented_keys_are_up_to_date() -> None:
    assert not is_stale(), "run python -m experiments.schemas"


def test_stale_absent_and_left_over_schemas_are_named_and_mended(tmp_path: Path) -> None:
    assert write(tmp_path) == sorted(SCHEMAS)
    (tmp_path / "lane.json").write_text("{}")
    (tmp_path / "site.json").unlink()
    (tmp_path / "gone.json").write_text("{}")
    assert stale(tmp_path) == ["gone", "lane", "site"]
    assert write(tmp_path) == ["gone", "lane", "site"]
    assert stale(tmp_path) == []


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_schema_is_json_with_a_dialect(name: str) -> None:
    schema: dict[str, Any] = json.loads(schema_text(name))
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert schema["title"].startswith("rdmalab: ")


def test_schema_closes_every_object_of_a_plan() -> None:
    schema = json.loads(schema_text("plan"))
    for part in schema["$defs"].values():
        assert part["additionalProperties"] is False
    plans = [schema["$defs"][choice["$ref"].rpartition("/")[2]] for choice in schema["anyOf"]]
    assert [set(plan["required"]) == set(plan["properties"]) for plan in plans] == [True, True]


@pytest.mark.parametrize("name", names("experiment"))
def test_plans_agree_with_their_model(name: str) -> None:
    loaded = load_experiment(name)
    lane = loaded.experiment.lane
    plan = make_plan(loaded.name, loaded.experiment, lane, load_lane(lane), loaded.seed)
    model = OperationsPlan if plan["engine"] == "operations" else Plan
    read = model.model_validate_json(canonical(plan))
    assert canonical(read.model_dump(mode="json", by_alias=True, exclude_none=False))
    assert len(read.blocks) == len(plan["blocks"])
    assert [arm.model_dump(mode="json", by_alias=True) for arm in read.arms] == plan["arms"]


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_key_has_a_meaning(name: str) -> None:
    for key, field in TABLES[name].model_fields.items():
        assert field.description, f"{name}: {key} has no description"


def test_every_key_of_an_experiment_stands_in_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for model in TABLES.values():
        for key in keys_of(model):
            assert f"| `{key}` |" in page


def test_example_of_the_page_is_an_experiment(tmp_path: Path) -> None:
    example = PAGE.read_text(encoding="utf-8").split("```yaml\n")[1].split("```")[0]
    (tmp_path / "mine.yaml").write_text(textwrap.dedent(example))
    assert set(load_experiment(str(tmp_path / "mine.yaml")).experiment.arms) == {"rdma", "small", "large"}


def test_page_without_a_mark_is_an_error() -> None:
    with pytest.raises(ValueError, match="no place for the keys of 'experiment'"):
        updated("# a page without marks\n")
