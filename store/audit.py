"""What a run's own files say for it: integrity, completeness, lane evidence, staging. One row per run, as data.

Used by cli.audit; what the record allows to be concluded is the matter of analysis, which adds to these rows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.annotations import withdrawal
from store.anonymous import ANONYMOUS
from store.errors import LabError
from store.figures import is_figures, open_figures
from store.integrity import Integrity, check_integrity
from store.run import Run, open_run

# Keys of sample lines, as bytes: quotes inside a JSON string are escaped, so these are always the key.
STAGING_MARK = b'"staging_reason":"'
STAGING_AS_ASKED = b'"staging_reason":"ok"'
PIECE_BYTES = 1 << 22


@dataclass(frozen=True)
class AuditRow:
    """One run. `complete` is `done/planned` blocks; `lane` and `staging` say it in a word; `notes` tell the rest.

    `allows`, `forbids` and `wrong` are filled in by `cli.audit`: what may and must not be concluded, and what of stored
    reports does not follow from the record. Of a run that cannot be read `wrong` says why.
    """

    run: str
    kind: str
    state: str
    integrity: Integrity
    complete: str
    lane: str
    staging: str
    notes: tuple[str, ...]
    allows: tuple[str, ...] = ()
    forbids: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether record and reports are what they claim to be; a run that is not sealed yet claims nothing."""
        return self.integrity.status in ("ok", "unsealed") and not self.wrong

    def as_json(self) -> dict[str, Any]:
        """The row with plain values."""
        return {
            "run": self.run,
            "kind": self.kind,
            "state": self.state,
            "integrity": self.integrity.status,
            "findings": [{"file": finding.file, "problem": finding.problem} for finding in self.integrity.findings],
            "complete": self.complete,
            "lane": self.lane,
            "staging": self.staging,
            "allows": list(self.allows),
            "forbids": list(self.forbids),
            "wrong": list(self.wrong),
            "holds": self.holds,
            "notes": list(self.notes),
        }


def audit_run(path: Path) -> AuditRow:
    """Audit one run folder. Never raises for a bad run: what is wrong stands in the row."""
    integrity = check_integrity(path)
    if is_figures(path):
        return _figures_row(path, integrity)
    try:
        run = open_run(path)
    except LabError as error:
        problem = error.message.removeprefix(f"{path}/")
        known = tuple(_told(integrity, ()))
        return AuditRow(path.name, "?", "unreadable", integrity, "?", "?", "?", known, wrong=(problem,))
    kind = run.manifest.kind if run.manifest else "measured"
    planned = len(run.plan.get("blocks", []))
    done = planned - len(run.missing_blocks)
    notes = _told(integrity, run.problems)
    reason = withdrawal(path)
    if reason is not None:
        notes.insert(0, f"withdrawn: {reason}")
    if (path / ANONYMOUS).is_file():
        notes.append("names of machines and people are replaced")
    if run.manifest and run.manifest.cause:
        notes.append(run.manifest.cause)
    if run.manifest and run.manifest.waived:
        notes.append(f"waived: {', '.join(run.manifest.waived)}")
    if run.manifest and run.manifest.epochs > 1:
        notes.append(f"{run.manifest.epochs} setups: its identity changed between resumes")
    return AuditRow(
        run=path.name,
        kind=kind,
        state=run.state,
        integrity=integrity,
        complete=f"{done}/{planned}",
        lane=lane_evidence(run),
        staging=staging_seen(run),
        notes=tuple(notes),
    )


def _figures_row(path: Path, integrity: Integrity) -> AuditRow:
    """The row of published or imported figures: nothing but integrity can be said from the record alone."""
    try:
        figures = open_figures(path)
    except LabError as error:
        notes = tuple(_told(integrity, (error.message.removeprefix(f"{path}/"),)))
        return AuditRow(path.name, "?", "unreadable", integrity, "?", "?", "?", notes)
    reason = withdrawal(path)
    withdrawn = () if reason is None else (f"withdrawn: {reason}",)
    notes = (*withdrawn, *_told(integrity, ("no raw samples",)))
    return AuditRow(figures.name, figures.manifest.kind, "done", integrity, "as printed", "-", "-", notes)


def lane_evidence(run: Run) -> str:
    """What the consumers said of the selected protocol: the pairs' worst, `absent` where one is silent."""
    verdicts = set()
    for pair in run.pairs:
        if not pair.source.blocks:
            continue
        try:
            described = json.loads((pair.path / "consumer.json").read_text(encoding="utf-8"))
            verdicts.add(str(described["lane_check"]["verdict"]))
        except (OSError, ValueError, KeyError, TypeError):
            verdicts.add("absent")
    for verdict in ("refused", "absent", "unproven"):
        if verdict in verdicts:
            return verdict
    return "accepted" if verdicts else "absent"


def staging_seen(run: Run) -> str:
    """`as asked`, or how many samples were staged otherwise (budget spent, kill switch)."""
    asked = other = 0
    for source in run.sample_sources():
        total, as_asked = _count(source.path, STAGING_MARK), _count(source.path, STAGING_AS_ASKED)
        asked += as_asked
        other += total - as_asked
    if not asked and not other:
        return "-"
    return "as asked" if not other else f"{other} not as asked"


def _count(path: Path, mark: bytes) -> int:
    count, rest = 0, b""
    with path.open("rb") as source:
        while piece := source.read(PIECE_BYTES):
            text = rest + piece
            count += text.count(mark)
            rest = text[-(len(mark) - 1) :]
    return count


def _told(integrity: Integrity, problems: tuple[str, ...]) -> list[str]:
    told = [str(finding) for finding in integrity.findings] if integrity.status != "unsealed" else ["not sealed yet"]
    return told + [problem for problem in problems if problem not in told]
