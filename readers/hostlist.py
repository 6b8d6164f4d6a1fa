"""Slurm host lists: `node[01-03,07]-ib0,gpu7` to names, in order, padding kept. Used by the Slurm launcher too."""

from __future__ import annotations

import itertools
import re

from readers.reading import Format, Reading, Row, unread
from readers.text import lines

_NAME = r"[A-Za-z0-9_.:+-]"
_RANGES = r"\[[0-9]+(?:-[0-9]+)?(?:,[0-9]+(?:-[0-9]+)?)*\]"
_ITEM = rf"(?:{_NAME}|{_RANGES})+"
_LIST = re.compile(rf"{_ITEM}(?:,{_ITEM})*")
_PART = re.compile(rf"{_NAME}+|{_RANGES}")
MOST = 100_000
"""A list that would expand to more names than this is refused."""


def expand(text: str) -> tuple[str, ...] | None:
    """All names of a host list in its order, doubles kept; None where it is malformed or longer than `MOST`."""
    stripped = text.strip()
    if not _LIST.fullmatch(stripped):
        return None
    names: list[str] = []
    for item in _items(stripped):
        choices: list[list[str]] = []
        product = 1
        for part in _PART.findall(item):
            values = _numbers(part[1:-1]) if part.startswith("[") else [part]
            if not values:
                return None
            product *= len(values)
            if product > MOST:
                return None
            choices.append(values)
        names.extend("".join(chosen) for chosen in itertools.product(*choices))
        if len(names) > MOST:
            return None
    return tuple(names)


def _items(text: str) -> list[str]:
    """Splits at the commas outside of brackets."""
    items, depth, start = list[str](), 0, 0
    for index, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth == 0:
            items.append(text[start:index])
            start = index + 1
    return [*items, text[start:]]


def _numbers(text: str) -> list[str]:
    """`001-003,7` as 001 002 003 7; nothing for a range that runs backwards or is too long."""
    values: list[str] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        if len(first) > 18 or len(last) > 18:
            return []
        low, high = int(first), int(last or first)
        if high < low or high - low >= MOST:
            return []
        values += [str(value).zfill(len(first)) for value in range(low, high + 1)]
    return values


def read(text: str) -> Reading:
    """One row per line: `hostlist`, `nodes`, `distinct`; what stands after a tab is compared with the expansion."""
    rows, understood, warnings = list[Row](), set[int](), list[str]()
    for line in lines(text):
        source, _, told = line.text.partition("\t")
        nodes = expand(source)
        if nodes is None:
            continue
        understood.add(line.number)
        distinct = len(set(nodes))
        rows.append({"hostlist": source.strip(), "nodes": list(nodes), "distinct": distinct})
        if distinct < len(nodes):
            warnings.append(f"line {line.number}: {len(nodes)} entries but {distinct} distinct nodes")
        if told.split() and tuple(told.split()) != nodes:
            warnings.append(f"line {line.number}: the expansion beside it is another")
    return Reading(kind=FORMAT.kind, rows=tuple(rows), warnings=tuple(warnings), skipped=unread(text, understood))


FORMAT = Format(
    kind="slurm_hostlist",
    title="Slurm host lists",
    sign=re.compile(rf"^[ \t]*(?:{_NAME}|,)+{_RANGES}(?:{_NAME}|{_RANGES}|,)*(?:\t[^\n]*)?[ \t]*$", re.MULTILINE),
    read=read,
    holds=("rows",),
)
