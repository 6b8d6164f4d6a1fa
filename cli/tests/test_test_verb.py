"""The words of `./rdmalab test`: parts, then what goes to the program behind one of them."""

from __future__ import annotations

import pytest

from cli.main import main
from cli.test import PARTS, argv_of, split_words
from store.errors import Exit, LabError


@pytest.mark.parametrize(
    ("words", "parts", "options"),
    [
        ([], list(PARTS), []),
        (["unit", "engine"], ["unit", "engine"], []),
        (["engine", "--config=asan"], ["engine"], ["--config=asan"]),
        (["unit", "-k", "lanes", "readers"], ["unit"], ["-k", "lanes", "readers"]),
    ],
)
def test_options_start_with_the_first_dash(words: list[str], parts: list[str], options: list[str]) -> None:
    assert split_words(words) == (parts, options)


@pytest.mark.parametrize("words", [["-k", "lanes"], ["unit", "e2e", "-x"], ["nonsense"]])
def test_options_of_no_part_or_of_several_and_unknown_parts_are_usage_errors(words: list[str]) -> None:
    with pytest.raises(LabError) as refused:
        split_words(words)
    assert refused.value.exit_code is Exit.USAGE


def test_all_tests_of_the_engine_run_unless_some_are_named() -> None:
    assert argv_of("engine", ["--config=asan"])[-2:] == ("--config=asan", "//engine/...")
    assert argv_of("engine", ["//engine/base/..."])[-1] == "//engine/base/..."
    assert "//engine/..." not in argv_of("engine", ["//engine/base/..."])


def test_the_command_line_takes_options_that_are_not_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[str, tuple[str, ...]]] = []

    def record(parts: list[tuple[str, tuple[str, ...]]], what: str) -> Exit:
        assert what == "test"
        ran.extend(parts)
        return Exit.DONE

    monkeypatch.setattr("cli.test.run_parts", record)
    assert main(["test", "engine", "--config=asan", "-c", "dbg"]) == 0
    assert [(name, argv[-4:-1]) for name, argv in ran] == [("engine", ("--config=asan", "-c", "dbg"))]
