"""Whether a run is still what was sealed: every file's digest, and each edited, missing or extra file by name.

Used by audit, by resume before it continues a run, and by reports. Never raises for a broken run: what is wrong is
the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from store.errors import LabError
from store.json_file import read_model
from store.records import Manifest
from store.write import digest, files_of


@dataclass(frozen=True)
class Finding:
    """One file that is not as it was sealed, and how it differs."""

    file: str
    problem: str

    def __str__(self) -> str:
        return f"{self.file} {self.problem}"


@dataclass(frozen=True)
class Integrity:
    """ok: all as sealed; broken: see the findings; unsealed: no manifest yet; unreadable: no manifest that we know."""

    status: Literal["ok", "broken", "unsealed", "unreadable"]
    findings: tuple[Finding, ...] = ()

    @property
    def text(self) -> str:
        """All findings in one line; empty when there are none."""
        return "; ".join(str(finding) for finding in self.findings)


def check_integrity(path: Path) -> Integrity:
    """Compare a run folder with its manifest, byte for byte."""
    if not (path / "manifest.json").is_file():
        return Integrity("unsealed", (Finding("manifest.json", "is not there: in progress, or its tool died"),))
    try:
        manifest = read_model(path / "manifest.json", Manifest)
    except LabError as error:
        problem = error.message.removeprefix(f"{path / 'manifest.json'}: ")
        return Integrity("unreadable", (Finding("manifest.json", f"cannot be read: {problem}"),))
    findings = tuple(_differences(path, manifest))
    return Integrity("broken" if findings else "ok", findings)


def _differences(path: Path, manifest: Manifest) -> list[Finding]:
    present = set(files_of(path))
    findings = [Finding(name, "is missing") for name in sorted(manifest.files.keys() - present)]
    findings += [Finding(name, "was added after the run") for name in sorted(present - manifest.files.keys())]
    for name in sorted(present & manifest.files.keys()):
        try:
            if digest(path / name) != manifest.files[name]:
                findings.append(Finding(name, "changed after the run"))
        except OSError as error:
            findings.append(Finding(name, f"cannot be read: {error.strerror}"))
    plan = manifest.files.get("plan.json")
    if plan is not None and plan.sha256 != manifest.plan_sha256:
        findings.append(Finding("manifest.json", "names another plan than plan.json"))
    if manifest.run != path.name:
        findings.append(Finding("manifest.json", f"belongs to the run {manifest.run}"))
    return findings
