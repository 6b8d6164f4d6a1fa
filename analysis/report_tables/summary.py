"""The table of the first screen: one row per payload, each arm's median with interval, and the advantages."""

from __future__ import annotations

from analysis.cells import Key
from analysis.comparison import Comparison, Outcome, compare_arms, compared_arms
from analysis.report_tables.cell_numbers import CellNumbers, size_label
from analysis.study import Study
from analysis.tables import Cell, Column, Table
from analysis.wording import interval_numbers, ratio_number

_MARKS = {Outcome.FASTER: "", Outcome.SLOWER: "", Outcome.NOT_SHOWN: " ~"}


def summary_table(study: Study) -> Table:
    """At the smallest window. A `~` after an advantage: no difference is shown. An empty cell has no warm sample."""
    pairs = list(compared_arms(study))
    columns = (
        Column("payload", "payload", data_unit="bytes"),
        *(Column(f"arm:{arm}", f"{arm}, us") for arm in study.arms),
        *(Column(f"ratio:{of}~{over}", f"{of} / {over}" if len(pairs) > 1 else "advantage") for of, over in pairs),
    )
    counts = {cell.n for cell in study.cells.values()}
    one_n = len(counts) == 1
    compared = {(of, over, each.size): each for of, over in pairs for each in compare_arms(study, of, over)}
    rows = []
    for size in study.sizes:
        row: dict[str, Cell] = {"payload": size_label(size)}
        for arm in study.arms:
            row[f"arm:{arm}"] = _time(study, Key(arm, size, study.windows[0]), with_n=not one_n)
        for of, over in pairs:
            each = compared.get((of, over, size))
            row[f"ratio:{of}~{over}"] = None if each is None else _ratio(study, each)
        rows.append(row)
    note = "Medians of warm samples in microseconds with 95 % interval; minimum and maximum are in the next table."
    if one_n and counts != {0}:
        note += f" n is {CellNumbers(study, next(iter(study.cells)), 'latency').count()} in every cell."
    if pairs:
        note += (
            " Advantage: the second arm's time / the first's, above 1 the first is faster; ~: no difference is shown."
        )
    return Table("summary", "Times and advantage, by payload", columns, tuple(rows), note)


def _time(study: Study, key: Key, *, with_n: bool) -> str | None:
    estimate = study.median(key) if key in study.cells else None
    if estimate is None:
        return None
    make = CellNumbers(study, key, "latency")
    text = str(make.us("median", estimate.value, f"median of value: {estimate.method}"))
    span = make.span(estimate, "median")
    aside = [] if span is None else [f"{span.low}..{span.high}"]
    if with_n:
        aside.append(f"n {make.count()}")
    return f"{text} ({', '.join(aside)})" if aside else text


def _ratio(study: Study, each: Comparison) -> str:
    text = f"{ratio_number(study, each)}x"
    if each.interval is not None:
        low, high = interval_numbers(study, each)
        text += f" ({low}..{high})"
    return text + _MARKS[each.outcome]
