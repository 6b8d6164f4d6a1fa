"""`scontrol show job`, several lines per job or one (`-o`). Keys hold `/` and `:`, values may hold `=`.

`N/A`, `(null)`, `None`, `Unknown`, `UNLIMITED` and empty values are None.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from readers.hostlist import expand
from readers.reading import Format, Reading, Row, unread
from readers.text import lines, present, whole

_KEY = r"[A-Z][A-Za-z0-9_]*(?:[:/][A-Za-z0-9_:*]+)*"
_PAIR = re.compile(rf"(?:^|\s)({_KEY})=((?:(?!\s{_KEY}=).)*)")
_LINE = re.compile(rf"^\s*{_KEY}=")
_TO_THE_END = re.compile(r"^\s*(Command|WorkDir|Comment|AdminComment|StdErr|StdIn|StdOut)=(.*)$")
_NO_JOBS = re.compile(r"^\s*No jobs in the system\s*$")
_DURATION = re.compile(r"(?:([0-9]{1,6})-)?([0-9]{1,4}):([0-9]{2})(?::([0-9]{2}))?")


def read(text: str) -> Reading:
    """One row per job: `job_id`, `name`, `state`, `nodes`, `node_count`, `time_limit_s`, `start`, `fields` ..."""
    jobs, understood = list[dict[str, str]](), set[int]()
    for line in lines(text):
        if _NO_JOBS.match(line.text):
            understood.add(line.number)
        if not _LINE.match(line.text):
            continue
        understood.add(line.number)
        whole_line = _TO_THE_END.match(line.text)
        pairs = [(whole_line.group(1), whole_line.group(2))] if whole_line else _PAIR.findall(line.text)
        for key, value in pairs:
            if key == "JobId" or not jobs:
                jobs.append({})
            jobs[-1].setdefault(key, value.strip())
    rows, warnings = list[Row](), list[str]()
    for job in jobs:
        row, told = _job(job)
        rows.append(row)
        warnings += told
    return Reading(kind=FORMAT.kind, rows=tuple(rows), warnings=tuple(warnings), skipped=unread(text, understood))


def seconds(text: str | None) -> int | None:
    """`1-01:00:00`, `02:00:00` or `30:00` (minutes) in seconds; None for UNLIMITED and everything else."""
    found = _DURATION.fullmatch((text or "").strip())
    if not found:
        return None
    days, first, second, third = (int(part) if part else None for part in found.groups())
    hours, minutes, rest = (0, first, second) if third is None and days is None else (first, second, third or 0)
    return ((days or 0) * 24 + (hours or 0)) * 3600 + (minutes or 0) * 60 + (rest or 0)


def _job(job: dict[str, str]) -> tuple[Row, list[str]]:
    fields = {key: _known(value) for key, value in job.items()}
    nodes = expand(fields.get("NodeList") or "") or ()
    row: dict[str, Any] = {
        "job_id": whole(fields.get("JobId")),
        "name": fields.get("JobName"),
        "state": fields.get("JobState"),
        "partition": fields.get("Partition"),
        "nodes": list(nodes),
        "node_count": whole(fields.get("NumNodes")),
        "time_limit_s": seconds(fields.get("TimeLimit")),
        "run_time_s": seconds(fields.get("RunTime")),
        "start": fields.get("StartTime"),
        "end": fields.get("EndTime"),
        "fields": fields,
    }
    return row, _doubts(row, set(nodes))


def _doubts(row: dict[str, Any], nodes: set[str]) -> list[str]:
    doubts = []
    asked = row["node_count"]
    if row["state"] == "RUNNING" and asked is not None and len(nodes) != asked:
        doubts.append(f"job {row['job_id']}: {asked} nodes asked, {len(nodes)} distinct in its list: refuse it")
    start, end, limit = _time(row["start"]), _time(row["end"]), row["time_limit_s"]
    if start and end and limit is not None and row["state"] == "RUNNING":
        shown = int((end - start).total_seconds())
        if shown != limit:
            doubts.append(
                f"job {row['job_id']}: the time limit is {limit} s, but end - start is {shown} s; both are kept"
            )
    return doubts


def _time(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


def _known(value: str) -> str | None:
    return None if value.strip() == "UNLIMITED" else present(value)


FORMAT = Format(
    kind="scontrol_job",
    title="the output of scontrol show job",
    sign=re.compile(r"^\s*JobId=[0-9]|^\s*JobState=[A-Z]|^\s*No jobs in the system\s*$|\sJobState=[A-Z]", re.MULTILINE),
    read=read,
    holds=("rows",),
)
