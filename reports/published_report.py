"""The report over figures of others: published results and imports. Called by `reports.build` for such folders."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from analysis.numbers import plain
from analysis.published import Review, reviewed
from analysis.tables import to_markdown
from reports.marks import Place, strip_marks
from reports.templates import render_template
from reports.version import rendered_by
from store.annotations import withdrawal
from store.figures import open_figures

_QUESTIONS = {
    "published": "Do the printed figures bear out what is claimed from them?",
    "imported": "What did the other tool measure?",
}


def build_published(path: Path) -> tuple[dict[str, bytes], list[str], list[str]]:
    """Files of the report folder, answers and caveats of one folder of figures."""
    review = reviewed(open_figures(path))
    text, places = strip_marks(render_template("published.md.j2", _context(review)))
    files = {"report.md": text.encode(), "numbers.json": _numbers(review, places)}
    return files, [plain(review.answer)], [f"{caveat.id}: {caveat.text}" for caveat in review.caveats]


def _context(review: Review) -> dict[str, Any]:
    figures, record = review.figures, review.figures.record
    parts = {claim.id: [part for part in review.claims if part.claim == claim.id] for claim in record.claims}
    said = [
        record.title,
        record.software,
        f"measured on {record.measured_on}" if record.measured_on else "when it was measured is not stated",
    ]
    return {
        "title": figures.name,
        "name": figures.name,
        "kind": figures.manifest.kind,
        "source": record.title,
        "question": _QUESTIONS[figures.manifest.kind],
        "withdrawn": withdrawal(figures.path),
        "source_line": "; ".join(one for one in said if one),
        "answer": review.answer[0].upper() + review.answer[1:],
        "caveats": review.caveats,
        "lane": review.lane,
        "staging": review.staging,
        "allows": review.allows,
        "forbids": review.forbids,
        "claims": [{"text": claim.text, "parts": parts[claim.id]} for claim in record.claims],
        "contradictions": review.contradictions,
        "tables": [(table, to_markdown(table)) for table in review.tables],
        "not_measured": record.not_measured,
        "facts": list(record.facts.items()),
        "lacking": review.lacking(),
        "nodes": [(node, sorted(setup.before.items())) for node, setup in sorted(figures.setup.items())],
        "files": ", ".join(f"`{table.file}`" for table in record.tables),
        "manifest_sha256": _manifest_sha256(review),
        "rendered_by": rendered_by(),
    }


def _manifest_sha256(review: Review) -> str:
    return hashlib.sha256((review.figures.path / "manifest.json").read_bytes()).hexdigest()


def _numbers(review: Review, places: list[Place]) -> bytes:
    """numbers.json, in the form of a measured run's: each printed number with its value, formula, source and places."""
    where: dict[str, list[list[int]]] = {}
    for place in places:
        where.setdefault(place.id, []).append([place.line, place.column])
    value = {
        "format": "rdmalab.numbers",
        "version": 1,
        "rendered_by": rendered_by(),
        "runs": [{"run": review.figures.name, "manifest_sha256": _manifest_sha256(review)}],
        "verdicts": [
            {"claim": part.claim, "says": part.says, "judgement": part.judgement, "because": plain(part.because)}
            for part in review.claims
        ],
        "caveats": [{"id": one.id, "text": one.text, "forbids": one.forbids} for one in review.caveats],
        "contradictions": [{"where": one.where, "text": plain(one.text)} for one in review.contradictions],
        "numbers": {name: review.ledger.entries[name].to_json() | {"places": where[name]} for name in sorted(where)},
    }
    return (json.dumps(value, indent=1, ensure_ascii=True, allow_nan=False) + "\n").encode()
