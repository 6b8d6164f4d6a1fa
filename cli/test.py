"""`./rdmalab test [PART ...]`: the project's tests, part by part, each with its time. For developers and CI.

What follows a part and starts with a dash goes to the program behind it, pytest or Bazel:
`./rdmalab test engine --config=asan`, `./rdmalab test unit -k lanes`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from store.errors import Exit, LabError

ROOT: Final = Path(__file__).resolve().parent.parent
PYTEST: Final = (sys.executable, "-m", "pytest")
BAZEL_CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rdmalab" / "bazel"

PARTS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "unit": ("Python: planner, store, statistics, readers, layering", (*PYTEST, "-m", "not e2e and not softroce")),
    "engine": (
        "C++ under Bazel",
        ("bazel", "test", "-c", "opt", f"--disk_cache={BAZEL_CACHE}", "--test_output=errors"),
    ),
    "e2e": ("the real binary and command line: runs, faults, resume", (*PYTEST, "-m", "e2e")),
    "softroce": ("two emulated nodes with Soft-RoCE", (*PYTEST, "-m", "softroce")),
}


def parts_of(names: Sequence[str]) -> list[str]:
    """The parts to run: all when none is named. A name that is no part is a LabError."""
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        raise LabError(
            f"no test part '{unknown[0]}'", advice=f"the parts are: {', '.join(PARTS)}", exit_code=Exit.USAGE
        )
    return list(names) or list(PARTS)


def split_words(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The parts, and the words for the program behind them: from the first one on that starts with a dash."""
    options = next((index for index, word in enumerate(words) if word.startswith("-")), len(words))
    parts = parts_of(words[:options])
    if words[options:] and len(words[:options]) != 1:
        raise LabError(
            f"'{words[options]}' belongs to one part's program", advice="name that part before it", exit_code=Exit.USAGE
        )
    return parts, list(words[options:])


def argv_of(part: str, options: Sequence[str]) -> tuple[str, ...]:
    """What runs a part: all of its tests, unless the options name some of the engine's."""
    everything = part == "engine" and not any(option.startswith("//") for option in options)
    return (*PARTS[part][1], *options, *(("//engine/...",) if everything else ()))


def run_parts(parts: Sequence[tuple[str, Sequence[str]]], what: str) -> Exit:
    """Runs each command in the checkout, goes on after a failure, and prints one line a part on stderr."""
    failed = []
    for name, argv in parts:
        started = time.monotonic()
        print(f"{what:9} {name} ...", file=sys.stderr, flush=True)
        ok = subprocess.run(argv, cwd=ROOT, check=False).returncode == 0
        print(f"{what:9} {name} {'ok' if ok else 'FAILED'}   {time.monotonic() - started:.1f} s", file=sys.stderr)
        if not ok:
            failed.append(name)
    if failed:
        print(f"{what:9} failed: {', '.join(failed)}", file=sys.stderr)
    return Exit.FAILED if failed else Exit.DONE


def test(
    parts: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PART ...] [OPTION ...]", help=f"{', '.join(PARTS)}; default: all."),
    ] = None,
) -> int:
    """Run the project's tests: all parts, or those named; options go to the pytest or Bazel behind one part."""
    names, options = split_words(parts or [])
    return run_parts([(name, argv_of(name, options)) for name in names], "test")
