"""The command line itself: verbs load on use, errors become text and an exit code, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer

import cli.main
from cli.main import VERBS, main
from cli.verb_group import Verb, group_of, load
from store.errors import Exit, LabError
from store.names import ROOT

if TYPE_CHECKING:
    from typer._click import Command


def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cli.main", *arguments],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1", **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_listed_verb_loads_and_helps(verb: Verb, capsys: pytest.CaptureFixture[str]) -> None:
    assert load(verb).name == verb.name
    assert main([verb.name, "--help"]) == 0
    assert f"rdmalab {verb.name}" in capsys.readouterr().out


def _commands(command: Command, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """A verb and the verbs below it, as typed."""
    yield words
    for name, below in getattr(command, "commands", {}).items():
        yield from _commands(below, (*words, name))


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_help_is_plain_and_says_what_each_word_means(verb: Verb, capsys: pytest.CaptureFixture[str]) -> None:
    for words in _commands(load(verb), (verb.name,)):
        assert main([*words, "--help"]) == 0
        text = capsys.readouterr().out
        assert text.isascii(), f"{words}: no boxes, alike in all verbs"
        assert "...]..." not in text and "....." not in text, words
        assert ">" not in text.partition("Options:")[0] and "--install-completion" not in text, words
        lines = text.splitlines()
        arguments = lines[lines.index("Arguments:") + 1 : lines.index("Options:")] if "Arguments:" in lines else []
        named = [line.split()[0] for line in arguments if line.startswith("  ") and line[2] != " "]
        assert len(set(named)) == len(named), f"{words}: two arguments of one name"


def test_help_names_every_verb_and_imports_none() -> None:
    probe = (
        "import sys, cli.main; code = cli.main.main(['--help']);"
        "heavy = ('pandas', 'numpy', 'matplotlib', 'scipy', 'pydantic', 'rich', 'cli.list');"
        "print([module for module in heavy if module in sys.modules], code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe],
        env={"PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.endswith("[] 0\n")
    for verb in VERBS:
        assert f"  {verb.name} " in done.stdout


def test_listing_needs_no_heavy_library() -> None:
    probe = (
        "import sys, cli.main; cli.main.main(['list']);"
        "print([m for m in ('pandas', 'numpy', 'matplotlib', 'scipy') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe],
        env={"PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == "[]\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("lst",), "Did you mean 'list'?"),
        (("plan",), "Missing argument 'NAME|FILE'"),
        (("plan", "quickstart", "--sett", "x"), "No such option"),
        (("plan", "quickstrat"), "did you mean quickstart"),
        (("plan", "quickstart", "--lane", "tpc"), "did you mean tcp"),
        (("plan", "quickstart", "--site", "lcal"), "did you mean local"),
        (("plan", "quickstart", "--set", "reps=0"), "^"),
    ],
)
def test_wrong_use_is_exit_2_with_advice(
    arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == Exit.USAGE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert told in captured.err
    assert "Traceback" not in captured.err


@pytest.fixture
def verb_that(monkeypatch: pytest.MonkeyPatch) -> object:
    """Makes `rdmalab it` do what the test says."""

    def install(action: object) -> None:
        app = typer.Typer(cls=group_of([Verb("it", __name__, "it", "does it")]), rich_markup_mode=None)
        app.callback()(lambda: None)
        monkeypatch.setattr(cli.main, "app", app)
        monkeypatch.setitem(globals(), "it", action)

    return install


def raising(error: BaseException) -> object:
    def it() -> None:
        raise error

    return it


def returning(code: int | None) -> object:
    def it() -> int | None:
        return code

    return it


@pytest.mark.parametrize("code", list(Exit))
def test_lab_error_exits_with_its_code(code: Exit, verb_that: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert callable(verb_that)
    verb_that(raising(LabError("it broke", advice="mend it", exit_code=code)))
    assert main(["it"]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("it broke\n  mend it\n")
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("code", [None, 0, 1, 3])
def test_verb_may_return_its_exit_code(code: int | None, verb_that: object) -> None:
    assert callable(verb_that)
    verb_that(returning(code))
    assert main(["it"]) == (code or 0)


def test_typer_exit_is_the_exit_code(verb_that: object) -> None:
    assert callable(verb_that)
    verb_that(raising(typer.Exit(4)))
    assert main(["it"]) == 4


def test_keyboard_interrupt_is_130(verb_that: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert callable(verb_that)
    verb_that(raising(KeyboardInterrupt()))
    assert main(["it"]) == Exit.INTERRUPTED
    assert capsys.readouterr().err == "interrupted\n"


def test_defect_of_the_tool_is_not_hidden(verb_that: object) -> None:
    assert callable(verb_that)
    verb_that(raising(ZeroDivisionError("a defect")))
    with pytest.raises(ZeroDivisionError):
        main(["it"])


def test_verb_listed_twice_is_a_defect() -> None:
    with pytest.raises(ValueError, match="listed twice: a"):
        group_of([Verb("a", "m", "f", "h"), Verb("a", "n", "f", "h")])


def test_process_exits_with_the_code_and_keeps_stdout_clean() -> None:
    done = run("plan", "nothing_like_it")
    assert done.returncode == Exit.USAGE
    assert done.stdout == ""
    assert done.stderr.startswith("there is no experiment 'nothing_like_it'\n  ")


def test_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    script = f"{sys.executable} -m cli.main plan rendezvous_cold --json | head -c 10; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", script],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("rdmalab pl", "plan"),
        ("rdmalab plan quick", "quickstart"),
        ("rdmalab plan quickstart --lane rc_mlx5_i", "rc_mlx5_ib"),
    ],
)
def test_shell_completion(words: str, offered: str) -> None:
    count = len(words.split()) - 1
    done = run(_RDMALAB_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(count))
    assert offered in done.stdout.split()
