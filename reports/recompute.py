"""Computes every number of a stored report again from its runs, and finds those that the report tells otherwise.

Used by `audit`. Nothing is drawn; `check_report` compares the bytes of everything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reports.numbers_file import NumbersFile, read_numbers
from reports.process import run_rendering


@dataclass(frozen=True)
class Mismatch:
    """A number whose printed text, stored value or recomputed value do not agree."""

    id: str
    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.place}: {self.id}: {self.problem}"


def recompute(folder: Path, runs: Sequence[Path] | None = None, store: Path | None = None) -> list[Mismatch]:
    """Every number of the report in `folder` that does not hold. `runs` default to where the report's runs are found.

    Raises LabError when the folder has no report, or its runs cannot be read.
    """
    stored = read_numbers(folder)
    paths = list(runs) if runs is not None else stored.run_folders(store)
    fresh = json.loads(run_rendering({"what": "numbers", "runs": [str(path.absolute()) for path in paths]})["numbers"])
    text = (stored.folder / "report.md").read_text(encoding="utf-8").split("\n")
    return list(_mismatches(stored, fresh["numbers"], text))


def _mismatches(stored: NumbersFile, fresh: dict[str, Any], text: list[str]) -> Iterator[Mismatch]:
    for name, entry in stored.numbers.items():
        places = entry["places"] or [[0, 0]]
        for line, column in places:
            place = f"report.md:{line}:{column}"
            shown = text[line - 1][column - 1 : column - 1 + len(entry["printed"])] if line <= len(text) else ""
            if shown != entry["printed"]:
                yield Mismatch(name, place, f"prints {shown!r} where {entry['printed']!r} was computed")
        first = f"report.md:{places[0][0]}:{places[0][1]}"
        if name not in fresh:
            yield Mismatch(name, first, "is not computed from these runs any more")
        elif fresh[name]["value"] != entry["value"] or fresh[name]["printed"] != entry["printed"]:
            yield Mismatch(name, first, f"was {entry['printed']}, is {fresh[name]['printed']}")
    for name in fresh.keys() - stored.numbers.keys():
        yield Mismatch(name, "report.md", "is missing")
