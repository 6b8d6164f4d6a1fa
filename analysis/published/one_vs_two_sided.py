"""The review of the write and send sweep: one run per cell, so "no difference" is never decidable from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from analysis.numbers import Ledger, Number
from analysis.published.printed import Printed, column_places, overlap, printed
from analysis.published.review import ClaimPart, Contradiction, PublishedCaveat, Review
from analysis.published.tables import ours, plain_table
from analysis.tables import Cell, Column, Table
from analysis.units import size
from store.figures import Figures, FigureTable

GIB = 1 << 30
MARGIN = 0.10
"""What we let "hardly", "flat" and "similar" mean: within 10 %."""
KNEE = 8192


@dataclass(frozen=True)
class SweepCell:
    """One printed cell of the sweep: memory, operation, size, window, and its two figures (None: printed as nan)."""

    memory: str
    op: str
    size: int
    window: int
    mops: Printed | None
    rate: Printed | None


def review(figures: Figures) -> Review:
    """Tables with the rate computed again from the message rate, the five claims, and sentences against the tables."""
    ledger = Ledger()
    cells = list(_cells(figures))
    return Review(
        figures,
        ledger,
        tables=tuple(_table(figures, table, ledger) for table in figures.record.tables),
        claims=tuple(_claims(figures, cells, ledger)),
        contradictions=tuple(_contradictions(figures, cells, ledger)),
        caveats=_CAVEATS,
        allows=("the size from which bandwidth, not the message rate, is the limit (about 8 KiB)",),
        forbids=("intervals and tests", "equality of write and send", "anything about read", "effect of the window"),
        lane="not stated",
        staging="not stated",
    )


def _cells(figures: Figures) -> Iterator[SweepCell]:
    for table in figures.record.tables:
        rows = figures.rows[table.id]
        places = {name: column_places([row[name] for row in rows]) for name in ("mops", "rate_gib_per_s")}
        for row in rows:
            mops, rate = (printed(row[name], places[name]) for name in ("mops", "rate_gib_per_s"))
            yield SweepCell(table.id, row["op"], int(row["size_bytes"]), int(row["window"]), mops, rate)


def _table(figures: Figures, table: FigureTable, ledger: Ledger) -> Table:
    rows = figures.rows[table.id]
    places = column_places([row["mops"] for row in rows])

    def extra(row: Mapping[str, str], index: int) -> Mapping[str, Cell]:
        mops, rate = printed(row["mops"], places), printed(row["rate_gib_per_s"], 2)
        if mops is None or rate is None:
            return {"again": None, "agrees": "not recorded"}
        low, high = (bound * 1e6 * int(row["size_bytes"]) / GIB for bound in (mops.low, mops.high))
        value = mops.value * 1e6 * int(row["size_bytes"]) / GIB
        again = ours(
            ledger,
            f"{table.id}.{index}.again",
            value,
            f"{value:.2f}",
            unit="GiB/s",
            formula="printed message rate x size",
        )
        return {"again": again, "agrees": "yes" if overlap(low, high, rate) else "no"}

    return plain_table(figures, table, ledger, extra, (Column("again", "again (GiB/s)"), Column("agrees", "agrees")))


def _spread(values: list[float]) -> float:
    return max(values) / min(values) - 1 if values else 0.0


def _largest(pairs: list[tuple[SweepCell, SweepCell]]) -> tuple[float, SweepCell]:
    """The largest relative difference of the rates of two cells, and the first of the two."""
    differences = [(abs(a.rate.value / b.rate.value - 1), a) for a, b in pairs if a.rate and b.rate]
    return max(differences, key=lambda item: item[0])


def _matched(cells: list[SweepCell], **change: object) -> list[tuple[SweepCell, SweepCell]]:
    """Pairs of cells that are alike but for one factor: (memory="cuda", "host") and the like."""
    name, (first, second) = next((key, value) for key, value in change.items() if isinstance(value, tuple))
    keys = ("memory", "op", "size", "window")
    index = {tuple(getattr(cell, key) for key in keys): cell for cell in cells}
    found = []
    for cell in cells:
        if getattr(cell, name) == first:
            other = index.get(tuple(second if key == name else getattr(cell, key) for key in keys))
            if other is not None:
                found.append((cell, other))
    return found


def _percent(ledger: Ledger, name: str, value: float, formula: str) -> Number:
    return ours(ledger, f"claim.{name}", 100 * value, f"{100 * value:.1f}", unit="%", formula=formula)


def _claims(figures: Figures, cells: list[SweepCell], ledger: Ledger) -> list[ClaimPart]:
    rate_spread = max(_spread([c.mops.value for c in group if c.mops and c.size <= KNEE]) for group in _series(cells))
    flat = max(_spread([c.rate.value for c in group if c.rate and c.size >= KNEE]) for group in _series(cells))
    window, at_window = _largest(_matched(cells, window=(64, 512)))
    op, at_op = _largest(_matched(cells, op=("write", "send")))
    gpu, at_gpu = _largest(_matched(cells, memory=("cuda", "host")))
    told = {
        "hardly": _percent(
            ledger, "knee_8k.rate", rate_spread, "largest / least message rate up to 8 KiB - 1, per series"
        ),
        "flat": _percent(ledger, "knee_8k.flat", flat, "largest / least rate from 8 KiB - 1, per series"),
        "window": _percent(ledger, "window", window, "largest |rate at window 64 / rate at window 512 - 1|"),
        "op": _percent(ledger, "no_difference", op, "largest |rate of write / rate of send - 1|"),
        "gpu": _percent(ledger, "gpu_like_host", gpu, "largest |rate in GPU memory / rate in host memory - 1|"),
    }
    best = max(c.rate.value for c in cells if c.rate)
    line = float((figures.record.facts["line rate, as stated"] or "0").split()[0])
    share = ours(
        ledger,
        "claim.best.share",
        best / line,
        f"{best / line:.2f}",
        unit="",
        formula="largest rate / stated line rate",
    )
    return [
        ClaimPart(
            "best",
            "the best rate is 30 GiB/s, 0.64 of the line rate",
            "holds" if round(best) == 30 and round(best / line, 2) == 0.64 else "does not hold",
            f"the largest printed rate is {best:g} GiB/s, {share} of the stated {line:g} GiB/s",
        ),
        ClaimPart(
            "knee_8k",
            "up to about 8 KiB the message rate hardly depends on the size",
            "holds" if rate_spread <= MARGIN else "does not hold",
            f"within each series it varies by at most {told['hardly']} %, and we take 'hardly' as 10 %",
        ),
        ClaimPart(
            "knee_8k",
            "from there bandwidth is flat and the rate falls",
            "holds" if flat <= MARGIN and _falls(cells) else "does not hold",
            f"from 8 KiB bandwidth varies by at most {told['flat']} % within a series, and each larger size "
            f"has a lower "
            "message rate",
        ),
        ClaimPart(
            "window",
            "a window beyond a sufficient size does not matter",
            "not decidable",
            f"only windows 64 and 512 are printed, none below, with one run per cell; they differ by up to "
            f"{told['window']} % ({_where(at_window)}), and no margin is stated",
        ),
        ClaimPart(
            "no_significance",
            "send and write show no statistically significant difference",
            "not decidable",
            "one run per cell carries no test; and without a margin no missing difference is equality",
        ),
        ClaimPart(
            "no_difference",
            "one-sided and two-sided operations show no observable difference",
            "not decidable",
            f"the printed figures of write and send differ by up to {told['op']} % ({_where(at_op)}); with one run per "
            "cell that is neither noise nor effect, and read is not in the tables",
        ),
        ClaimPart(
            "gpu_like_host",
            "results in GPU memory are similar to those in host memory",
            "holds" if gpu <= MARGIN else "does not hold",
            f"at equal operation, size and window they differ by at most {told['gpu']} % ({_where(at_gpu)}), "
            f"and we take "
            "'similar' as 10 %; one run per cell, so without an interval",
        ),
    ]


def _series(cells: list[SweepCell]) -> list[list[SweepCell]]:
    groups: dict[tuple[str, str, int], list[SweepCell]] = {}
    for cell in cells:
        groups.setdefault((cell.memory, cell.op, cell.window), []).append(cell)
    return list(groups.values())


def _falls(cells: list[SweepCell]) -> bool:
    """Whether in every series each size above the knee has a lower printed message rate than the one before."""
    for group in _series(cells):
        rates = [cell.mops.value for cell in group if cell.size >= KNEE and cell.mops]
        if any(later >= earlier for earlier, later in pairwise(rates)):
            return False
    return True


def _where(cell: SweepCell) -> str:
    return f"{cell.memory} memory, {cell.op}, {size(cell.size)}, window {cell.window}"


def _contradictions(figures: Figures, cells: list[SweepCell], ledger: Ledger) -> Iterator[Contradiction]:
    for table in figures.record.tables:
        for index, row in enumerate(figures.rows[table.id], start=1):
            if f"{table.id}.{index}.again" not in ledger.entries:
                what = f"{row['op']}, {size(int(row['size_bytes']))}, window {row['window']}"
                yield Contradiction(f"{table.id}, row {index}", f"{what}: printed as nan, without a reason")
    for cell in cells:
        if cell.mops and cell.rate:
            low, high = (bound * 1e6 * cell.size / GIB for bound in (cell.mops.low, cell.mops.high))
            if not overlap(low, high, cell.rate):
                text = f"{_where(cell)}: the rate is not message rate x size"
                yield Contradiction(f"{cell.memory} table", text)
    yield from _sentences(figures, cells)


def _sentences(figures: Figures, cells: list[SweepCell]) -> Iterator[Contradiction]:
    """What the text says of sizes and windows against the tables."""
    largest, windows = max(cell.size for cell in cells), sorted({cell.window for cell in cells})
    facts = figures.record.facts
    if largest > KNEE:
        told = facts["message sizes, as the text says"]
        text = f"message sizes are told as {told} B, the tables go to {size(largest)}"
        yield Contradiction("text, message sizes", text)
    concluded = facts["windows, as the conclusion says"]
    if concluded != ", ".join(map(str, windows)):
        text = f"the conclusion names windows {concluded}; method and tables have {', '.join(map(str, windows))}"
        yield Contradiction("text, conclusion", text)


_CAVEATS = (
    PublishedCaveat(
        "no_raw_samples", "one figure per cell is printed, no samples and no spread", "intervals and tests"
    ),
    PublishedCaveat("too_few_reps", "one run of 200000 iterations per cell", "any statement about a difference"),
    PublishedCaveat(
        "lane_unproven", "no protocol, queue pair, GID, MTU or firmware is stated", "naming the path of the bytes"
    ),
    PublishedCaveat("not_recorded", "three cells are printed as nan, without a reason", "figures for these cells"),
)
