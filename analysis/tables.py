"""A table as data: columns with units; cells are numbers with an id, labels or intervals. Written as md, csv, json.

`analysis.report_tables` makes the tables of a report; `cli tables` and `reports` write them with the functions here.
Column names in csv, json and parquet carry the unit and the values have full precision; markdown has what is printed.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from analysis.numbers import Number, plain
from analysis.units import MISSING


@dataclass(frozen=True)
class Label:
    """What a row is about: `65536` shown as `64 KiB`, or a name shown as itself. No measured number."""

    value: int | float | str
    printed: str


@dataclass(frozen=True)
class Span:
    """An interval: two numbers in one cell."""

    low: Number
    high: Number


Cell: TypeAlias = Number | Label | Span | str | None
"""A str is marked text; None is a cell without a value, shown as `-`."""


@dataclass(frozen=True)
class Column:
    """unit is "" where there is none; `data_unit` is that of the values where markdown shows labels instead.

    `data` False keeps a column of prose out of csv, json and parquet.
    """

    id: str
    title: str
    unit: str = ""
    data: bool = True
    data_unit: str = ""

    @property
    def heading(self) -> str:
        """The title with its unit, as markdown shows it."""
        return f"{self.title} {self.unit}".strip()

    @property
    def name(self) -> str:
        """The id with its unit, as data files name the column."""
        unit = (self.data_unit or self.unit).replace("/s", "_per_second").replace("%", "percent").replace(" ", "_")
        return f"{self.id}_{unit}" if unit else self.id


@dataclass(frozen=True)
class Table:
    """id: its file name in data form; note: marked text below it."""

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Cell], ...]
    note: str = ""


def to_markdown(table: Table) -> str:
    """The table as GitHub markdown, cells aligned for reading as plain text; marked text."""
    lines = [[column.heading for column in table.columns]]
    lines += [[_shown(row.get(column.id)) for column in table.columns] for row in table.rows]
    right = [any(isinstance(row.get(c.id), (Number, Span)) for row in table.rows) for c in table.columns]
    widths = [max(len(plain(line[at])) for line in lines) for at in range(len(table.columns))]
    rule = [f"{'-' * max(2, width - 1)}:" if r else "-" * max(3, width) for width, r in zip(widths, right, strict=True)]
    widths = [max(width, len(dash)) for width, dash in zip(widths, rule, strict=True)]
    texts = [lines[0], rule, *lines[1:]]
    return "\n".join(_line(text, widths, right) for text in texts) + "\n"


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for cell, width, align in zip(cells, widths, right, strict=True):
        blank = " " * (width - len(plain(cell)))
        padded.append(blank + cell if align else cell + blank)
    return f"| {' | '.join(padded)} |"


def _shown(cell: Cell) -> str:
    if cell is None:
        return MISSING
    if isinstance(cell, Label):
        return cell.printed.replace("|", "\\|")
    if isinstance(cell, Span):
        return f"{cell.low}..{cell.high}"
    return str(cell)


def records(table: Table) -> list[dict[str, int | float | str | None]]:
    """The rows with full precision, under the columns' data names; a Span is two columns."""
    return [dict(_row(table, row)) for row in table.rows]


def _row(table: Table, row: Mapping[str, Cell]) -> Iterator[tuple[str, int | float | str | None]]:
    for column in table.columns:
        if not column.data:
            continue
        cell = row.get(column.id)
        if _is_span(table, column):
            span = cell if isinstance(cell, Span) else None
            yield column.name.replace(column.id, f"{column.id}_low", 1), span.low.value if span else None
            yield column.name.replace(column.id, f"{column.id}_high", 1), span.high.value if span else None
        elif isinstance(cell, (Number, Label)):
            yield column.name, cell.value
        else:
            yield column.name, None if cell is None else plain(str(cell))


def _is_span(table: Table, column: Column) -> bool:
    return any(isinstance(row.get(column.id), Span) for row in table.rows)


def to_csv(table: Table) -> str:
    """RFC 4180 with \\n line ends; an empty field is a missing value."""
    rows = records(table)
    if not rows:
        return ""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def to_json(tables: Sequence[Table]) -> str:
    """All tables as one object: id -> title, columns with units, rows."""
    value = {
        table.id: {
            "title": table.title,
            "columns": [
                {"name": c.name, "title": c.title, "unit": c.data_unit or c.unit} for c in table.columns if c.data
            ],
            "rows": records(table),
        }
        for table in tables
    }
    return json.dumps(value, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def to_parquet(table: Table) -> bytes:
    """One file per table; units are in the column names."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records(table)), out, compression="zstd", store_schema=False)
    return out.getvalue()
