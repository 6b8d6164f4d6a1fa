"""Reads numbers.json of a report folder: every printed number with formula, n, sources and places, and the runs.

Used by trace, by the recomputation for audits, and by the comparison of two renderings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.errors import Exit, LabError
from store.json_file import read_object
from store.names import PUBLISHED, default_store

FORMAT = "rdmalab.numbers"
VERSION = 1


@dataclass(frozen=True)
class NumbersFile:
    """numbers: id -> entry as it stands in the file; runs: name -> the manifest's SHA-256, None where unsealed."""

    folder: Path
    rendered_by: str
    runs: dict[str, str | None]
    numbers: dict[str, dict[str, Any]]
    caveats: list[dict[str, str]]

    def at_line(self, line: int) -> list[str]:
        """The ids of the numbers that stand on a line of report.md, from left to right."""
        places = [
            (column, name) for name, entry in self.numbers.items() for at, column in entry["places"] if at == line
        ]
        return [name for _, name in sorted(places)]

    def run_folders(self, store: Path | None = None) -> list[Path]:
        """Where the report's runs are: in `store`, beside the reports, in the default store, or published.

        Raises LabError (exit 2) for a run that is nowhere there.
        """
        beside = self.folder.absolute().parent.parent / "runs"
        places = [*([store] if store is not None else []), beside, default_store(), PUBLISHED]
        return [_find(name, places) for name in self.runs]


def read_numbers(folder: Path) -> NumbersFile:
    """The numbers of a report folder, or of the folder of a report.md. LabError (exit 2) when there is no report."""
    place = folder.parent if folder.is_file() else folder
    path = place / "numbers.json"
    if not path.is_file():
        raise LabError(f"{folder}: no report with a numbers.json", exit_code=Exit.USAGE)
    value = read_object(path, FORMAT, VERSION)
    try:
        runs = {str(each["run"]): each["manifest_sha256"] for each in value["runs"]}
        return NumbersFile(place, str(value["rendered_by"]), runs, dict(value["numbers"]), list(value["caveats"]))
    except (KeyError, TypeError) as error:
        raise LabError(f"{path}: not as this tool writes it: {error}") from error


def _find(name: str, places: Sequence[Path]) -> Path:
    for place in places:
        if (place / name).is_dir():
            return place / name
    looked = ", ".join(str(place) for place in dict.fromkeys(places))
    raise LabError(f"the run {name} is not in {looked}", advice="--store DIR", exit_code=Exit.USAGE)
