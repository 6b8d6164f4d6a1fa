"""A run as its readers see it: plan, binding, setup, preflight, pairs, manifest, and the samples of finished blocks.

Opened by analysis, reports, audit and resume. Reads only; what cannot be read stands in `problems` where the rest is
still of use, and raises LabError where it is not (no plan, a newer version).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

from store.errors import Exit, LabError
from store.json_file import NEWER, JsonObject, read_model, read_object
from store.records import Manifest, OriginRecord, PairRecord, PreflightRecord, SetupRecord
from store.sample_files import Line, SampleSource, open_source

T = TypeVar("T")
RunState = Literal["done", "failed", "interrupted", "unsealed"]


@dataclass(frozen=True)
class Pair:
    """One launched pair: its folder, its record (None where the tool died before it ended) and its samples."""

    number: int
    path: Path
    record: PairRecord | None
    source: SampleSource

    @property
    def epoch(self) -> int:
        """Which setup epoch it ran in; 1 unless a resume found another setup."""
        return self.record.epoch if self.record else 1


@dataclass(frozen=True)
class Run:
    """A run folder. `setups` maps epoch -> node -> record; `setup` is the last epoch's."""

    path: Path
    name: str
    plan: JsonObject
    plan_sha256: str
    binding: JsonObject | None
    origin: OriginRecord | None
    setups: dict[int, dict[str, SetupRecord]]
    preflight: PreflightRecord | None
    manifest: Manifest | None
    pairs: tuple[Pair, ...]
    problems: tuple[str, ...] = field(default=())

    @property
    def setup(self) -> dict[str, SetupRecord]:
        """The setup record of each node, of the last epoch."""
        return self.setups[max(self.setups)] if self.setups else {}

    @property
    def state(self) -> RunState:
        """The manifest's status; `unsealed` while there is none: in progress, or the tool died."""
        return self.manifest.status if self.manifest else "unsealed"

    @property
    def experiment(self) -> str:
        """The experiment's name."""
        return str(self.plan.get("experiment", "?"))

    @property
    def manifest_sha256(self) -> str | None:
        """Digest of manifest.json; it pins the whole run. None while unsealed."""
        path = self.path / "manifest.json"
        return hashlib.sha256(path.read_bytes()).hexdigest() if self.manifest else None

    def sample_files(self) -> list[Path]:
        """Each samples.jsonl that exists, by pair number."""
        return [source.path for source in self.sample_sources()]

    def sample_sources(self) -> list[SampleSource]:
        """Each existing samples.jsonl with its pair number and finished blocks: the way to load many samples fast."""
        return [pair.source for pair in self.pairs if pair.source.path.is_file()]

    def samples(self) -> Iterator[Line]:
        """Every sample of a finished block, with file and line, in order of pair and time."""
        for source in self.sample_sources():
            yield from source.samples()

    @cached_property
    def finished_blocks(self) -> dict[int, SampleSource]:
        """Block id -> the file in which it was finished; the last one where a warm-up was repeated by a resume."""
        return {block: source for source in self.sample_sources() for block in source.blocks}

    @property
    def missing_blocks(self) -> list[int]:
        """Ids of planned blocks that no pair has finished, in planned order."""
        return [block for block in range(len(self.plan.get("blocks", []))) if block not in self.finished_blocks]


def open_run(path: Path, *, lenient: bool = False) -> Run:
    """Open a run folder, sealed or not. Raises LabError when it is no run, or its plan or version cannot be read.

    lenient: a damaged record (half a manifest, say) is None and stands in `problems`, so that a report can show the
    rest; without it such a record raises. One of a newer version always raises.
    """
    if not path.is_dir():
        raise LabError(f"{path}: no such run", exit_code=Exit.USAGE)
    if not (path / "plan.json").is_file():
        raise LabError(f"{path}: not a run, it has no plan.json", exit_code=Exit.USAGE)
    plan = read_object(path / "plan.json", "rdmalab.plan", 1)
    problems: list[str] = []
    pairs = tuple(_pairs(path, problems))
    for pair in pairs:
        problems += pair.source.damaged
    damaged = problems if lenient else None
    opened = Run(
        path=path,
        name=path.name,
        plan=plan,
        plan_sha256=hashlib.sha256((path / "plan.json").read_bytes()).hexdigest(),
        binding=_kept(lambda: _binding(path), damaged),
        origin=_kept(lambda: _optional(path / "origin.json", OriginRecord), damaged),
        setups=_kept(lambda: _setups(path), damaged) or {},
        preflight=_kept(lambda: _optional(path / "preflight.json", PreflightRecord), damaged),
        manifest=_kept(lambda: _optional(path / "manifest.json", Manifest), damaged),
        pairs=pairs,
    )
    return replace(opened, problems=tuple(problems))


def _kept(read: Callable[[], T], problems: list[str] | None) -> T | None:
    """What `read` gives; with a list for problems, a damaged record becomes one of them, but for a newer version."""
    try:
        return read()
    except LabError as error:
        if problems is None or error.advice == NEWER:
            raise
        problems.append(error.message)
        return None


def _binding(path: Path) -> JsonObject | None:
    file = path / "binding.json"
    return read_object(file, "rdmalab.binding", 1) if file.is_file() else None


def _optional(path: Path, model: type[Any]) -> Any:
    return read_model(path, model) if path.is_file() else None


def _setups(path: Path) -> dict[int, dict[str, SetupRecord]]:
    """setup/<node>.json is epoch 1, setup/<epoch>/<node>.json each later one."""
    folder = path / "setup"
    if not folder.is_dir():
        return {}
    epochs = {1: folder} | {int(sub.name): sub for sub in folder.iterdir() if sub.is_dir() and sub.name.isdigit()}
    found = {
        epoch: {
            record.node: record for record in (read_model(file, SetupRecord) for file in sorted(sub.glob("*.json")))
        }
        for epoch, sub in sorted(epochs.items())
    }
    return {epoch: nodes for epoch, nodes in found.items() if nodes}


def _pairs(path: Path, problems: list[str]) -> Iterator[Pair]:
    folder = path / "pairs"
    numbers = sorted(int(sub.name) for sub in folder.iterdir() if sub.name.isdigit()) if folder.is_dir() else []
    for number in numbers:
        place = folder / str(number)
        record = None
        if (place / "pair.json").is_file():
            try:
                record = read_model(place / "pair.json", PairRecord)
            except LabError as error:
                if error.advice == NEWER:
                    raise
                problems.append(error.message)
        relative = f"pairs/{number}/samples.jsonl"
        yield Pair(number, place, record, open_source(place / "samples.jsonl", relative, number))
