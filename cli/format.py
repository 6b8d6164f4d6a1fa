"""`./rdmalab format`: rewrites Python and C++ in the project's format and regenerates the JSON Schemas."""

from __future__ import annotations

import sys

from cli.check import RUFF, engine_sources
from cli.test import run_parts


def format_tree() -> int:
    """Format the whole tree and regenerate configs/schemas."""
    return run_parts(
        [
            ("python lint", (*RUFF, "check", "--fix", "--quiet", ".")),
            ("python format", (*RUFF, "format", ".")),
            ("engine format", ("clang-format", "-i", *engine_sources())),
            ("schemas", (sys.executable, "-m", "experiments.schemas")),
        ],
        "format",
    )
