"""Renders reports and checks rendered ones: the way in for `cli report`, `cli run` and `audit`.

The work is done by a process of its own with a pinned environment (`reports.pinned`), so that the bytes do not
depend on this process's CPU features, locale, time zone or hash seed; and so this module imports no numpy.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reports.differences import Difference, differences
from reports.process import run_rendering
from store.errors import Exit, LabError


@dataclass(frozen=True)
class ReportResult:
    """path: the report.md; answers and caveats: one plain line each, for the terminal."""

    path: Path
    answers: list[str]
    caveats: list[str]


def render_report(runs: Sequence[Path], out: Path) -> ReportResult:
    """Render the report of the runs into the folder `out`. Raises LabError when they cannot be read or written."""
    told = _rendered(runs, out)
    return ReportResult(out / "report.md", told["answers"], told["caveats"])


def check_report(runs: Sequence[Path], out: Path) -> list[Difference]:
    """Render again and compare: every file of `out` that differs, and in what. Empty: the same bytes.

    Raises LabError (exit 2) when `out` holds no report.
    """
    if not (out / "report.md").is_file():
        raise LabError(f"{out}: no report here", advice="render it first: ./rdmalab report RUN", exit_code=Exit.USAGE)
    with tempfile.TemporaryDirectory(prefix="rdmalab-report-") as folder:
        fresh = Path(folder) / "report"
        _rendered(runs, fresh)
        return differences(out, fresh)


def _rendered(runs: Sequence[Path], out: Path) -> dict[str, Any]:
    paths = [str(path.absolute()) for path in runs]
    return run_rendering({"what": "report", "runs": paths, "out": str(out.absolute())})
