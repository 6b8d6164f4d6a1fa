"""The raw texts of one node: taken by one program streamed to the node, or recorded earlier and loaded again.

Whoever reads facts takes a Snapshot, so a live node, a recorded one and a test's invented one go the same way.
"""

from __future__ import annotations

import fnmatch
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from experiments.setup_record.sources import Asked, spec_of
from store.errors import Exit, LabError
from store.facts import Fact, Status, Value, absent, denied, said

MARK = "rdmalab-snapshot "

RunOnNode = Callable[[Sequence[str], str], tuple[int, str, str]]
"""Runs an argv on a node with the given stdin; returns (exit status, stdout, stderr)."""


@dataclass(frozen=True)
class CommandText:
    """What one command printed on the node. `missing`: the node has no such program."""

    rc: int
    stdout: str
    stderr: str
    missing: bool = False
    timed_out: bool = False


@dataclass(frozen=True)
class Snapshot:
    """Files, links and command outputs of one node, as text. `clock_offset_s` is the node's clock minus ours."""

    files: Mapping[str, str] = field(default_factory=dict)
    denied: frozenset[str] = frozenset()
    links: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, CommandText] = field(default_factory=dict)
    uname: tuple[str, ...] = ()
    page_size: int | None = None
    copy_bytes_per_second: float | None = None
    cpus_allowed: tuple[int, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    hashes: Mapping[str, str | None] = field(default_factory=dict)
    spaces: Mapping[str, int | None] = field(default_factory=dict)
    clock_offset_s: float | None = None
    clock_uncertainty_s: float | None = None

    def text(self, path: str) -> str | None:
        """The stripped text of a file, or None where it is absent, denied or empty."""
        value = self.files.get(path)
        return value.strip() or None if value is not None else None

    def matching(self, pattern: str) -> dict[str, str]:
        """Files whose path matches a shell pattern whose `*` stays inside one path component, sorted by path."""
        depth = pattern.count("/")
        hits = (path for path in self.files if path.count("/") == depth and fnmatch.fnmatchcase(path, pattern))
        return {path: self.files[path].strip() for path in sorted(hits)}

    def fact(self, path: str, unit: str | None = None, convert: Callable[[str], Value] = str) -> Fact:
        """The file as a fact: absent, denied, or converted (absent where the text does not convert)."""
        if path in self.denied:
            return denied(path, unit)
        text = self.text(path)
        if text is None:
            return absent(path, unit)
        try:
            return said(convert(text), path, unit)
        except (ValueError, IndexError):
            return absent(path, unit)

    def output(self, name: str) -> str | None:
        """What a command printed on stdout; None where it is missing or printed nothing."""
        command = self.commands.get(name)
        return command.stdout if command is not None and command.stdout.strip() else None

    @classmethod
    def from_json(
        cls, data: Mapping[str, Any], offset_s: float | None = None, spread_s: float | None = None
    ) -> Snapshot:
        """The snapshot of one line of the node's program; LabError where it is not one."""
        if data.get("format") != "rdmalab.snapshot" or data.get("version") != 1:
            raise LabError("not a snapshot of version 1", exit_code=Exit.CANNOT_RUN)
        return cls(
            files={path: entry["text"] for path, entry in data["files"].items() if "text" in entry},
            denied=frozenset(path for path, entry in data["files"].items() if entry.get("error") == "denied"),
            links=data["links"],
            commands={
                name: CommandText(
                    rc=entry["rc"],
                    stdout=entry["stdout"],
                    stderr=entry["stderr"],
                    missing=entry["missing"],
                    timed_out=entry.get("timed_out", False),
                )
                for name, entry in data["commands"].items()
            },
            uname=tuple(data["uname"]),
            page_size=data["page_size"],
            copy_bytes_per_second=data.get("copy_bytes_per_second"),
            cpus_allowed=tuple(data["cpus_allowed"]),
            environment=data["environment"],
            hashes=data["hashes"],
            spaces=data["spaces"],
            clock_offset_s=offset_s,
            clock_uncertainty_s=spread_s,
        )


def program_text(asked: Asked) -> str:
    """The program for a node, with what it is to read written into it."""
    source = (Path(__file__).parent / "node_program.py").read_text(encoding="utf-8")
    placeholder = "SPEC = {}  # type: dict  # replaced by the sender"
    assert placeholder in source
    return source.replace(placeholder, f"SPEC = {spec_of(asked)!r}")


def take_snapshot(run_on_node: RunOnNode, asked: Asked | None = None) -> Snapshot:
    """Reads a node in one call. LabError (exit 5) where the node has no python3 or answers with something else."""
    started = time.time()
    rc, out, err = run_on_node(["python3", "-I", "-"], program_text(asked or Asked()))
    ended = time.time()
    line = next((line for line in out.splitlines() if line.startswith(MARK)), None)
    if line is None:
        last = (err.strip().splitlines() or ["no message"])[-1]
        raise LabError(
            f"the node could not be read: python3 ended with {rc}: {last}",
            advice="every node needs python3 (3.6 or newer) on its PATH; `doctor` needs nothing else of it",
            exit_code=Exit.CANNOT_RUN,
        )
    data = json.loads(line[len(MARK) :])
    # The node read its clock at the end of its work; the way back is the shorter part of the call.
    offset = data["utc_ns"] / 1e9 - (started + ended) / 2
    return Snapshot.from_json(data, offset_s=offset, spread_s=(ended - started) / 2)


def measured(value: Value, source: str, unit: str | None = None) -> Fact:
    """A value read on the node."""
    return said(value, source, unit, Status.MEASURED)
