"""Renders a stored report again from its runs, and finds each number, line and file that it tells otherwise.

Used by `audit`. Of a report by another version of the renderer, or from before its run was withdrawn, only the numbers
are compared: its words may differ.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.caveats.annotation_rules import WITHDRAWN
from reports.differences import Difference, differences
from reports.numbers_file import NumbersFile, read_numbers
from reports.process import run_rendering
from reports.version import rendered_by
from store.annotations import withdrawal


@dataclass(frozen=True)
class Mismatch:
    """A number whose printed text, stored value or recomputed value do not agree."""

    id: str
    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.place}: {self.id}: {self.problem}"


def recompute(
    folder: Path, runs: Sequence[Path] | None = None, store: Path | None = None
) -> list[Mismatch | Difference]:
    """Everything in the report in `folder` that does not follow from its runs: numbers by id, then words and files.

    `runs` default to where the report's runs are found. A picture that is only drawn differently is a Difference of
    kind `drawing`: another architecture or other libraries do that too. Raises LabError when the folder has no report,
    or its runs cannot be read.
    """
    stored = read_numbers(folder)
    folders = runs if runs is not None else stored.run_folders(store)
    paths = [str(path.absolute()) for path in folders]
    text = (stored.folder / "report.md").read_text(encoding="utf-8").split("\n")
    if stored.rendered_by != rendered_by() or _tells_withdrawal(stored) != any(map(withdrawal, folders)):
        fresh = json.loads(run_rendering({"what": "numbers", "runs": paths})["numbers"])
        return list(_mismatches(stored, fresh["numbers"], text))
    with tempfile.TemporaryDirectory(prefix="rdmalab-report-") as place:
        again = Path(place) / "report"
        run_rendering({"what": "report", "runs": paths, "out": str(again)})
        lines = (again / "report.md").read_text(encoding="utf-8").count("\n") + 1
        # With a line more or less every later number stands elsewhere: then the line is what to tell.
        numbers = list(_mismatches(stored, read_numbers(again).numbers, text)) if len(text) == lines else []
        others = differences(stored.folder, again)
    # A number that does not hold is in both files of text; what else differs in them shows once it is mended.
    return [*numbers, *(each for each in others if not numbers or each.file not in ("report.md", "numbers.json"))]


def _tells_withdrawal(stored: NumbersFile) -> bool:
    return any(caveat.get("id") == WITHDRAWN for caveat in stored.caveats)


def _mismatches(stored: NumbersFile, fresh: dict[str, Any], text: list[str]) -> Iterator[Mismatch]:
    """In the order of their places in the text, those that have none at the end."""
    for name, entry in sorted(stored.numbers.items(), key=lambda item: item[1]["places"] or [[len(text) + 1, 0]]):
        places = entry["places"] or [[0, 0]]
        for line, column in places:
            place = f"report.md:{line}:{column}"
            shown = text[line - 1][column - 1 : column - 1 + len(entry["printed"])] if line <= len(text) else ""
            if shown != entry["printed"]:
                yield Mismatch(name, place, f"prints {shown!r} where {entry['printed']!r} was computed")
        first = f"report.md:{places[0][0]}:{places[0][1]}"
        if name not in fresh:
            yield Mismatch(name, first, "is not computed from these runs any more")
        elif fresh[name]["printed"] != entry["printed"]:
            yield Mismatch(name, first, f"was {entry['printed']}, is {fresh[name]['printed']}")
        elif fresh[name]["value"] != entry["value"]:
            yield Mismatch(name, "numbers.json", f"its value was {entry['value']}, is {fresh[name]['value']}")
    for name in sorted(fresh.keys() - stored.numbers.keys()):
        yield Mismatch(name, "report.md", "is missing")
