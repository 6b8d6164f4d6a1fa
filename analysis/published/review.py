"""What a review of published figures holds, and the list of those that we can review. Imported figures have none."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

from analysis import units
from analysis.numbers import Ledger, plain
from analysis.tables import Table
from store.annotations import withdrawal
from store.facts import Status
from store.figures import Figures

Judgement = Literal["holds", "does not hold", "not decidable"]


@dataclass(frozen=True)
class ClaimPart:
    """One thing that a claim says, and whether the printed figures bear it out; `because` is marked text."""

    claim: str
    says: str
    judgement: Judgement
    because: str


@dataclass(frozen=True)
class Contradiction:
    """A row, a header or a sentence that does not agree with the source's own figures; marked text."""

    where: str
    text: str


@dataclass(frozen=True)
class PublishedCaveat:
    """Why the figures mean less than they seem, in the words of our caveats."""

    id: str
    text: str
    forbids: str


@dataclass(frozen=True)
class Review:
    """Tables with recomputed columns, judged claims, contradictions, caveats; what the record allows and forbids."""

    figures: Figures
    ledger: Ledger
    tables: tuple[Table, ...]
    claims: tuple[ClaimPart, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    caveats: tuple[PublishedCaveat, ...] = ()
    allows: tuple[str, ...] = ()
    forbids: tuple[str, ...] = ()
    lane: str = "not stated"
    staging: str = "not stated"

    @property
    def answer(self) -> str:
        """`of 12 parts of its claims 9 hold, 3 are not decidable; 2 places do not agree ...`."""
        counts = {word: sum(part.judgement == word for part in self.claims) for word in JUDGEMENTS}
        told = ", ".join(
            f"{count} {_PLURAL[word] if count > 1 else _SINGULAR[word]}" for word, count in counts.items() if count
        )
        wrong = len(self.contradictions)
        rows = (
            f"{units.plural(wrong, 'place')} {'does' if wrong == 1 else 'do'} not agree with the source's own figures"
        )
        return f"of {len(self.claims)} parts of its claims {told}; {rows}" if self.claims else "tables only, no claims"

    def audit_notes(self) -> tuple[str, ...]:
        """What an audit notes: claims and rows that do not hold, facts that lack."""
        wrong = [part for part in self.claims if part.judgement == "does not hold"]
        notes = [
            *(f"does not hold: {part.says}" for part in wrong),
            *(f"not decidable: {part.says}" for part in self.claims if part.judgement == "not decidable"),
            *(f"contradicts itself: {one.where}: {plain(one.text)}" for one in self.contradictions),
            f"not stated: {', '.join(self.lacking())}" if self.lacking() else None,
        ]
        return tuple(note for note in notes if note)

    def lacking(self) -> tuple[str, ...]:
        """Setup facts that a comparison would need and the source does not state, over all nodes."""
        keys = {
            key
            for record in self.figures.setup.values()
            for key, fact in record.before.items()
            if fact.status in (Status.ABSENT, Status.DENIED)
        }
        return tuple(sorted(keys))


JUDGEMENTS: Final[tuple[Judgement, ...]] = ("holds", "does not hold", "not decidable")
_SINGULAR: Final = {"holds": "holds", "does not hold": "does not hold", "not decidable": "is not decidable"}
_PLURAL: Final = {"holds": "hold", "does not hold": "do not hold", "not decidable": "are not decidable"}


class Reviewer(Protocol):
    """What each module of REVIEWERS offers."""

    def review(self, figures: Figures) -> Review:
        """The review of these figures."""


REVIEWERS: Final[Mapping[str, str]] = {
    "velo_rdma": "analysis.published.velo_rdma",
    "one_vs_two_sided": "analysis.published.one_vs_two_sided",
}
"""Name of the record -> module that reviews it; one line for each published result."""


def reviewed(figures: Figures) -> Review:
    """The review of published or imported figures; those that were withdrawn allow nothing."""
    review = _reviewed(figures)
    reason = withdrawal(figures.path)
    if reason is None:
        return review
    caveats = (PublishedCaveat("withdrawn", reason, "any conclusion"), *review.caveats)
    return replace(review, caveats=caveats, allows=(), forbids=("any conclusion (withdrawn)",))


def _reviewed(figures: Figures) -> Review:
    """By their own reviewer; without one, their tables alone."""
    from analysis.published.tables import plain_table

    module = REVIEWERS.get(figures.record.name) if figures.manifest.kind == "published" else None
    if module is not None:
        reviewer: Reviewer = importlib.import_module(module)
        return reviewer.review(figures)
    ledger = Ledger()
    tables = tuple(plain_table(figures, table, ledger) for table in figures.record.tables)
    caveat = PublishedCaveat(
        "no_raw_samples", "the figures are as another tool printed them, without raw samples", "intervals and tests"
    )
    return Review(figures, ledger, tables, caveats=(caveat,), forbids=("intervals", "tests of significance"))
