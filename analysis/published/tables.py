"""Tables of figures, as printed digit by digit, with columns of ours beside them. Cells become numbers with an id."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from analysis.numbers import Ledger, Number, Source
from analysis.published.printed import printed
from analysis.tables import Cell, Column, Label, Table
from store.figures import FigureColumn, Figures, FigureTable

Extra = Callable[[Mapping[str, str], int], Mapping[str, Cell]]
"""Our columns for one row of printed cells; the number is that of the row, from 1."""


def plain_table(
    figures: Figures, table: FigureTable, ledger: Ledger, extra: Extra | None = None, columns: Sequence[Column] = ()
) -> Table:
    """The table with every cell as printed, then the `columns` that `extra` fills."""
    shown = tuple(  # the names of the stored columns carry their units already
        Column(column.name, f"{column.title} ({column.unit})" if column.unit else column.title)
        for column in table.columns
    )
    rows: list[Mapping[str, Cell]] = []
    for index, row in enumerate(figures.rows[table.id], start=1):
        cells: dict[str, Cell] = {
            column.name: _cell(figures, table, (column, index), row[column.name], ledger) for column in table.columns
        }
        rows.append({**cells, **(extra(row, index) if extra else {})})
    return Table(table.id, table.title, (*shown, *columns), tuple(rows), note=_note(table))


def _cell(figures: Figures, table: FigureTable, place: tuple[FigureColumn, int], text: str, ledger: Ledger) -> Cell:
    column, row = place
    one = printed(text)
    if one is None:
        return None if not text.strip() else text
    if column.role == "key":
        return Label(one.value if one.places else int(one.value), text)
    return ledger.add(
        f"{table.id}.{row}.{column.name}",
        one.value,
        text,
        unit=column.unit,
        formula="as printed",
        sources=(source(figures, table, row, column.name),),
    )


def source(figures: Figures, table: FigureTable, row: int, column: str) -> Source:
    """Where a printed cell stands: file, row and column."""
    return Source(run=figures.name, file=table.file, key=f"row {row}, {column}")


def ours(ledger: Ledger, name: str, value: float, text: str, *, unit: str, formula: str) -> Number:
    """A number that we worked out from printed ones; `formula` names them."""
    return ledger.add(name, value, text, unit=unit, formula=formula)


def _note(table: FigureTable) -> str:
    parts = [
        f"Statistic: {table.statistic}" if table.statistic else None,
        f"taken: {table.place}" if table.place else None,
        table.note,
    ]
    return "; ".join(part for part in parts if part) + "."
