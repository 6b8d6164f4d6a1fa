"""Reads a fixture: text in the shape of a real tool's output, with values of our own."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "fixtures"


def fixture(name: str) -> str:
    """The text of a fixture."""
    return (FOLDER / name).read_text(encoding="utf-8")


def all_fixtures() -> list[str]:
    """The texts of all fixtures."""
    return [path.read_text(encoding="utf-8") for path in sorted(FOLDER.iterdir())]
