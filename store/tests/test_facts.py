"""Facts and the classes of their keys."""

import pytest

from store.errors import LabError
from store.facts import Fact, Status, absent, denied, said
from store.setup_keys import KeyClass, class_of, same


@pytest.mark.parametrize("word", ["null", "N/A", "(null)", "", " None ", "nan", "<unknown>"])
def test_a_word_for_nothing_never_becomes_a_value(word: str) -> None:
    assert said(word, "here") == absent("here")
    with pytest.raises(LabError):
        Fact(word, None, "here")


def test_a_value_and_its_status_agree() -> None:
    with pytest.raises(LabError):
        Fact(None, None, "here", Status.MEASURED)
    with pytest.raises(LabError):
        Fact(3, None, "here", Status.ABSENT)


@pytest.mark.parametrize("fact", [said(3, "a", "MHz"), denied("b"), absent("c", "bytes"), said(["x", "y"], "d")])
def test_a_fact_survives_its_file(fact: Fact) -> None:
    assert Fact.from_json(fact.to_json()) == fact


@pytest.mark.parametrize("data", [{}, {"value": 1, "unit": None, "source": "x", "status": "perhaps"}])
def test_what_is_no_fact_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(LabError):
        Fact.from_json(data)


def test_zero_and_false_are_values() -> None:
    assert said(0, "a").value == 0
    assert said(False, "a").value is False


def test_classes_of_keys() -> None:
    assert class_of("nic.mlx5_2.firmware") is KeyClass.IDENTITY
    assert class_of("nic.rxe0.node_guid") is KeyClass.VOLATILE
    assert class_of("port.mlx5_2:1.state") is KeyClass.IDENTITY
    assert class_of("port.mlx5_2:1.counter.port_rcv_data") is KeyClass.VOLATILE
    assert class_of("cpu.mhz") is KeyClass.TOLERANT
    with pytest.raises(LabError, match="setup_keys"):
        class_of("weather.today")


def test_tolerance_is_for_tolerant_numbers_only() -> None:
    assert same("cpu.mhz", 2400, 2397)
    assert not same("cpu.mhz", 2400, 2300)
    assert not same("port.a:1.rate", 100, 100.1)
    assert same("memory.available", 1, 9)
    assert not same("cpu.mhz", None, 2400)
