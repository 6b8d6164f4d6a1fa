"""All foreign formats, the most telling first. A new reader is one file and one line here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readers import (
    hostlist,
    ibdev2netdev,
    ibstat,
    ibstatus,
    ibv_devices,
    ibv_devinfo,
    message_sweep,
    nixlbench,
    perftest,
    perftest_errors,
    perftest_json,
    rdma_link,
    scontrol,
    show_gids,
    sinfo,
    sysfs_rate,
    ucx_endpoints,
    ucx_errors,
    ucx_info_devices,
    ucx_info_version,
    ucx_log,
    ucx_perftest,
    ucx_protocols,
    velo_sweep,
    verbs_errors,
)
from readers.labels import apart
from readers.reading import Finding, Format, Reading
from readers.text import Line, compact

FORMATS: tuple[Format, ...] = (
    ucx_protocols.FORMAT,
    ucx_endpoints.FORMAT,
    ibv_devinfo.FORMAT,
    ibv_devices.FORMAT,
    ibstat.FORMAT,
    ibstatus.FORMAT,
    rdma_link.FORMAT,
    ibdev2netdev.FORMAT,
    show_gids.FORMAT,
    sysfs_rate.FORMAT,
    ucx_info_devices.FORMAT,
    ucx_info_version.FORMAT,
    ucx_perftest.FORMAT,
    perftest.FORMAT,
    perftest_json.FORMAT,
    nixlbench.FORMAT,
    message_sweep.FORMAT,
    velo_sweep.FORMAT,
    scontrol.FORMAT,
    sinfo.FORMAT,
    ucx_log.FORMAT,
    ucx_errors.FORMAT,
    verbs_errors.FORMAT,
    perftest_errors.FORMAT,
    hostlist.FORMAT,
)


def matching(text: str) -> tuple[Format, ...]:
    """The formats whose signs stand in the text, the most telling first; none where the text is unknown."""
    plain = compact(text)
    return tuple(format_ for format_ in FORMATS if format_.sign.search(plain))


def read_any(text: str) -> Reading | None:
    """What all matching formats read, as one: the kind of the first, the facts of all; None where the text is unknown.

    A line is skipped only where no format understands it. Text with a label before each line is read label by label.
    """
    formats = matching(text)
    if not formats:
        return _read_labelled(text)
    readings = [format_.read(text) for format_ in formats]
    skipped = set.intersection(*({line.number for line in reading.skipped} for reading in readings))
    lines_left: dict[int, Line] = {line.number: line for line in readings[0].skipped if line.number in skipped}
    return replace(
        _together(readings),
        skipped=tuple(lines_left[number] for number in sorted(skipped)),
        title=", with ".join(r.title or f.title for r, f in zip(readings, formats, strict=True)),
        holds=frozenset(what for format_ in formats for what in format_.holds),
    )


def _read_labelled(text: str) -> Reading | None:
    parts = {label: matching(part) for label, part in apart(text).items()}
    readings = {label: read_any(part) for label, part in apart(text).items() if parts[label]}
    known = {label: reading for label, reading in readings.items() if reading is not None}
    if not known:
        return None
    first = next(iter(known.values()))
    return replace(
        _together(list(known.values())),
        warnings=(
            f"read label by label, each as if it stood alone: {', '.join(known)}",
            *(f"{label}: {warning}" for label, reading in known.items() for warning in reading.notes()),
        ),
        title=first.title,
        holds=first.holds,
    )


def _together(readings: Sequence[Reading]) -> Reading:
    findings: dict[Finding, None] = {f: None for reading in readings for f in reading.findings}
    return Reading(
        kind=readings[0].kind,
        ports=tuple(port for reading in readings for port in reading.ports),
        tables=tuple(table for reading in readings for table in reading.tables),
        rows=tuple(row for reading in readings for row in reading.rows),
        findings=tuple(sorted(findings, key=lambda f: (f.level == "note", f.line or 0))),
        facts={key: value for reading in reversed(readings) for key, value in reading.facts.items()},
        warnings=tuple(dict.fromkeys(w for reading in readings for w in reading.warnings)),
    )
