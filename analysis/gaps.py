"""What a study did not measure, so that nobody reads it into the report."""

from __future__ import annotations

from analysis import units
from analysis.statistics import n_for_quantile
from analysis.study import Study
from analysis.wording import join


def gaps(study: Study) -> list[str]:
    """Plain lines, the most often asked first."""
    lane, sizes = study.lane(), study.sizes
    told = [
        f"any lane but {lane.get('name')}",
        f"payloads below {units.size(sizes[0])}, above {units.size(sizes[-1])}, and between those measured",
    ]
    if study.cold:
        told.append("warm transfers: each repetition had its own pair of processes")
    else:
        told.append("cold transfers, but for the first one of each arm in each pair")
    largest = max((cell.n for cell in study.cells.values()), default=0)
    if largest < n_for_quantile(0.99):
        told.append(f"the tail: p99 needs {n_for_quantile(0.99)} samples per cell")
    empty = [key for key, cell in study.cells.items() if not cell.n]
    if empty:
        named = join([f"{key.arm} at {units.size(key.size)}" for key in empty[:4]])
        more = f" and {len(empty) - 4} more" if len(empty) > 4 else ""
        told.append(f"{named}{more}: planned, but without a warm and valid sample")
    told += _same_everywhere(study)
    if not any(study.bound(arm) for arm in study.arms):
        told.append("a bound: the setup record has no port, PCIe or memory copy rate to hold the rates against")
    told.append("several transfers at once, other processes, and other machines")
    return told


def _same_everywhere(study: Study) -> list[str]:
    """Factors that no arm varied, with the value that all of them had."""
    names = {"via": "control via {}", "staging": "{} staging", "memory": "{} memory", "progress": "{} progress"}
    fixed = []
    for key, text in names.items():
        values = {str(arm[key]) for arm in study.arms.values() if key in arm}
        if len(values) == 1:
            fixed.append(text.format(values.pop()))
    return [f"anything but {join(fixed)}"] if fixed else []
