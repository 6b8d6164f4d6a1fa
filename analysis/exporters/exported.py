"""What every exporter of samples needs of a run: its warm samples in the order they ran, and its setup in a few words.

Made once per export by `open_exported`; the formats only spell it out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.cells import Key, planned_keys
from analysis.frame import PHASES, load_samples
from store.errors import Exit, LabError
from store.facts import Fact
from store.figures import is_figures
from store.run import Run, open_run


@dataclass(frozen=True)
class WarmSample:
    """One warm sample. `ns`: time per operation; operations: how many that is over; phases: name -> nanoseconds."""

    cell: int
    key: Key
    ns: float
    operations: int
    phases: dict[str, float]


@dataclass(frozen=True)
class Exported:
    """samples: every sample of a finished block, in the order they ran, with `use` (see `analysis.frame`)."""

    run: Run
    samples: pd.DataFrame

    @property
    def keys(self) -> list[Key]:
        """What each cell measures, by cell id."""
        return planned_keys(self.run.plan)

    @property
    def lane(self) -> str:
        """The lane's name."""
        return str((self.run.plan.get("lane") or {}).get("name", "?"))

    @property
    def site(self) -> str:
        """The site's name."""
        return str((self.run.binding or {}).get("site", "?"))

    @property
    def started_utc(self) -> str:
        """When the run began, as text."""
        if self.run.manifest is not None:
            return self.run.manifest.started_utc
        return self.run.origin.started_utc if self.run.origin else "not recorded"

    def warm(self) -> Iterator[WarmSample]:
        """The warm samples: those that stand in the report's medians."""
        keys = self.keys
        rows = self.samples[(self.samples["use"] == "warm").to_numpy(dtype=bool)]
        phases = [name for name in PHASES if name in rows]
        counted = rows["messages"].to_numpy() if "messages" in rows else [1] * len(rows)
        columns = [rows[name].to_numpy() for name in phases]
        for at, (cell, value, count) in enumerate(zip(rows["cell"], rows["value"], counted, strict=True)):
            times = {name: float(column[at]) for name, column in zip(phases, columns, strict=True)}
            yield WarmSample(int(cell), keys[int(cell)], float(value), int(count), times)

    def left_out(self) -> dict[str, int]:
        """How many samples are not exported as measurements, by why: warmup, failed, fell_back ..."""
        counts = self.samples["use"].value_counts(sort=False)
        return {str(use): int(count) for use, count in counts.items() if count and use != "warm"}

    def fact(self, key: str) -> Any:
        """A setup fact's value on the consumer's node; None where the record has it not."""
        nodes = (self.run.binding or {}).get("nodes", [])
        named = [str(node.get("name")) for node in nodes if node.get("role") in ("consumer", "both", "loopback")]
        for name in [*named, *sorted(self.run.setup)]:
            record = self.run.setup.get(name)
            found: Fact | None = record.before.get(key) if record else None
            if found is not None and found.value is not None:
                return found.value
        return None


def open_exported(path: Path) -> Exported:
    """The run of a folder. LabError (exit 2) for one without samples, as figures of others are."""
    if is_figures(path):
        advice = "`tables RUN --format csv` writes its tables; `export RUN archive` the whole of it"
        raise LabError(f"{path.name} holds figures of others and no samples", advice=advice, exit_code=Exit.USAGE)
    run = open_run(path, lenient=True)
    samples = load_samples(run).samples.sort_values(["launched", "order"], kind="stable", ignore_index=True)
    if samples.empty:
        raise LabError(f"{path.name} has no sample of a finished block", exit_code=Exit.USAGE)
    return Exported(run, samples)
