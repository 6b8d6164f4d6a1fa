"""`nixlbench` tables, old and new: the columns come in several orders, so they are read by their header.

"GB/Sec" is 10^9 bytes/s, "MiB/Sec" 2^20, "GiB/Sec" 2^30. Average latency is time over blocks, not over one batch.
"""

from __future__ import annotations

import re
from typing import Any

from readers.reading import Finding, Format, Reading, Row, unread
from readers.text import lines, number, whole

_STAMP = re.compile(r"^\s*\[[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z?\]\s*")
_HEADER = re.compile(r"Block Size \(B\)\s+Batch Size")
_COLUMN = re.compile(r"Batch Size|[A-Z][A-Za-z0-9/. ]*?\s?\((?:B|us|%|MiB/Sec|GiB/Sec|GB/Sec)\)")
_ROW = re.compile(r"^\s*[0-9]{1,18}\s+[0-9]{1,18}(?:\s+[-+0-9.eEnaNA/]+)*\s*$")
_KEYS = {
    "Block Size (B)": "block_size_bytes",
    "Batch Size": "batch_size",
    "B/W (MiB/Sec)": "bandwidth_mib_per_second",
    "B/W (GiB/Sec)": "bandwidth_gib_per_second",
    "B/W (GB/Sec)": "bandwidth_gb_per_second",
    "Aggregate B/W (GB/Sec)": "bandwidth_aggregate_gb_per_second",
    "Network Util (%)": "network_utilisation_percent",
    "Avg Lat. (us)": "latency_average_us",
    "Avg Prep (us)": "prepare_average_us",
    "P99 Prep (us)": "prepare_p99_us",
    "Avg Post (us)": "post_average_us",
    "P99 Post (us)": "post_p99_us",
    "Avg Tx (us)": "transfer_average_us",
    "P99 Tx (us)": "transfer_p99_us",
}
_ONE_PORT = 50.0  # 10^9 bytes/s: what one port of 400 Gb/s can carry


def read(text: str) -> Reading:
    """Rows by block size; a cell that is cut is None."""
    rows, columns, understood, warnings = list[dict[str, Any]](), list[str](), set[int](), list[str]()
    for line in lines(text):
        plain = _STAMP.sub("", line.text)
        if _HEADER.search(plain):
            columns = [_key(name) for name in _COLUMN.findall(plain)]
        elif columns and _ROW.match(plain):
            cells = plain.split()
            rows.append({key: _value(key, cells, index) for index, key in enumerate(columns)})
            if len(cells) < len(columns):
                warnings.append(f"line {line.number}: the row is cut; what is missing is not recorded")
        elif not re.match(r"^\s*-{5,}\s*$", plain):
            continue
        understood.add(line.number)
    if rows:
        warnings.append("average latency is time over blocks, not the time of one batch")
    typed: tuple[Row, ...] = tuple(rows)
    return Reading(
        FORMAT.kind, rows=typed, findings=_findings(rows), warnings=tuple(warnings), skipped=unread(text, understood)
    )


def _key(column: str) -> str:
    name = re.sub(r"\s+", " ", column)
    return _KEYS.get(name) or re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _value(key: str, cells: list[str], index: int) -> float | int | None:
    cell = cells[index] if index < len(cells) else None
    return whole(cell) if key in ("block_size_bytes", "batch_size") else number(cell)


def _findings(rows: list[dict[str, Any]]) -> tuple[Finding, ...]:
    high = [row for row in rows if (row.get("bandwidth_gb_per_second") or 0.0) > _ONE_PORT]
    if not high:
        return ()
    sizes = ", ".join(str(row.get("block_size_bytes", "?")) for row in high)
    return (
        Finding(
            f"more than one port of 400 Gb/s carries ({_ONE_PORT:g} GB/s) at block sizes {sizes}",
            "check against the port rates: several NICs, a path inside the node, or a wrong figure",
            "warning",
        ),
    )


FORMAT = Format(kind="nixlbench", title="the output of nixlbench", sign=_HEADER, read=read, holds=("rows",))
