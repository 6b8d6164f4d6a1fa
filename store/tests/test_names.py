"""How a person's text finds a run."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from store.errors import Exit, LabError
from store.names import RUN_NAME, default_store, find_run, new_name, run_names

OLD, MIDDLE, NEW = "20261128T100000Z-a-00000001", "20261129T100000Z-b-00000002", "20261130T100000Z-a-00000003"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for name in (NEW, OLD, MIDDLE):
        (tmp_path / name).mkdir()
        (tmp_path / name / "plan.json").write_text("{}")
    (tmp_path / ".new-20261130T110000Z-a-00000004").mkdir()
    (tmp_path / "notes").mkdir()
    return tmp_path


def test_runs_are_listed_oldest_first_and_nothing_else(store: Path) -> None:
    assert run_names(store) == [OLD, MIDDLE, NEW]
    assert run_names(store / "absent") == []


def test_runs_of_one_second_are_in_order_of_their_plans(store: Path) -> None:
    for age, name in enumerate(("20261201T000000Z-z-ffffffff", "20261201T000000Z-a-00000000")):
        (store / name).mkdir()
        (store / name / "plan.json").write_text("{}")
        os.utime(store / name / "plan.json", (age, age))
    assert find_run("@last", store).name == "20261201T000000Z-a-00000000"
    assert find_run("@last-1", store).name == "20261201T000000Z-z-ffffffff"


@pytest.mark.parametrize(
    ("text", "name"),
    [("@last", NEW), ("@last-2", OLD), ("20261129", MIDDLE), (OLD, OLD), ("20261130T100000Z-a", NEW)],
)
def test_a_run_is_found(store: Path, text: str, name: str) -> None:
    assert find_run(text, store) == store / name


def test_a_run_is_found_by_its_folder(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(store)
    assert find_run(f"./{OLD}/", Path("/nowhere")) == store / OLD


@pytest.mark.parametrize(
    ("text", "message", "advice"),
    [
        ("2026", "fits 3 runs", MIDDLE),
        ("20261130T100000Z-a-00000004", "no run is called", NEW),
        ("@last-3", "holds 3 runs", None),
        ("", "no run is called", NEW),
    ],
)
def test_what_finds_no_run_lists_candidates(store: Path, text: str, message: str, advice: str | None) -> None:
    with pytest.raises(LabError, match=message) as caught:
        find_run(text, store)
    assert caught.value.exit_code == Exit.USAGE
    assert advice is None or advice in str(caught.value)


def test_a_folder_that_is_no_run_is_said_to_be_none(store: Path) -> None:
    with pytest.raises(LabError, match="but no run"):
        find_run(str(store / "notes"), store)


def test_new_names_are_names_whatever_the_experiment_is_called() -> None:
    moment = datetime(2026, 11, 30, 10, 15, tzinfo=UTC)
    for experiment in ("quickstart", "my exp/..", "ü", ""):
        name = new_name(experiment, moment)
        assert RUN_NAME.match(name) and "/" not in name


def test_the_store_is_the_option_then_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RDMALAB_STORE", str(tmp_path / "env"))
    assert default_store(tmp_path / "asked") == tmp_path / "asked"
    assert default_store() == tmp_path / "env"
    monkeypatch.delenv("RDMALAB_STORE")
    assert default_store().name == "runs"
