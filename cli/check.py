"""`./rdmalab check`: format, lint, types and layering; changes nothing. For developers and CI."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

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


def check() -> int:
    """Check format, lint, types and layering of the whole tree."""
    return run_parts(
        [
            ("python format", (*RUFF, "format", "--check", ".")),
            ("python lint", (*RUFF, "check", ".")),
            ("python types", (sys.executable, "-m", "mypy", *PACKAGES)),
            ("layering", (sys.executable, "-m", "pytest", "cli/tests/test_layering.py")),
            ("engine format", ("clang-format", "--dry-run", "-Werror", *engine_sources())),
        ],
        "check",
    )
