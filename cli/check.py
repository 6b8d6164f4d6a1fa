"""`./rdmalab check`: format, lint, types and layering; changes nothing. For developers and CI.

`--tidy` adds clang-tidy, which takes about ten seconds for each C++ file that changed since it was last found clean:
for whoever changes the engine, too long for CI from a clean checkout.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated, Final

import typer

from cli.test import ROOT, run_parts

PACKAGES: Final = ("analysis", "cli", "experiments", "readers", "reports", "store")
RUFF: Final = (sys.executable, "-m", "ruff")


def engine_sources() -> list[str]:
    """The engine's C++ files that git knows or would add."""
    listed = subprocess.run(
        ("git", "ls-files", "--cached", "--others", "--exclude-standard", "engine/*.cc", "engine/*.h"),
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [name for name in listed.stdout.split() if (ROOT / name).exists()]


def tidied_sources() -> list[str]:
    """What clang-tidy looks at: the engine itself; its tests are full of a framework's macros."""
    return [
        name for name in engine_sources() if name.endswith(".cc") and not name.endswith(("_test.cc", "_benchmark.cc"))
    ]


def check(
    tidy: Annotated[
        bool, typer.Option("--tidy", help="Look with clang-tidy at the engine's changed files, too.")
    ] = False,
) -> int:
    """Check format, lint, types and layering of the whole tree."""
    tidying = [("engine tidy", (sys.executable, "-m", "cli.tidy", *tidied_sources()))] if tidy else []
    return run_parts(
        [
            ("python format", (*RUFF, "format", "--check", ".")),
            ("python lint", (*RUFF, "check", ".")),
            ("python types", (sys.executable, "-m", "mypy", *PACKAGES)),
            ("layering", (sys.executable, "-m", "pytest", "cli/tests/test_layering.py")),
            ("engine format", ("clang-format", "--dry-run", "-Werror", *engine_sources())),
            *tidying,
        ],
        "check",
    )
