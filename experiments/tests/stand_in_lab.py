"""A store and a site whose engine is the stand-in, for tests of whole runs from plan to seal."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from experiments.interrupts import Interrupts
from experiments.run_experiment import begin, begin_again, carry_out
from experiments.run_prepare import RunRequest, plan_of
from store.records import Manifest
from store.run import Run, open_run
from store.write import set_writable

STAND_IN = Path(__file__).with_name("stand_in_engine.py")
EXPERIMENT = """
question: Does the tool keep what was finished?
lane: tcp
sizes: [4KiB, 8KiB]
reps: 3
pairs: 2
arms:
  chunked: {path: chunked, min_bytes: above_largest}
  rdma: {path: rdma}
"""


class Lab:
    """A store, a site whose engine is the stand-in, and what each pair's stand-in does."""

    def __init__(self, folder: Path) -> None:
        self.store = folder / "runs"
        self.script = folder / "script.json"
        self.file = folder / "tiny.yaml"
        self.lines: list[str] = []
        self.file.write_text(EXPERIMENT)
        self.does({})
        sites = folder / "config" / "rdmalab" / "sites"
        sites.mkdir(parents=True)
        site = f"description: x\nlauncher: local\nenv: {{STAND_IN_SCRIPT: {self.script}}}\nnodes: [{{name: here}}]\n"
        (sites / "stand_in.yaml").write_text(site)

    def does(self, script: dict[int, dict[str, str]]) -> None:
        self.script.write_text(json.dumps(script))

    def say(self, label: str, text: str) -> None:
        self.lines.append(f"{label} {text}")

    def run(self, **options: Any) -> Manifest:
        request = RunRequest(experiment=str(self.file), site="stand_in", **options)
        with Interrupts() as stop:
            return carry_out(begin(plan_of(request), request, self.store, self.say), stop, self.say)

    def resume(self, path: Path) -> Manifest | None:
        with Interrupts() as stop:
            begun = begin_again(path, self.say)
            return carry_out(begun, stop, self.say) if begun else None

    def only_run(self) -> Run:
        (path,) = [path for path in self.store.iterdir() if not path.name.startswith(".")]
        return open_run(path)


@contextmanager
def stand_in_lab(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    """A lab in a folder of its own; nothing of the person's own environment reaches it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("RDMALAB_ENGINE", str(STAND_IN))
    monkeypatch.setattr("experiments.engine_command.FAULT_FOLLOW_S", 0.2)
    for name in [name for name in os.environ if name.startswith("UCX_")]:
        monkeypatch.delenv(name)
    made = Lab(folder)
    yield made
    if made.store.exists():
        set_writable(made.store, True)
