"""`./rdmalab test [PART ...]`: the project's tests, part by part, each with its time. For developers and CI."""

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
        ("bazel", "test", "-c", "opt", f"--disk_cache={BAZEL_CACHE}", "--test_output=errors", "//engine/..."),
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
        list[str] | None, typer.Argument(metavar="PART", help=f"{', '.join(PARTS)}; default: all.")
    ] = None,
) -> int:
    """Run the project's tests: all parts, or those named."""
    return run_parts([(name, PARTS[name][1]) for name in parts_of(parts or [])], "test")
