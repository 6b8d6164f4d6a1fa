"""Takes one printed number of a report back to its formula, n, sample lines, setup facts and caveats.

Used by `cli trace`. A number goes by its id in numbers.json, or by a line of report.md (`L42`), which may hold several.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.frame import Samples, load_samples
from analysis.lines_behind import LinesBehind, lines_behind
from reports.numbers_file import NumbersFile, read_numbers
from store.errors import Exit, LabError
from store.run import Run, open_run

_LINE = re.compile(r"L(\d+)")


@dataclass(frozen=True)
class Trace:
    """A number and everything behind it. facts: (file, key, value) of setup facts; caveats: those of the report."""

    id: str
    entry: dict[str, Any]
    places: tuple[str, ...]
    lines: tuple[LinesBehind, ...]
    facts: tuple[tuple[str, str, str], ...]
    caveats: tuple[str, ...]


def trace(report: Path, name: str, store: Path | None = None) -> list[Trace]:
    """The traces of an id, or of every number on a line. Raises LabError (exit 2) for an id that the report has not,
    and (exit 1) for a run that is not the one the report was made from.
    """
    numbers = read_numbers(report)
    ids = _ids(numbers, name)
    runs = _runs(numbers, store)
    loaded: dict[str, Samples] = {}
    return [_trace(numbers, each, runs, loaded) for each in ids]


def _ids(numbers: NumbersFile, name: str) -> list[str]:
    line = _LINE.fullmatch(name)
    if line:
        found = numbers.at_line(int(line.group(1)))
        if not found:
            raise LabError(f"line {line.group(1)} of report.md has no measured number", exit_code=Exit.USAGE)
        return found
    if name not in numbers.numbers:
        near = difflib.get_close_matches(name, numbers.numbers, n=3, cutoff=0.4)
        advice = f"near: {', '.join(near)}" if near else "the ids stand in numbers.json; L42 names a line"
        raise LabError(f"the report has no number {name!r}", advice=advice, exit_code=Exit.USAGE)
    return [name]


def _runs(numbers: NumbersFile, store: Path | None) -> dict[str, Run]:
    runs = {path.name: open_run(path) for path in numbers.run_folders(store)}
    for name, sha256 in numbers.runs.items():
        if runs[name].manifest_sha256 != sha256:
            raise LabError(f"{name} is not as it was when the report was made: another manifest", exit_code=Exit.FAILED)
    return runs


def _trace(numbers: NumbersFile, name: str, runs: dict[str, Run], loaded: dict[str, Samples]) -> Trace:
    entry = numbers.numbers[name]
    lines: list[LinesBehind] = []
    facts: list[tuple[str, str, str]] = []
    for source in _once(entry["sources"]):
        run = runs[source["run"]]
        if source.get("file"):
            facts.append(
                (f"{source['run']}/{source['file']}", source["key"], _fact(run, source["file"], source["key"]))
            )
            continue
        if source["run"] not in loaded:
            loaded[source["run"]] = load_samples(run)
        lines += lines_behind(source, loaded[source["run"]])
    return Trace(
        id=name,
        entry=entry,
        places=tuple(f"report.md:{line}:{column}" for line, column in entry["places"]),
        lines=tuple(lines),
        facts=tuple(facts),
        caveats=tuple(f"{each['id']}: {each['text']}" for each in numbers.caveats),
    )


def _once(sources: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for source in sources:
        if source not in found:
            found.append(source)
    return found


def _fact(run: Run, file: str, key: str) -> str:
    record = run.setup.get(Path(file).stem)
    fact = record.before.get(key) if record else None
    return "not in the record" if fact is None else f"{fact.value} {fact.unit or ''}".strip()
