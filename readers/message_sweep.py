"""The CSV of a write/send sweep: `experiment,mode,msg,window,iters,mops,gib`. `nan` means not recorded, never 0."""

from __future__ import annotations

import re

from readers.reading import Format, Reading, Row, unread
from readers.text import lines, number, whole

_COLUMNS = ["experiment", "mode", "msg", "window", "iters", "mops", "gib"]
_HEADER = ",".join(_COLUMNS)


def read(text: str) -> Reading:
    """Rows: `message_rate_mega_per_second` in 10^6 operations/s, `bandwidth_gib_per_second`; None with a `reason`.

    An experiment named `*_gpu` is about GPU memory: another series than the host's.
    """
    rows, understood, header, missing = list[Row](), set[int](), False, 0
    for line in lines(text):
        cells = [cell.strip() for cell in line.text.split(",")]
        if line.text.strip() == _HEADER:
            header = True
        elif header and len(cells) == len(_COLUMNS) and whole(cells[2]) is not None:
            rows.append(_row(cells))
            missing += rows[-1]["reason"] is not None
        else:
            continue
        understood.add(line.number)
    warnings = (f"{missing} of {len(rows)} rows have no figures: not recorded",) if missing else ()
    return Reading(FORMAT.kind, rows=tuple(rows), warnings=warnings, skipped=unread(text, understood))


def _row(cells: list[str]) -> Row:
    rate, bandwidth = number(cells[5]), number(cells[6])
    return {
        "series": cells[0],
        "memory": "gpu" if cells[0].endswith("_gpu") else "host",
        "op": cells[1],
        "size_bytes": whole(cells[2]),
        "window": whole(cells[3]),
        "iterations": whole(cells[4]),
        "message_rate_mega_per_second": rate,
        "bandwidth_gib_per_second": bandwidth,
        "reason": "not recorded" if rate is None or bandwidth is None else None,
    }


FORMAT = Format(
    kind="message_sweep",
    title="a CSV sweep of writes and sends over message sizes",
    sign=re.compile(rf"^\s*{re.escape(_HEADER)}\s*$", re.MULTILINE),
    read=read,
    holds=("rows",),
)
