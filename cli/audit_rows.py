"""One audited run as a row: what store checks of its files, what analysis concludes, what its stored reports claim.

Used by `cli audit`, which finds the runs and prints the rows.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cli.report import report_place
from store.archive import unpacked
from store.audit import AuditRow, audit_run
from store.errors import LabError
from store.figures import is_figures, open_figures
from store.integrity import Finding, Integrity
from store.names import is_archive


def row_of(place: Path, store: Path, *, deep: bool) -> AuditRow:
    """The row of a run folder or an archive. Never raises for a bad one: what is wrong stands in the row."""
    if not is_archive(place):
        return _with_reports(_judged(place, deep=deep), place, store) if deep else _judged(place, deep=False)
    try:
        with unpacked(place) as run:
            return _judged(run, deep=deep)
    except LabError as error:
        integrity = Integrity("unreadable", (Finding(place.name, "cannot be read"),))
        return AuditRow(place.name, "?", "unreadable", integrity, "?", "?", "?", (error.message,))


def _judged(run: Path, *, deep: bool) -> AuditRow:
    """The record's own row, with what it allows and forbids."""
    row = audit_run(run)
    if row.state == "unreadable":
        return row
    if row.integrity.status not in ("ok", "unsealed"):
        return replace(row, forbids=("any conclusion: the record is not what was sealed",))
    if is_figures(run):
        return _reviewed(row, run)
    from analysis.conclusions import conclusions_of

    try:
        found = conclusions_of(run, deep=deep)
    except LabError as error:
        return replace(row, forbids=("any conclusion: it cannot be read",), notes=(*row.notes, error.message))
    open_ = tuple(f"{kind} of {subject} is inconclusive: {because}" for kind, subject, because in found.inconclusive)
    return replace(row, allows=found.allows, forbids=found.forbids, notes=(*row.notes, *map(_plain, open_)))


def _reviewed(row: AuditRow, run: Path) -> AuditRow:
    """Figures of others: what their review found."""
    from analysis.published import reviewed

    review = reviewed(open_figures(run))
    return replace(
        row,
        lane=review.lane,
        staging=review.staging,
        allows=review.allows,
        forbids=review.forbids,
        notes=(*row.notes, *review.audit_notes()),
    )


def _with_reports(row: AuditRow, run: Path, store: Path) -> AuditRow:
    """The numbers of the run's stored reports, computed again; not where the record itself is broken."""
    if not row.holds:
        return row
    from reports.stored import audit_report, report_folders

    audits = [audit_report(folder, run, store) for folder in report_folders(run, report_place([run], store))]
    notes = [f"report: {each.numbers} numbers computed again, all hold" for each in audits if not each.wrong]
    notes += [
        f"report: {', '.join(each.redrawn)} not as drawn here (another machine, other libraries, or edited)"
        for each in audits
        if each.redrawn
    ]
    wrong = tuple(problem for each in audits for problem in each.wrong)
    return replace(row, notes=(*row.notes, *notes), wrong=wrong)


def _plain(text: str) -> str:
    from analysis.numbers import plain

    return plain(text)
