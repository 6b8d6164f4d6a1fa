"""Go's benchmark text, which benchstat reads: configuration lines `key: value`, then one line per warm sample.

A name is `Benchmark<Experiment>/arm=.../size=...`, so that `benchstat -col /arm` sets the arms side by side. Units:
`ns/op`, `MB/s` (10^6 bytes a second) and each phase that took any time as `<phase>-ns/op`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import IO

from analysis.exporters.exported import Exported, WarmSample

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def write(exported: Exported, out: IO[bytes]) -> None:
    """The whole text: cells as planned, which is how benchstat then orders its rows; in each the order it ran."""
    for key, value in _configuration(exported):
        out.write(f"{key}: {_one_line(value)}\n".encode())
    out.write(b"\n")
    samples = sorted(exported.warm(), key=lambda sample: sample.cell)
    phases = sorted({name for sample in samples for name, ns in sample.phases.items() if ns})
    for sample in samples:
        out.write(_line(exported.run.experiment, sample, phases).encode())


def _configuration(exported: Exported) -> Iterator[tuple[str, object]]:
    """Keys begin with a small letter and have no capitals and no blanks: else a reader takes the line for text."""
    run, machine = exported.run, exported.fact("host.arch")
    yield "goos", "linux"
    if machine is not None:
        yield "goarch", _ARCHITECTURES.get(str(machine), machine)
    yield "pkg", f"rdmalab/{run.experiment}"
    if exported.fact("cpu.model") is not None:
        yield "cpu", exported.fact("cpu.model")
    yield "run", run.name
    yield "lane", exported.lane
    yield "site", exported.site
    yield "pairs", exported.samples["launched"].nunique()
    for use, count in exported.left_out().items():
        yield f"left-out-{use.replace('_', '-')}", count


def _line(experiment: str, sample: WarmSample, phases: Sequence[str]) -> str:
    name = "".join(word.capitalize() for word in re.split(r"[^A-Za-z0-9]+", experiment)) or "Run"
    window = f"/window={sample.key.window}" if sample.key.window else ""
    # The size stands last but for the window: a name that ends in `-4` would be read as run on four processors.
    full = f"Benchmark{name}/arm={_word(sample.key.arm)}{window}/size={sample.key.size}"
    values = [(_number(sample.ns), "ns/op")]
    if sample.ns:
        values.append((_number(sample.key.size / sample.ns * 1e3), "MB/s"))
    values += [(_number(sample.phases[phase]), f"{phase.removesuffix('_ns')}-ns/op") for phase in phases]
    return "\t".join([full, str(sample.operations), *(f"{value} {unit}" for value, unit in values)]) + "\n"


def _word(text: str) -> str:
    """An arm's name without what would end the name or part it."""
    return re.sub(r"[\s/=]", "_", text)


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def _one_line(value: object) -> str:
    return " ".join(str(value).split())
