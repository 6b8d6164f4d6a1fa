"""Samples that are in no median, by arm, size and reason, with their own median and the arm's with them in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from analysis import units
from analysis.cells import Key, planned_keys
from analysis.frame import USES
from analysis.numbers import Number, Source
from analysis.report_tables.cell_numbers import DIGITS, US, size_label
from analysis.study import Measured, Study
from analysis.tables import Cell, Column, Label, Table
from analysis.wording import key_id

_Statistic: TypeAlias = Callable[[np.ndarray[tuple[int], np.dtype[np.float64]]], Any]
SHOWN = tuple(use for use in USES if use not in ("warm", "warmup"))


def excluded_table(study: Study) -> Table:
    """One row per cell, use and reason. Warm-ups are not here: the table of first transfers has them."""
    columns = (
        Column("payload", "payload", data_unit="bytes"),
        Column("arm", "arm"),
        Column("why", "why"),
        Column("reason", "reason"),
        Column("count", "samples"),
        Column("median", "their median", "us"),
        Column("min", "min", "us"),
        Column("max", "max", "us"),
        Column("with", "the arm's median with them", "us"),
        Column("without", "and without", "us"),
    )
    rows = tuple(row for each in study.runs for row in _rows(study, each))
    note = "These samples are in no figure above."
    return Table("excluded", "Samples that are left out", columns, rows, note)


def _rows(study: Study, each: Measured) -> Iterator[dict[str, Cell]]:
    frame = each.samples.samples
    out = frame[frame["use"].isin(SHOWN).to_numpy(dtype=bool)]
    if out.empty:
        return
    keys = planned_keys(each.plan)
    out = out.assign(why=_reasons(out))
    known = out[out["cell"].between(0, len(keys) - 1).to_numpy(dtype=bool)].astype({"cell": int})
    for (cell, use, why), rows in known.groupby(["cell", "use", "why"], observed=True):
        number = int(str(cell))
        key = keys[number]
        source = Source(each.name, number, str(use), study.cells[key].value_name)
        yield _row(study, key, source, str(why), rows)


def _reasons(out: pd.DataFrame) -> pd.Series:
    """The error's phase and code, else why the transfer fell back, else nothing."""
    error = out["error_phase"].astype(object) + " " + out["error_code"].astype(object)
    reason = pd.Series("", index=out.index, dtype=object)
    if "reason" in out:
        given, refusal = out["reason"].astype(object), out["refusal"].astype(object)
        reason = given.where(given.notna() & (given != "ok"), refusal).where(out["use"] == "fell_back", "")
    return reason.where(~out["has_error"], error).fillna("")


def _row(study: Study, key: Key, left_out: Source, why: str, rows: pd.DataFrame) -> dict[str, Cell]:
    use = str(left_out.use)
    name = f"excluded/{left_out.run}/{key_id(key)}/{use}/{why}"
    source = (left_out,)
    values = rows["value"].to_numpy(dtype=np.float64)
    values = values[np.isfinite(values)]
    warm = study.cells[key].values()

    def us(
        column: str, sample: np.ndarray[tuple[int], np.dtype[np.float64]], formula: str, of: _Statistic = np.median
    ) -> Number | None:
        if not sample.size:
            return None
        value = float(of(sample)) / US
        warm_too = study.cells[key].of("value") if column in ("with", "without") else ()
        sources = (source if column != "without" else ()) + warm_too
        printed = units.significant(value, DIGITS)
        return study.ledger.add(
            f"{name}/{column}", value, printed, unit="us", formula=formula, n=int(sample.size), sources=sources
        )

    count = study.ledger.add(
        f"{name}/count", len(rows), str(len(rows)), unit="samples", formula="count", n=len(rows), sources=source
    )
    return {
        "payload": size_label(key.size),
        "arm": Label(key.arm, key.arm),
        "why": use.replace("_", " "),
        "reason": why,
        "count": count,
        "median": us("median", values, "median of value of the samples left out"),
        "min": us("min", values, "minimum of value of the samples left out", np.min),
        "max": us("max", values, "maximum of value of the samples left out", np.max),
        "with": us("with", np.concatenate([values, warm]), "median of value, these samples included"),
        "without": us("without", warm, "median of value, these samples left out"),
    }
