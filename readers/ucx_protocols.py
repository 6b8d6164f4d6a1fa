"""The protocol tables that UCX logs with `UCX_PROTO_INFO`, in all layouts of 1.12 to 1.23.

Up to 1.20 a table's title is a row of two cells (configuration | operation); from 1.21 there are two title rows and a
row of column names, with a column Count where the table tells use. Lines carry a log prefix, an older longer one, or
none; those of several processes may be interleaved, so each thread's lines are followed apart. Other boxes with the
same borders (endpoint tables, headers of ucx_perftest) are not protocol tables and give no rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from readers.protocol_tables import Lane, ProtocolRow, ProtocolTable
from readers.reading import Format, Reading, unread
from readers.text import lines
from readers.ucx_prefix import split_prefix

_BORDER = re.compile(r"^\+-[-+]*$")
_RANGE = re.compile(r"^([0-9]{1,18}[KMGT]?)(?:\.\.([0-9]{1,18}[KMGT]?|inf))?$")
_CONFIG_TITLE = re.compile(
    r"^(?:(.*?)\s+)??(?:(inter-node|intra-node|self)\s+)?((?:ep_cfg\[|rkey_cfg\[|cfg#)[0-9]+\]?)$"
)
_OPERATION = re.compile(
    r"^(?P<operation>.*?(?:\*|\)|\bucp_\w+)(?:\(\))?(?:\s+with reply flag)?(?:\((?P<flags>[a-z][^()]*)\))?)"
    r"(?:\s+(?:from|into)\s+(?P<local>\S+)(?:\s+memory)?(?:\s+(?:to|from)\s+(?P<remote>\S+).*?)?)?\s*$"
)
_LANE = re.compile(r"(?:([0-9]{1,3})% on )?([a-z][A-Za-z0-9_]*)/([^\s/,]+)(?:/(path[0-9]+))?")
_PATH_SHARE = re.compile(r"([0-9]{1,3})% on (path[0-9]+)")
_PROSE = re.compile(r"remote memory read by ucp_get")
_ABOUT = re.compile(r"^(?:remote memory |tagged message |active message |stream |rendezvous |atomic )")
_COUNT = re.compile(r"^[0-9]{1,18}$")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SHARED = re.compile(r"[0-9]% on \S+$")
_CELL_LIMIT = 127  # UCX cuts a configuration cell at this many characters, without a mark.


@dataclass(slots=True)
class _Draft:
    """The table that a thread is printing; `closed` once its last border has come."""

    width: int
    line: int
    titles: list[str] = field(default_factory=list)
    exact: bool = False  # the title is as wide as its border, so a row of another width is another table's
    other_box: bool = False
    rows: list[ProtocolRow] = field(default_factory=list)
    closed: bool = False


def read(text: str) -> Reading:
    """All protocol tables in the order of their first lines; rows without a title have a table without operation."""
    drafts: list[_Draft] = []
    owners: dict[int, tuple[str | None, int | None]] = {}
    current: dict[tuple[str | None, int | None, int | None], _Draft] = {}
    understood, warnings = set[int](), list[str]()
    for line in lines(text):
        log = split_prefix(line.text)
        key = (log.host, log.pid, log.thread)
        if _BORDER.match(log.message):
            draft = current.get(key)
            if draft is None or draft.closed:
                current[key] = draft = _Draft(len(log.message), line.number)
                drafts.append(draft)
                owners[id(draft)] = (log.host, log.pid)
            elif draft.rows:
                draft.closed = True
        elif log.message.startswith("|"):
            draft = _take_row(current.get(key), log.message, line.number, warnings)
            if draft is not current.get(key):
                current[key] = draft
                drafts.append(draft)
                owners[id(draft)] = (log.host, log.pid)
        else:
            continue
        understood.add(line.number)
    tables = tuple(_table(draft, *owners[id(draft)]) for draft in drafts if draft.rows or _known(draft))
    if not tables and _PROSE.search(text):
        warnings.append("this text speaks of a protocol table but holds none: it proves nothing")
    return Reading(
        kind=FORMAT.kind,
        tables=tables,
        warnings=tuple(warnings),
        skipped=unread(text, understood),
        title="" if tables else "text about a UCX protocol table, without one",
    )


def _take_row(draft: _Draft | None, message: str, number: int, warnings: list[str]) -> _Draft:
    """Adds a row or title to the thread's table; returns it, or the new one that had to begin."""
    closed = message.endswith("|") and len(message) > 1
    cells = [" ".join(cell.split()) for cell in message.strip("|").split("|")]
    at = next((i for i, cell in enumerate(cells[:2]) if _is_range(cells, i)), None)
    if at is None:
        if draft is None or draft.closed or draft.rows:
            draft = _Draft(len(message), number)
        _take_title(draft, cells, closed, len(message))
        return draft
    row = _row(cells, at, closed, number)
    if draft is None or draft.closed or _begins_another(draft, row, len(message)):
        warnings.append(f"line {number}: a row without its table's title; its operation is unknown")
        draft = _Draft(len(message), number)
    elif draft.rows and (last := draft.rows[-1].last) is not None and row.first > last + 1:
        warnings.append(f"line {number}: sizes {last + 1}..{row.first - 1} are missing from the table")
    if row.truncated:
        warnings.append(f"line {number}: a cell of this row is cut")
    if not draft.other_box:
        draft.rows.append(row)
    return draft


def _is_range(cells: list[str], at: int) -> bool:
    """Whether the sizes stand in this cell: the first, or the second after a use count."""
    if at == 1:
        return bool(_COUNT.match(cells[0]) and _RANGE.match(cells[1]))
    return bool(_RANGE.match(cells[0])) and not (len(cells) > 2 and _COUNT.match(cells[0]) and _RANGE.match(cells[1]))


def _begins_another(draft: _Draft, row: ProtocolRow, width: int) -> bool:
    """Whether a row cannot belong to the open table: its width is another, or its sizes go back."""
    if draft.exact and width != draft.width and not row.truncated:
        return True
    if not draft.rows:
        return False
    last = draft.rows[-1].last
    return last is None or row.first <= last


def _take_title(draft: _Draft, cells: list[str], closed: bool, width: int) -> None:
    """Keeps the two titles; one that is cut stays empty, one whose configuration row is lost has an empty first."""
    if len(cells) >= 3 and any("Description" in cell for cell in cells):
        return
    if not draft.titles and closed and not _CONFIG_TITLE.match(cells[0]):
        draft.other_box = not _ABOUT.match(cells[0])
        cells = ["", *cells]
    if not draft.other_box:
        draft.exact = closed and width == draft.width
        draft.titles.extend(cells if closed else ["" for _ in cells])


def _row(cells: list[str], at: int, closed: bool, number: int) -> ProtocolRow:
    first, _, last = cells[at].partition("..")
    description = cells[at + 1] if len(cells) > at + 1 else ""
    config = cells[at + 2] if len(cells) > at + 2 else ""
    estimate = description.startswith("(?)")
    complete = closed and len(cells) == at + 3 and bool(description)
    low = _bytes(first)
    return ProtocolRow(
        first=low,
        last=low if not last else None if last == "inf" else _bytes(last),
        protocol=description.removeprefix("(?)").strip(),
        config=config or None,
        lanes=parse_lanes(config),
        estimate=estimate,
        count=int(cells[0]) if at == 1 else None,
        truncated=not complete or len(config) >= _CELL_LIMIT or ("%" in config and not _SHARED.search(config)),
        line=number,
    )


def parse_lanes(config: str) -> tuple[Lane, ...]:
    """The lanes of a configuration cell such as `55% on knem/memory and 45% on rc_mlx5/mlx5_0:1`."""
    found: list[Lane] = []
    matches = list(_LANE.finditer(config))
    for index, match in enumerate(matches):
        end = matches[index + 1].start() if index + 1 < len(matches) else len(config)
        share = int(match.group(1)) if match.group(1) else None
        paths = _PATH_SHARE.findall(config[match.end() : end])
        if paths:
            found += [Lane(match.group(2), match.group(3), path, int(part)) for part, path in paths]
        else:
            found.append(Lane(match.group(2), match.group(3), match.group(4), share))
    return tuple(found)


def _known(draft: _Draft) -> bool:
    return not draft.other_box and len(draft.titles) >= 2


def _table(draft: _Draft, host: str | None, pid: int | None) -> ProtocolTable:
    config = _CONFIG_TITLE.match(draft.titles[0]) if draft.titles else None
    title = draft.titles[1] or None if len(draft.titles) > 1 else None
    parts = _OPERATION.match(title) if title else None
    return ProtocolTable(
        host=host,
        pid=pid,
        context=config.group(1) if config else None,
        config_id=config.group(3) if config else None,
        scope=config.group(2) if config else None,
        title=title,
        operation=parts.group("operation") if parts else title,
        flags=parts.group("flags") if parts else None,
        local_memory=parts.group("local") if parts else None,
        remote_memory=parts.group("remote") if parts else None,
        rows=tuple(draft.rows),
        line=draft.line,
    )


def _bytes(text: str) -> int:
    return int(text[:-1]) * _UNITS[text[-1]] if text[-1] in _UNITS else int(text)


FORMAT = Format(
    kind="ucx_protocols",
    title="a UCX protocol table",
    sign=re.compile(
        r"\|[^|\n]*(?:ep_cfg\[|rkey_cfg\[|cfg#)[0-9]+\]?\s*\|"
        r"|^[^|\n]*\|(?:\s*[0-9]+\s*\|)?\s*[0-9]+[KMGT]?(?:\.\.(?:[0-9]+[KMGT]?|inf))?\s*\|[^|\n]+\|"
        r"|remote memory read by ucp_get",
        re.MULTILINE,
    ),
    read=read,
    holds=("tables",),
)
