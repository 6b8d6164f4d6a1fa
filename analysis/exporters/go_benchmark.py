"""Go's benchmark text (golang.org/design/14313-benchmark-format): one line per warm sample, read by benchstat.

Configuration lines carry run, experiment and lane, so that benchstat can group by them; arm and size are name parts
`/arm=...` and `/size=...`. MB/s is 10^6 bytes a second, as in Go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from analysis.study import Study


def go_benchmark(study: Study) -> bytes:
    """The file's bytes."""
    return ("\n".join(_lines(study)) + "\n").encode()


def _lines(study: Study) -> Iterator[str]:
    run = study.runs[0].run
    facts = next(iter(run.setup.values())).before if run is not None and run.setup else {}
    model = facts.get("cpu.model")
    yield f"pkg: rdmalab/{_word(str(study.plan.get('experiment', 'unknown')))}"
    if model is not None and model.value is not None:
        yield f"cpu: {model.value}"
    yield f"lane: {_word(str(study.lane().get('name')))}"
    yield f"run: {study.runs[0].name}"
    yield ""
    for key, cell in study.cells.items():
        window = f"/window={key.window}" if key.window else ""
        name = f"Benchmark{'Get' if cell.value_name == 'total_ns' else 'Operation'}/arm={_word(key.arm)}"
        for value in cell.values():
            rate = key.size * 1e3 / value
            yield f"{name}/size={key.size}{window} 1 {value:.1f} ns/op {rate:.2f} MB/s"


def _word(text: str) -> str:
    """No blanks, no slashes: both would end a part of the name."""
    return re.sub(r"[\s/]+", "_", text)
