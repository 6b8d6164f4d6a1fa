"""Per compared pair of arms and size: the ratio of medians, its interval, the corrected p-value and what is shown."""

from __future__ import annotations

from analysis import units
from analysis.comparison import Comparison, compare_arms, compared_arms
from analysis.report_tables.cell_numbers import size_label
from analysis.study import Study
from analysis.tables import Cell, Column, Label, Span, Table
from analysis.wording import interval_numbers, ratio_number


def advantage_table(study: Study) -> Table:
    """One row per comparison and size; the method and the test stand in the note."""
    columns = (
        Column("payload", "payload", data_unit="bytes"),
        Column("arm", "arm"),
        Column("against", "against"),
        *([Column("window", "window")] if study.windows != [0] else []),
        Column("n", "n"),
        Column("advantage", "advantage", "x"),
        Column("interval", "95 % interval", "x"),
        Column("p_holm", "p (Holm)"),
        Column("shown", "shown"),
    )
    found = [
        each
        for of, over in compared_arms(study)
        for window in study.windows
        for each in compare_arms(study, of, over, window=window)
    ]
    methods = sorted({each.ratio.method for each in found}) + sorted({f"p from {each.test}" for each in found})
    note = "Advantage is the other arm's time / the arm's: above 1 the arm is faster. " + "; ".join(methods) + "."
    return Table("advantage", "Advantage, by payload", columns, tuple(_row(study, each) for each in found), note)


def _row(study: Study, each: Comparison) -> dict[str, Cell]:
    sources = study.cells[each.of].of("value") + study.cells[each.over].of("value")
    count = study.ledger.add(
        f"{each.id}/n",
        each.ratio.n,
        str(each.ratio.n),
        unit="samples",
        formula="blocks that both arms have, or samples of the smaller arm",
        n=each.ratio.n,
        sources=sources,
    )
    p = None
    if each.p_holm is not None:
        p = study.ledger.add(
            f"{each.id}/p_holm",
            each.p_holm,
            units.p_value(each.p_holm),
            unit="",
            formula=f"{each.test}, Holm over the sizes",
            n=each.ratio.n,
            sources=sources,
        )
    return {
        "payload": size_label(each.size),
        "arm": Label(each.of.arm, each.of.arm),
        "against": Label(each.over.arm, each.over.arm),
        "window": Label(each.of.window, str(each.of.window)),
        "n": count,
        "advantage": ratio_number(study, each),
        "interval": Span(*interval_numbers(study, each)) if each.interval is not None else None,
        "p_holm": p,
        "shown": each.outcome.value,
    }
