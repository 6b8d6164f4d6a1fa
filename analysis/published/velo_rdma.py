"""The review of velo's RDMA chapter: ten warm sizes, five cold ones, and what its claims need beyond them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from analysis.numbers import Ledger
from analysis.published.printed import Printed, overlap, printed, ratio_range, same_digits
from analysis.published.review import ClaimPart, Contradiction, PublishedCaveat, Review
from analysis.published.tables import ours, plain_table
from analysis.tables import Cell, Column, Table
from analysis.units import size
from store.figures import Figures, FigureTable

GIB = 1 << 30
MODEL_US, MODEL_GB_PER_S, MODEL_MARGIN = 105.0, 9.0, 0.10
LINK_GB_PER_S = 50.0  # 400 Gb/s
_STATED_COLD = {
    65536: ("chunked", "41"),
    1 << 20: ("chunked", "11"),
    1 << 24: ("chunked", "1.1"),
    1 << 28: ("rdma", "3.4"),
}


def review(figures: Figures) -> Review:
    """Tables with recomputed columns, the six claims in their parts, and the rows that contradict themselves."""
    ledger = Ledger()
    by_id = {table.id: table for table in figures.record.tables}
    extras = {"warm_pair": _warm, "cold_pair": _cold, "get_latency": _get}
    tables = tuple(
        extras[table.id](figures, table, ledger) if table.id in extras else plain_table(figures, table, ledger)
        for table in by_id.values()
    )
    return Review(
        figures,
        ledger,
        tables,
        claims=(*_warm_claims(figures, ledger), *_cold_claims(figures, ledger), *_cause_claims(figures, ledger)),
        contradictions=tuple(_contradictions(figures, ledger)),
        caveats=_CAVEATS,
        allows=("whether to enable RDMA on this lane, warm, 4 KiB to 4 MiB",),
        forbids=("a min_bytes threshold", "intervals and tests", "the share of the copy", "statements about rc_mlx5"),
        lane="partly",
        staging="confounded",
    )


def _number(row: Mapping[str, str], column: str) -> Printed:
    one = printed(row[column])
    assert one is not None, f"{column} of the stored table is a number"
    return one


def _warm(figures: Figures, table: FigureTable, ledger: Ledger) -> Table:
    def extra(row: Mapping[str, str], index: int) -> Mapping[str, Cell]:
        rdma, chunked, told = (_number(row, name) for name in ("rdma_us", "chunked_us", "advantage"))
        value = chunked.value / rdma.value
        again = ours(
            ledger,
            f"warm_pair.{index}.again",
            value,
            same_digits(value, told.text),
            unit="",
            formula="chunked / rdma of the printed medians",
        )
        return {"again": again, "agrees": "yes" if overlap(*ratio_range(chunked, rdma), told) else "no"}

    return plain_table(figures, table, ledger, extra, (Column("again", "again"), Column("agrees", "agrees")))


def _cold(figures: Figures, table: FigureTable, ledger: Ledger) -> Table:
    def extra(row: Mapping[str, str], index: int) -> Mapping[str, Cell]:
        faster, by = _cold_ratio(row)
        number = ours(
            ledger, f"cold_pair.{index}.by", by, f"{by:.2f}", unit="", formula="larger / smaller of the printed medians"
        )
        return {"faster": faster, "by": number}

    return plain_table(figures, table, ledger, extra, (Column("faster", "faster"), Column("by", "by a factor of")))


def _cold_ratio(row: Mapping[str, str]) -> tuple[str, float]:
    rdma, chunked = _number(row, "rdma_ms").value, _number(row, "chunked_ms").value
    return ("rdma", chunked / rdma) if rdma < chunked else ("chunked", rdma / chunked)


def _get_rates(row: Mapping[str, str]) -> tuple[float, float]:
    """Least and largest rate of the three passes in GiB/s."""
    rates = [int(row["get_bytes"]) / (_number(row, f"pass{n}_us").value * 1e-6) / GIB for n in (1, 2, 3)]
    return min(rates), max(rates)


def _get(figures: Figures, table: FigureTable, ledger: Ledger) -> Table:
    def extra(row: Mapping[str, str], index: int) -> Mapping[str, Cell]:
        low, high = (
            ours(
                ledger,
                f"get_latency.{index}.{name}",
                value,
                f"{value:.1f}",
                unit="GiB/s",
                formula=f"{name} of size / time over the three printed passes",
            )
            for name, value in zip(("least", "largest"), _get_rates(row), strict=True)
        )
        return {"again": f"{low}..{high}", "agrees": "yes" if _rate_agrees(row) else "no"}

    return plain_table(figures, table, ledger, extra, (Column("again", "again (GiB/s)"), Column("agrees", "agrees")))


def _rate_agrees(row: Mapping[str, str]) -> bool:
    """One printed rate must be among the passes' rates; a printed range must be their range."""
    low, high = _get_rates(row)
    ends = [printed(end) for end in row["rate_gib_per_s"].split("..")]
    if len(ends) == 1:
        return ends[0] is not None and overlap(low, high, ends[0])
    return all(end is not None and overlap(value, value, end) for value, end in zip((low, high), ends, strict=True))


def _warm_claims(figures: Figures, ledger: Ledger) -> list[ClaimPart]:
    rows = figures.rows["warm_pair"]
    slower = [row for row in rows if _number(row, "rdma_us").value >= _number(row, "chunked_us").value]
    errors = [
        abs(MODEL_US + int(row["payload_bytes"]) / (MODEL_GB_PER_S * 1e3) - _number(row, "rdma_us").value)
        / _number(row, "rdma_us").value
        for row in rows
    ]
    worst = max(errors)
    off = ours(
        ledger,
        "claim.warm_model.error",
        100 * worst,
        f"{100 * worst:.1f}",
        unit="%",
        formula="largest |105 us + bytes / 9 GB/s - printed| / printed over the 10 rows",
    )
    where = size(int(rows[errors.index(worst)]["payload_bytes"]))
    return [
        ClaimPart(
            "warm_faster",
            "warm RDMA is faster at every measured size",
            "does not hold" if slower else "holds",
            f"in {len(rows) - len(slower)} of {len(rows)} rows the rdma median is the smaller one (medians alone; "
            "the arms differ in staging too)",
        ),
        ClaimPart(
            "warm_faster",
            "no crossover above 4 KiB",
            "does not hold" if slower else "holds",
            "within the measured range, 4 KiB..4 MiB, the medians do not cross; above it nothing is printed",
        ),
        ClaimPart(
            "warm_model",
            "about 105 us plus a size term of about 9 GB/s",
            "holds" if worst <= MODEL_MARGIN else "does not hold",
            f"the model is off by at most {off} % (at {where}), within the {100 * MODEL_MARGIN:.0f} % that we allow "
            "for 'about'",
        ),
    ]


def _cold_claims(figures: Figures, ledger: Ledger) -> list[ClaimPart]:
    rows = figures.rows["cold_pair"]
    turns = [(a, b) for a, b in pairwise(rows) if _cold_ratio(a)[0] != _cold_ratio(b)[0]]
    bracket = [(int(a["payload_bytes"]), int(b["payload_bytes"])) for a, b in turns]
    parts = [
        ClaimPart(
            "cold_crossover",
            "between 16 MiB and 256 MiB",
            "holds" if bracket == [(1 << 24, 1 << 28)] else "does not hold",
            "the printed medians cross once, between these neighbouring sizes (a factor of 16 apart)",
        ),
        ClaimPart(
            "cold_crossover",
            "near the low end",
            "not decidable",
            "nothing is printed between the two sizes; the bracket is no tighter",
        ),
    ]
    by_size = {int(row["payload_bytes"]): row for row in rows}
    for payload, (winner, told) in _STATED_COLD.items():
        row = by_size[payload]
        faster, by = _cold_ratio(row)
        pair = [_number(row, "rdma_ms"), _number(row, "chunked_ms")]
        above, below = sorted(pair, key=lambda one: one.value, reverse=True)
        stated = printed(told)
        right = faster == winner and stated is not None and overlap(*ratio_range(above, below), stated)
        number = ours(
            ledger,
            f"claim.cold_ratios.{payload}",
            by,
            f"{by:.2f}",
            unit="",
            formula="larger / smaller of the two printed medians",
        )
        parts.append(
            ClaimPart(
                "cold_ratios",
                f"{winner} wins by {told}x at {size(payload)}",
                "holds" if right else "does not hold",
                f"{above.text} ms / {below.text} ms = {number}, {faster} is faster",
            )
        )
    return parts


def _cause_claims(figures: Figures, ledger: Ledger) -> list[ClaimPart]:
    last, smallest = figures.rows["warm_pair"][-1], figures.rows["registration"][0]
    rate = int(last["payload_bytes"]) / (_number(last, "rdma_us").value * 1e3)
    told = ours(
        ledger, "claim.copy_bound.rate", rate, f"{rate:.1f}", unit="GB/s", formula="4 MiB / printed warm rdma median"
    )
    share = ours(
        ledger,
        "claim.copy_bound.share",
        100 * rate / LINK_GB_PER_S,
        f"{100 * rate / LINK_GB_PER_S:.0f}",
        unit="%",
        formula="rate / 50 GB/s (400 Gb/s)",
    )
    return [
        ClaimPart(
            "registration",
            "registration is not the bottleneck of a warm transfer",
            "not decidable",
            "no count of registrations inside a transfer is printed, and the registration table is of one process on "
            f"one node; its {smallest['map_us']} us for {size(int(smallest['region_bytes']))} would be a large part "
            "of a warm transfer if they fell into it, and nothing if they did not",
        ),
        ClaimPart(
            "copy_bound",
            "the rate is far below that of the link",
            "holds" if rate < 0.5 * LINK_GB_PER_S else "does not hold",
            f"4 MiB in {last['rdma_us']} us is {told} GB/s, {share} % of 400 Gb/s",
        ),
        ClaimPart(
            "copy_bound",
            "because get() copies",
            "not decidable",
            "the copy is not printed apart, and get_pinned and get_into, which do without it, were not measured",
        ),
    ]


def _contradictions(figures: Figures, ledger: Ledger) -> list[Contradiction]:
    found = []
    for index, row in enumerate(figures.rows["warm_pair"], start=1):
        rdma, chunked, told = (_number(row, name) for name in ("rdma_us", "chunked_us", "advantage"))
        if not overlap(*ratio_range(chunked, rdma), told):
            found.append(Contradiction(f"warm_pair, row {index}", f"advantage {told.text} is not chunked / rdma"))
    for index, row in enumerate(figures.rows["get_latency"], start=1):
        if not _rate_agrees(row):
            low, high = (ledger.entries[f"get_latency.{index}.{name}"] for name in ("least", "largest"))
            text = (
                f"{size(int(row['get_bytes']))}: the printed rate {row['rate_gib_per_s']} GiB/s does not follow "
                f"from the "
                f"three printed passes, which give {low}..{high} GiB/s"
            )
            found.append(Contradiction(f"get_latency, row {index}", text))
    keys = {row["lane"]: row["key_bytes"] for row in figures.rows["rkey_size"]}
    wrong = [row["key_bytes"] for row in figures.rows["registration"] if row["key_bytes"] != keys["tcp"]]
    if wrong:
        text = (
            f"its header names lane tcp, but its packed keys have {wrong[0]} bytes; by the source's own table of key "
            f"sizes a tcp key has {keys['tcp']} and a key over verbs {keys['rc_verbs cx7']}"
        )
        found.append(Contradiction("registration, header", text))
    return found


_CAVEATS = (
    PublishedCaveat("no_raw_samples", "medians alone are printed, no samples and no spread", "intervals and tests"),
    PublishedCaveat(
        "two_factors",
        "the chunked arm was made with the kill switch: it differs from the rdma arm in path and in staging",
        "calling the difference that of the path",
    ),
    PublishedCaveat(
        "unaccelerated",
        "mlx5_2:1 was driven over rc_verbs (UCX_TLS=rc_verbs,ud_verbs,self): a floor, not the adapter's own path",
        "statements about the hardware",
    ),
    PublishedCaveat(
        "lane_unproven",
        "the evidence for the lane is two rows of the protocol table, one of them an estimate, marked (?)",
        "calling each size one-sided",
    ),
    PublishedCaveat(
        "too_few_reps", "5 cold and 9 warm repetitions, and how many pairs of processes is not stated", "percentiles"
    ),
    PublishedCaveat(
        "mixed_setups",
        "registration and GET latency are of one process on one node, the probes of other hosts and other UCX versions",
        "adding figures of one table to those of another",
    ),
)
