"""Which renderer this is. RENDERER goes up when wording, layout or drawing changes; figures must not change with it."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

RENDERER = 2


@cache
def tool() -> str:
    """The version of rdmalab, from pyproject.toml."""
    root = Path(__file__).resolve().parents[1]
    return str(tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def rendered_by() -> str:
    """`rdmalab 0.1.0, renderer 1`."""
    return f"rdmalab {tool()}, renderer {RENDERER}"
