"""`ucx_perftest`: its table, the short form `-f`, and the CSV form `-v`. Its "MB/s" are MiB/s (2^20).

The message size is not printed, nor is anything that would prove a lane.
"""

from __future__ import annotations

import re

from readers.reading import Format, Reading, unread
from readers.text import lines, number, whole

_TITLE = re.compile(r"\|\s+\|\s+\|\s+(latency|overhead) \(usec\)\s+\|\s+bandwidth \(MB/s\)")
_HEADER = re.compile(r"^\s*\|\s*(Stage|Test)\s*\|\s*# iterations\s*\|")
_BOX = re.compile(
    r"^\s*(?:\+-[-+]*|\|\s*(?:API|Test|Data layout|Send memory|Recv memory|Message size"
    r"|Number of|Window)[^|]*:.*\|)\s*$"
)
_ROW = re.compile(r"^\s*(?:(Final:|\[thread [0-9]+\])\s+)?([0-9]{1,18})((?:\s+[0-9]+(?:\.[0-9]+)?){7})\s*$")
_CSV_TITLE = "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr"
_CSV = re.compile(r"^\s*(?:(\[thread [0-9]+\])\s*)?([0-9]{1,18})((?:,[0-9]+(?:\.[0-9]+)?){7})\s*$")
_SIZE = re.compile(r"^\s*\|\s*Message size: ([0-9]{1,18})\s*\|\s*$")
_CUT = re.compile(r"^\s*(?:Final:|\[thread [0-9]+\])")
_TALK = re.compile(r"^\s*(?:Waiting for connection\.\.\.|Accepted connection from .*)\s*$")
_COLUMNS = (
    "{time}_p50_us",
    "{time}_average_us",
    "{time}_overall_us",
    "bandwidth_average_mib_per_second",
    "bandwidth_overall_mib_per_second",
    "message_rate_average_per_second",
    "message_rate_overall_per_second",
)


def read(text: str) -> Reading:
    """Rows with `final` (the last row of the run: take its overall columns; `average` is the last interval only)."""
    rows, understood, warnings = list[dict[str, object]](), set[int](), list[str]()
    time, short, size = "latency", False, None
    for line in lines(text):
        if title := _TITLE.search(line.text):
            time = title.group(1)
        elif header := _HEADER.match(line.text):
            short = header.group(1) == "Test"
        elif told := _SIZE.match(line.text):
            size = whole(told.group(1))
        elif row := _ROW.match(line.text):
            if row.group(1) is None and not short:
                continue
            rows.append(
                _row(time, row.group(2), row.group(3).split(), final=row.group(1) == "Final:" or row.group(1) is None)
            )
        elif row := _CSV.match(line.text):
            rows.append(_row(time, row.group(2), row.group(3).strip(",").split(","), final=row.group(1) is None))
        elif _CUT.match(line.text):
            warnings.append(f"line {line.number}: a row of results is cut")
        elif not (line.text.strip() == _CSV_TITLE or _BOX.match(line.text) or _TALK.match(line.text)):
            continue
        understood.add(line.number)
    if rows:
        warnings.append(f"{'lane is' if size is not None else 'message size and lane are'} not in this text")
    return Reading(
        FORMAT.kind,
        rows=tuple({**row, "size_bytes": size} for row in rows),
        warnings=tuple(warnings),
        skipped=unread(text, understood),
    )


def _row(time: str, iterations: str, values: list[str], *, final: bool) -> dict[str, object]:
    columns = (column.format(time=time) for column in _COLUMNS)
    figures = dict(zip(columns, map(number, values), strict=True))
    return {"size_bytes": None, "iterations": whole(iterations), **figures, "final": final}


FORMAT = Format(
    kind="ucx_perftest",
    title="the output of ucx_perftest",
    sign=re.compile(
        r"(?:latency|overhead) \(usec\)\s+\|\s+bandwidth \(MB/s\)|^\s*Final:\s+[0-9]|50\.0_percentile_lat,",
        re.MULTILINE,
    ),
    read=read,
    holds=("tables", "rows"),
)
