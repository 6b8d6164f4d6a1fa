"""The run folder's JSON records as data: manifest, pair, setup, preflight. docs/formats.md is their description.

Written by experiments, read by everything; the JSON Schemas in configs/schemas are generated from these models.
Times are text such as `2026-11-30T10:15:00.123Z`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from store.facts import Fact

RunStatus = Literal["done", "failed", "interrupted"]


class Record(BaseModel):
    """What all records have in common: they do not change, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SetupRecord(Record):
    """setup/<node>.json: the facts of one node before and after the run (of one epoch of it)."""

    format: Literal["rdmalab.setup"] = "rdmalab.setup"
    version: Literal[1] = 1
    node: str
    before: dict[str, Fact]
    after: dict[str, Fact] = Field(default_factory=dict)


class PreflightCheck(Record):
    """One check: what it looked at, what it found, what to do, and the requirement that it answers, if any."""

    name: str
    node: str | None = None
    status: Literal["passed", "warning", "failed", "not_applicable"]
    result: str
    advice: str | None = None
    requirement: str | None = None


class PreflightRecord(Record):
    """preflight.json: the checks that were made before the first pair started."""

    format: Literal["rdmalab.preflight"] = "rdmalab.preflight"
    version: Literal[1] = 1
    checks: list[PreflightCheck]


class ProcessRecord(Record):
    """One process of a pair and how it ended: an exit code, or a signal's name; both null if it never started."""

    argv: list[str]
    node: str
    env: dict[str, str] = Field(default_factory=dict)
    exit: int | None = None
    signal: str | None = None
    ended_utc: str | None = None


class PairRecord(Record):
    """pairs/<n>/pair.json: which blocks a launched pair was asked to run, and how both sides of it ended."""

    format: Literal["rdmalab.pair"] = "rdmalab.pair"
    version: Literal[1] = 1
    pair: int
    planned_pair: int
    epoch: int = 1
    blocks: list[int]
    repeated_warmup: list[int] = Field(default_factory=list)
    started_utc: str
    ended_utc: str
    owner: ProcessRecord
    consumer: ProcessRecord
    cause: str | None = None
    exit: int


class Counts(Record):
    """What was planned and what is there, over the finished blocks."""

    blocks_planned: int
    blocks_done: int
    samples_planned: int
    samples: int
    failed: int


class ToolVersion(Record):
    """The rdmalab that wrote the run; `git` is null outside a checkout."""

    version: str
    git: str | None = None
    dirty: bool | None = None


class FileEntry(Record):
    """Size and digest of one file of the run."""

    bytes: int
    sha256: str


class Manifest(Record):
    """manifest.json: written last; with it a run is sealed."""

    format: Literal["rdmalab.manifest"] = "rdmalab.manifest"
    version: Literal[1] = 1
    run: str
    kind: Literal["measured", "published", "imported"] = "measured"
    experiment: str
    status: RunStatus
    exit: int
    cause: str | None = None
    plan_sha256: str
    parent: str | None = None
    started_utc: str
    ended_utc: str
    epochs: int = 1
    counts: Counts
    tool: ToolVersion
    waived: list[str] = Field(default_factory=list)
    files: dict[str, FileEntry]


class OriginRecord(Record):
    """origin.json: how the run came about. Written first, so that a resume after a crash still knows it."""

    format: Literal["rdmalab.origin"] = "rdmalab.origin"
    version: Literal[1] = 1
    started_utc: str
    command: list[str]
    tool: ToolVersion
    parent: str | None = None
    like: str | None = None
