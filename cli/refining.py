"""`run --refine`: a child run with sizes inside each crossover bracket that is wider than the experiment asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from analysis.study import Study
from analysis.verdicts import answer_all
from experiments.progress import step
from experiments.refinement import sizes_between
from experiments.run_prepare import RunRequest
from experiments.sizes import format_size
from store.errors import Exit, LabError


def child_request(path: Path, request: RunRequest) -> RunRequest | None:
    """The request of the child run that narrows the brackets of a run, or None when none is too wide."""
    if request.experiment is None:
        raise LabError("--refine needs the experiment, not --like", exit_code=Exit.USAGE)
    sizes = wanted_sizes(path)
    if not sizes:
        step("refine", "no crossover bracket is wider than asked: nothing to refine")
        return None
    step("refine", f"a child run with {', '.join(format_size(size) for size in sizes)}")
    return replace(request, overrides=(*request.overrides, f"sizes=[{', '.join(map(str, sizes))}]"), parent=path.name)


def wanted_sizes(path: Path) -> list[int]:
    """The sizes between, over all crossover verdicts of a run."""
    found: set[int] = set()
    for verdict in answer_all(Study.of_runs([path])):
        if verdict.kind == "crossover":
            found |= set(sizes_between(_brackets(verdict.data), float(verdict.data.get("within", 2.0))))
    return sorted(found)


def _brackets(data: dict[str, object]) -> list[tuple[int, int]]:
    brackets = data.get("brackets")
    if not isinstance(brackets, Sequence):
        return []
    return [(int(each["low_bytes"]), int(each["high_bytes"])) for each in brackets]
