"""What the processes of a run said about themselves (pairs/<n>/<role>.json), read leniently: a missing file is a fact.

`analysis.study` reads it; caveats about the lane and about differing sides use it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from store.errors import LabError
from store.json_file import JsonObject, read_object
from store.run import Run

ROLES = ("consumer", "owner", "loopback")


@dataclass(frozen=True)
class Engines:
    """by_pair: launched pair -> role -> self-description; counters: launched pair -> the consumer's counters, by name
    with labels; lane_proof: lane.json, the tool's judgement of the lane, None before it was made. `problems` names
    files that are there and cannot be read.
    """

    by_pair: dict[int, dict[str, JsonObject]] = field(default_factory=dict)
    counters: dict[int, dict[str, int]] = field(default_factory=dict)
    lane_proof: JsonObject | None = None
    problems: tuple[str, ...] = ()

    def all(self) -> Iterator[tuple[int, str, JsonObject]]:
        """(pair, role, self-description) of every process that left one."""
        for pair, roles in self.by_pair.items():
            for role, data in roles.items():
                yield pair, role, data

    def lane_checks(self) -> list[JsonObject]:
        """The lane check of each measuring process that made one."""
        checks = (data.get("lane_check") for _, role, data in self.all() if role != "owner")
        return [check for check in checks if isinstance(check, dict)]


def read_engines(run: Run) -> Engines:
    """The self-descriptions of all processes of a run."""
    found: dict[int, dict[str, JsonObject]] = {}
    problems: list[str] = []
    for pair in run.pairs:
        for role in ROLES:
            path = pair.path / f"{role}.json"
            if not path.is_file():
                continue
            try:
                found.setdefault(pair.number, {})[role] = read_object(path, "rdmalab.engine", 1)
            except LabError as error:
                problems.append(error.message)
    lane_proof = None
    if (run.path / "lane.json").is_file():
        try:
            lane_proof = read_object(run.path / "lane.json", "rdmalab.lane_proof", 1)
        except LabError as error:
            problems.append(error.message)
    counters = {pair.number: read_counters(pair.path / "consumer.metrics") for pair in run.pairs}
    counted = {pair: values for pair, values in counters.items() if values}
    return Engines(found, counted, lane_proof, tuple(problems))


def read_counters(path: Path) -> dict[str, int]:
    """OpenMetrics counters: `name{labels}` -> value. Empty when there is no file; a line of another form is skipped."""
    if not path.is_file():
        return {}
    found = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        name, _, value = line.rpartition(" ")
        if name and not line.startswith("#") and value.isdigit():
            found[name] = int(value)
    return found
