"""The table of lies cannot rot: what docs/lies.md names as a place or a test is there, and each lie has both."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from store.names import ROOT

TABLE = ROOT / "docs" / "lies.md"
CELL = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Row:
    """One lie: its number, the files that decide, the tests that make it on purpose."""

    number: int
    places: tuple[str, ...]
    tests: tuple[str, ...]


def rows() -> list[Row]:
    found = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0].isdecimal():
            number, _, _, where, tests = cells
            found.append(Row(int(number), tuple(CELL.findall(where)), tuple(CELL.findall(tests))))
    return found


def problem_of(test: str) -> str | None:
    """Why `file::name`, `file::name[case]` or `file.cc::Suite.Name` is no test; None where it is one."""
    path, _, name = test.partition("::")
    if not (ROOT / path).is_file():
        return f"no file {path}"
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".cc"):
        suite, _, case = name.partition(".")
        there = re.search(rf"\bTEST(_F|_P)?\({suite},\s*{case}\)", text)
        return None if there else f"no {name} in {path}"
    function, _, case = name.rstrip("]").partition("[")
    if not re.search(rf"^def {function}\(", text, re.MULTILINE):
        return f"no {function} in {path}"
    return None if not case or re.search(rf'^    "{case}": \(', text, re.MULTILINE) else f"no case {case} in {path}"


def test_each_of_the_thirty_has_its_row() -> None:
    assert [row.number for row in rows()] == list(range(1, 31))


@pytest.mark.parametrize("row", rows(), ids=lambda row: str(row.number))
def test_places_and_tests_are_there(row: Row) -> None:
    assert row.places and row.tests
    assert [place for place in row.places if not (ROOT / place).is_file()] == []
    assert [problem for test in row.tests if (problem := problem_of(test))] == []


@pytest.mark.parametrize(
    "test",
    [
        "cli/tests/no_such_file.py::test_x",
        "analysis/tests/test_caveats.py::test_no_such",
        "analysis/tests/test_caveats.py::test_the_lie_is_told[no_such]",
        "engine/verification/payload_test.cc::Payload.NoSuch",
    ],
)
def test_what_is_not_there_is_found(test: str) -> None:
    assert problem_of(test) is not None
