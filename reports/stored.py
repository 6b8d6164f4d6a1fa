"""The stored reports of a run, and whether each of their numbers still follows from it. Used by `cli audit`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from reports.differences import Difference
from reports.numbers_file import NumbersFile, read_numbers
from reports.recompute import recompute
from store.errors import LabError
from store.figures import is_figures


@dataclass(frozen=True)
class ReportAudit:
    """One report folder: how many numbers it has, and what does not hold, a line each with the file's name.

    redrawn: pictures that differ from what this machine draws, which is no proof that somebody changed them.
    """

    folder: Path
    numbers: int
    wrong: tuple[str, ...]
    redrawn: tuple[str, ...] = ()


def report_folders(run: Path, place: Path) -> list[Path]:
    """The report of a run alone, at `place`, and those beside it that it has together with other runs."""
    beside = sorted(place.parent.glob(f"{run.name}+*")) if place.parent.is_dir() else []
    return [folder for folder in (place, *beside) if (folder / "numbers.json").is_file()]


def audit_report(folder: Path, run: Path, store: Path) -> ReportAudit:
    """Render the report again and compare. Never raises for a bad report: what is wrong is the result."""
    try:
        stored = read_numbers(folder)
        runs = [run] if is_figures(run) or set(stored.runs) == {run.name} else stored.run_folders(store)
        wrong = [f"{folder}/report.md: {problem}" for problem in _other_records(stored, runs)]
        found = recompute(folder, runs) if not wrong else []
    except (LabError, OSError) as error:
        problem = error.message if isinstance(error, LabError) else str(error)
        return ReportAudit(folder, 0, (f"{folder}: cannot be computed again: {problem}",))
    redrawn = [each.file for each in found if isinstance(each, Difference) and each.kind == "drawing"]
    wrong += [f"{folder}/{each}" for each in found if not (isinstance(each, Difference) and each.kind == "drawing")]
    return ReportAudit(folder, len(stored.numbers), tuple(wrong), tuple(redrawn))


def _other_records(stored: NumbersFile, runs: list[Path]) -> Iterator[str]:
    """The report pins each run's manifest; a resume or an edit since then makes another one."""
    for path, (name, pinned) in zip(runs, stored.runs.items(), strict=True):
        manifest = path / "manifest.json"
        now = sha256(manifest.read_bytes()).hexdigest() if manifest.is_file() else None
        if now != pinned:
            yield f"was made from another record of {name}: its manifest then was {pinned}, now is {now}"
