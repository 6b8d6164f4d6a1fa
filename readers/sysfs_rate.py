"""Values of `/sys/class/infiniband/*/ports/*/rate`, such as `200 Gb/sec (4X HDR)`; the speed's name is optional.

`10 Gb/sec (4X)` is typical of a port that is down: read a rate together with the state.
"""

from __future__ import annotations

import re

from readers.port_drafts import rate_string
from readers.reading import Format, Reading, Row, unread
from readers.text import lines

_LINE = re.compile(r"^\s*[0-9]+(?:\.[0-9]+)? Gb/sec(?: \([0-9]+X(?: [A-Z]+[0-9]*)?\))?\s*$")


def read(text: str) -> Reading:
    """One row per line: `rate_gbit_per_second` (10^9), `rate_bytes_per_second`, `width`, `speed` (name or None)."""
    rows, understood = list[Row](), set[int]()
    for line in lines(text):
        if not _LINE.match(line.text):
            continue
        rate, width, speed = rate_string(line.text)
        understood.add(line.number)
        if rate is not None:
            rows.append(
                {
                    "rate_gbit_per_second": rate,
                    "rate_bytes_per_second": rate * 125e6,
                    "width": width,
                    "speed": speed,
                }
            )
    return Reading(kind=FORMAT.kind, rows=tuple(rows), skipped=unread(text, understood))


FORMAT = Format(
    kind="sysfs_rate",
    title="port rates as sysfs shows them",
    sign=re.compile(r"\A\s*(?:[0-9]+(?:\.[0-9]+)? Gb/sec \([0-9]+X(?: [A-Z]+[0-9]*)?\)\s*)+\Z"),
    read=read,
    holds=("rows",),
)
