"""`ib_write_bw`, `ib_read_bw`, `ib_send_bw` and the `*_lat` programs of perftest: header, addresses and result table.

Columns are read by their header. `[MB/sec]` (old) and `[MiB/sec]` are both 2^20 bytes; `[Gb/sec]` is 10^9 bit/s. What a
row does not print, a peak of 0.00 (not measured) and a cell that is cut are None; nothing is worked out from rounded
figures.
"""

from __future__ import annotations

import re
from typing import Any

from readers.reading import Format, Reading, Row, unread
from readers.text import lines, number, present, whole

_TEST = re.compile(r"^\s*((?:RDMA_|Send|Write|Read|Atomic)\S*(?: \S+)? (?:BW|Latency|BURST)[A-Za-z ]* Test)\s*$")
_SETTING = re.compile(r"([A-Za-z][\w.*-]*(?: [\w.*-]+)*) *: *(\S+)")
_ADDRESS = re.compile(r"^\s*(local|remote) address: LID (\S+) QPN (\S+)")
_GID = re.compile(r"^\s*GID: ((?:[0-9]{2,3}:){15}[0-9]{2,3})\s*$")
_HEADER = re.compile(r"^\s*#bytes\s+#iterations")
_ROW = re.compile(r"^\s*[0-9]{1,18}\s+[0-9]{1,18}(?:\s+[0-9.]+)*\s*$")
_RULE = re.compile(r"^\s*(?:-{5,}|\*{5,}|\* Waiting for client to connect\.\.\. \*)\s*$")
_COLUMN = re.compile(
    r"#bytes|#iterations|BW (?:peak|average)\[[A-Za-z]+/sec\]|MsgRate\[Mpps\]"
    r"|[0-9.]+% percentile\[usec\]|t_[a-z]+\[usec\]|tps average"
)
_UNITS = {"Gb/sec": "gbit_per_second", "MB/sec": "mib_per_second", "MiB/sec": "mib_per_second"}


def read(text: str) -> Reading:
    """Rows with units in their keys; facts `test`, `settings`, `local` and `remote` (lid, qpn, gid as IPv4 or IPv6)."""
    rows, facts, understood = list[Row](), dict[str, Any](), set[int]()
    columns, side, warnings = list[str](), "", list[str]()
    for line in lines(text):
        plain = line.text.replace("\t", "  ")
        if test := _TEST.match(plain):
            facts["test"] = test.group(1)
        elif address := _ADDRESS.match(plain):
            side = address.group(1)
            facts[side] = {"lid": _lid(address.group(2)), "qpn": whole(address.group(3)), "gid": None}
        elif (gid := _GID.match(plain)) and side:
            facts[side]["gid"] = _gid(gid.group(1))
        elif _HEADER.match(plain):
            columns = [_key(name) for name in _COLUMN.findall(plain)]
        elif columns and _ROW.match(plain):
            rows.append(_row(columns, plain.split()))
            if len(plain.split()) < len(columns):
                warnings.append(f"line {line.number}: the row is cut; what is missing is not recorded")
        elif settings := [] if "address" in plain else _SETTING.findall(plain) if plain.startswith(" ") else []:
            facts.setdefault("settings", {}).update({key.strip(): present(value) for key, value in settings})
        elif not _RULE.match(plain):
            continue
        understood.add(line.number)
    facts |= _fabric(facts.get("settings", {}))
    return Reading(
        FORMAT.kind, rows=tuple(rows), facts=facts, warnings=tuple(warnings), skipped=unread(text, understood)
    )


_FIXED = {
    "#bytes": "size_bytes",
    "#iterations": "iterations",
    "MsgRate[Mpps]": "message_rate_mega_per_second",
    "tps average": "transactions_average_per_second",
}


def _key(column: str) -> str:
    if column in _FIXED:
        return _FIXED[column]
    if bandwidth := re.fullmatch(r"BW (peak|average)\[([A-Za-z]+/sec)\]", column):
        return f"bandwidth_{bandwidth.group(1)}_{_UNITS.get(bandwidth.group(2), 'unit_unknown')}"
    if percentile := re.fullmatch(r"([0-9.]+)% percentile\[usec\]", column):
        return f"latency_p{percentile.group(1)}_us"
    return f"latency_{column[2:].removesuffix('[usec]').replace('avg', 'average')}_us"


def _row(columns: list[str], cells: list[str]) -> Row:
    row: dict[str, Any] = {}
    for index, column in enumerate(columns):
        cell = cells[index] if index < len(cells) else None
        value = whole(cell) if column in ("size_bytes", "iterations") else number(cell)
        row[column] = None if value == 0 and column.startswith("bandwidth_peak") else value
    return row


def _lid(text: str) -> int | None:
    return whole(text) if text.startswith("0x") else int(text, 16) if re.fullmatch(r"[0-9a-fA-F]{1,8}", text) else None


def _gid(text: str) -> str | None:
    """A GID that is printed as 16 decimal bytes: the IPv4 address where it is mapped, None where it is all zero."""
    values = [int(part) for part in text.split(":")]
    if not any(values) or max(values) > 255:
        return None
    if values[:10] == [0] * 10 and values[10:12] == [255, 255]:
        return ".".join(map(str, values[12:]))
    return ":".join(f"{values[i] << 8 | values[i + 1]:04x}" for i in range(0, 16, 2))


def _fabric(settings: dict[str, str | None]) -> dict[str, str]:
    """`Transport type : IB` with `Link type : Ethernet` is RoCE."""
    link = {"IB": "IB", "Ethernet": "RoCE"}.get(settings.get("Link type") or "")
    return {"serves": link} if link and settings.get("Transport type") in (None, "IB") else {}


FORMAT = Format(
    kind="perftest",
    title="the output of a perftest program (ib_write_bw and its kin)",
    sign=re.compile(
        r"^\s*#bytes\s+#iterations|^\s*(?:local|remote) address: LID |^\s*RDMA_\S+ .*Test\s*$", re.MULTILINE
    ),
    read=read,
    holds=("rows",),
)
