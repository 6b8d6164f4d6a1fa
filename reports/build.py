"""Builds a report in memory: runs in, the files of the report folder out. Pure but for reading the runs.

Called by `reports.rendering_process`, which runs with a pinned environment; `reports.render` is the way in for others.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.caveats import Caveat, find_caveats
from analysis.caveats.annotation_rules import withdrawn
from analysis.evidence import evidence_lines
from analysis.gaps import gaps
from analysis.numbers import plain
from analysis.plots import Picture, draw_all
from analysis.report_tables import all_tables, summary_table
from analysis.setup_lines import fact_rows, node_lines
from analysis.study import Measured, Study
from analysis.tables import to_markdown
from analysis.verdicts import Verdict, answer_all
from reports.marks import Place, strip_marks
from reports.published_report import build_published
from reports.templates import render_template
from reports.version import rendered_by
from store.errors import Exit, LabError
from store.figures import is_figures


@dataclass(frozen=True)
class Built:
    """files: name -> bytes, report.md first; answers and caveats: plain lines for a terminal."""

    files: dict[str, bytes]
    answers: list[str]
    caveats: list[str]


def build_report(paths: Sequence[Path], *, draw: bool = True) -> Built:
    """Everything a report folder holds; without `draw` no pictures. LabError when the runs cannot be read at all."""
    figures = [path for path in paths if is_figures(path)]
    if figures and len(paths) > 1:
        raise LabError(f"{figures[0].name} holds figures of others: it has a report of its own", exit_code=Exit.USAGE)
    if figures:
        return Built(*build_published(figures[0]))
    study = Study.of_runs(paths)
    verdicts, caveats = answer_all(study), find_caveats(study)
    pictures = draw_all(study) if draw else []
    text, places = strip_marks(render_template("report.md.j2", _context(study, verdicts, caveats, pictures)))
    files = {"report.md": text.encode()}
    files |= {picture.name: picture.png for picture in pictures}
    files["numbers.json"] = _numbers(study, places, verdicts, caveats)
    return Built(
        files,
        answers=[plain(verdict.answer) for verdict in verdicts],
        caveats=[plain(caveat.line) for caveat in caveats],
    )


def _context(
    study: Study, verdicts: Sequence[Verdict], caveats: Sequence[Caveat], pictures: Sequence[Picture]
) -> dict[str, Any]:
    first = study.runs[0]
    run = first.run
    assert run is not None, "a study of runs has run folders"
    tables = all_tables(study)
    return {
        "title": f"{run.experiment} on {_site(run.binding)} / {study.lane().get('name')}, {_date(run.name)}",
        "question": str(study.plan.get("question", "")),
        "verdicts": verdicts,
        "caveats": caveats,
        "withdrawn": withdrawn(study),
        "evidence": evidence_lines(study),
        "runs": [_run_facts(each) for each in study.runs],
        "summary": summary_table(study),
        "tables": [(table, to_markdown(table)) for table in tables],
        "summary_text": to_markdown(summary_table(study)),
        "pictures": {picture.name.removesuffix(".png"): picture for picture in pictures},
        "gaps": gaps(study),
        "experiment": run.experiment,
        "rendered_by": rendered_by(),
    }


def _site(binding: dict[str, Any] | None) -> str:
    return str((binding or {}).get("site", "an unknown site"))


def _date(name: str) -> str:
    """`2026-11-30` from a run's name; the name itself where it has no date."""
    return f"{name[:4]}-{name[4:6]}-{name[6:8]}" if name[:8].isdigit() else name


def _run_facts(each: Measured) -> dict[str, Any]:
    run = each.run
    assert run is not None, "a study of runs has run folders"
    return {
        "name": each.name,
        "plan_sha256": run.plan_sha256,
        "manifest_sha256": run.manifest_sha256,
        "seed": each.plan.get("seed"),
        "nodes": node_lines(each),
        "facts": [(f"{node}, epoch {epoch}" if len(run.setups) > 1 else node, fact_rows(record))
                  for epoch, nodes in run.setups.items() for node, record in sorted(nodes.items())],
        "preflight": [check for check in (run.preflight.checks if run.preflight else []) if check.status != "passed"],
    }  # fmt: skip


def _numbers(study: Study, places: Sequence[Place], verdicts: Sequence[Verdict], caveats: Sequence[Caveat]) -> bytes:
    """numbers.json: each printed number with value, formula, n, sources and places; verdicts and caveats as data."""
    where: dict[str, list[list[int]]] = {}
    for place in places:
        where.setdefault(place.id, []).append([place.line, place.column])
    value = {
        "format": "rdmalab.numbers",
        "version": 1,
        "rendered_by": rendered_by(),
        "runs": [
            {"run": each.name, "manifest_sha256": each.run.manifest_sha256 if each.run else None} for each in study.runs
        ],
        "verdicts": [verdict.to_json() for verdict in verdicts],
        "caveats": [caveat.to_json() for caveat in caveats],
        "numbers": {name: study.ledger.entries[name].to_json() | {"places": where[name]} for name in sorted(where)},
    }
    return (json.dumps(value, indent=1, ensure_ascii=True, allow_nan=False) + "\n").encode()
