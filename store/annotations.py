"""What people say of a run later: it is withdrawn, and why. Stands beside the run, never in it, so the seal holds.

`<run folder>.annotations.jsonl` (`rdmalab.annotation`, version 1), one statement a line, only ever added to. Written by
`annotate`; lists, audits and reports show it, and an archive carries it along.
"""

from __future__ import annotations

import hashlib
import json
import os
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from store import durable
from store.errors import Exit, LabError
from store.json_file import first_problem, parse_object
from store.records import Record
from store.write import utc_text

SUFFIX = ".annotations.jsonl"


class Annotation(Record):
    """One statement. `manifest_sha256` is the record that it is about; None where the run was not sealed."""

    format: Literal["rdmalab.annotation"] = "rdmalab.annotation"
    version: Literal[1] = 1
    run: str
    manifest_sha256: str | None
    kind: Literal["withdrawn"]
    text: str
    utc: str


def annotations_file(run: Path) -> Path:
    """Where the statements about a run folder stand, whether or not there are any."""
    return run.with_name(run.name + SUFFIX)


def annotate(run: Path, kind: Literal["withdrawn"], text: str, moment: datetime) -> Annotation:
    """Add one statement about a run. LabError (exit 2) for an empty text."""
    said = " ".join(text.split())
    if not said:
        raise LabError("an annotation needs its reason", advice="--withdrawn WHY", exit_code=Exit.USAGE)
    manifest = run / "manifest.json"
    digest = hashlib.sha256(manifest.read_bytes()).hexdigest() if manifest.is_file() else None
    made = Annotation(run=run.name, manifest_sha256=digest, kind=kind, text=said, utc=utc_text(moment))
    durable.append_line(annotations_file(run), json.dumps(made.model_dump(mode="json"), ensure_ascii=True))
    return made


def read_annotations(run: Path) -> tuple[Annotation, ...]:
    """The statements about a run, oldest first. LabError with `file:line` for one that cannot be read."""
    file = annotations_file(run)
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"cannot read {file}: {error}") from error
    return tuple(_parsed(line, f"{file.name}:{number}") for number, line in enumerate(lines, start=1))


def _parsed(line: str, where: str) -> Annotation:
    value = parse_object(line, where, "rdmalab.annotation", 1)
    try:
        return Annotation.model_validate(value)
    except ValidationError as error:
        raise LabError(f"{where}: {first_problem(error)}") from error


def withdrawal(run: Path) -> str | None:
    """Why a run is withdrawn, all reasons in one line; None when it is not.

    Annotations that cannot be read count as one: what they said may have been just that.
    """
    try:
        reasons = [each.text for each in read_annotations(run) if each.kind == "withdrawn"]
    except LabError as error:
        return f"its annotations cannot be read: {error.message}"
    return "; ".join(reasons) or None


def withdrawals(store: Path) -> dict[str, str]:
    """Run name -> why it is withdrawn, for the runs of a store that are: one look at the folder, however many runs."""
    try:
        with os.scandir(store) as entries:
            names = sorted(entry.name.removesuffix(SUFFIX) for entry in entries if entry.name.endswith(SUFFIX))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    found = {name: withdrawal(store / name) for name in names}
    return {name: reason for name, reason in found.items() if reason is not None}
