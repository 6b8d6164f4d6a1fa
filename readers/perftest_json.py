"""The `--out_json` report of perftest. Older versions write keys and words without quotes, which is no valid JSON, so
it is read line by line. The unit of its bandwidths is not in the file."""

from __future__ import annotations

import re
from typing import Any

from readers.reading import Format, Reading, Row, unread
from readers.text import lines, number, present, whole

_PAIR = re.compile(r'^\s*"?([A-Za-z][\w.%]*)"?\s*:\s*"?([^",{]*?)"?\s*,?\s*$')
_FRAME = re.compile(r'^\s*(?:[{}\[\]],?|\},?|"?(?:test_info|results|Results)"?\s*:\s*[\[{])\s*$')
_COUNTS = {"MsgSize": "size_bytes", "n_iterations": "iterations"}
_FIGURES = {
    "BW_peak": "bandwidth_peak_unit_not_stated",
    "BW_average": "bandwidth_average_unit_not_stated",
    "MsgRate": "message_rate_mega_per_second",
    "t_min": "latency_min_us",
    "t_max": "latency_max_us",
    "t_typical": "latency_typical_us",
    "t_avg": "latency_average_us",
    "t_stdev": "latency_stdev_us",
    "percentile_99": "latency_p99_us",
    "percentile_99.9": "latency_p99.9_us",
    "tps_average": "transactions_average_per_second",
}


def read(text: str) -> Reading:
    """One row per `MsgSize`; facts `settings` from `test_info`. A peak of 0 is None: not measured."""
    rows, settings, understood = list[dict[str, Any]](), dict[str, str | None](), set[int]()
    for line in lines(text):
        if pair := _PAIR.match(line.text):
            key, value = pair.groups()
            if key == "MsgSize" or (key in _COUNTS and not rows):
                rows.append({})
            if key in _COUNTS:
                rows[-1][_COUNTS[key]] = whole(value)
            elif key in _FIGURES and rows:
                figure = number(value)
                rows[-1][_FIGURES[key]] = None if key == "BW_peak" and figure == 0 else figure
            else:
                settings[key] = present(value)
        elif not _FRAME.match(line.text):
            continue
        understood.add(line.number)
    unit = any("BW" in key for key in settings) or any("bandwidth_average_unit_not_stated" in row for row in rows)
    warnings = (
        ("the file does not say whether bandwidths are Gb/s or MiB/s: it depends on --report_gbits",) if unit else ()
    )
    typed: tuple[Row, ...] = tuple(rows)
    return Reading(
        FORMAT.kind, rows=typed, facts={"settings": settings}, warnings=warnings, skipped=unread(text, understood)
    )


FORMAT = Format(
    kind="perftest_json",
    title="a JSON report of a perftest program",
    sign=re.compile(r'^\s*"?(?:MsgSize|test_info)"?\s*:', re.MULTILINE),
    read=read,
    holds=("rows",),
)
