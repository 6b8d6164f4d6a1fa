"""Where the time of a get goes: acquire, transfer and copy as shares, stacked, per arm at a few sizes."""

from __future__ import annotations

import numpy as np

from analysis import units
from analysis.cells import Key
from analysis.frame import PHASES
from analysis.plots.picture import COLOURS, DPI, HATCHES, WIDTH, Picture, legend, new_figure, to_png
from analysis.study import Study

_SHOWN = PHASES[1:]
_MOST_SIZES = 3


def draw_phases(study: Study) -> Picture | None:
    """The smallest, a middle and the largest size; shares of the sum of the phases' medians. None without phases."""
    sizes = _chosen(study.sizes)
    keys = [Key(arm, size, study.windows[0]) for size in sizes for arm in study.arms]
    rows = [(key, shares) for key in keys if (shares := _shares(study, key)) is not None]
    if not rows:
        return None
    height = 1.3 + 0.32 * len(rows)
    figure, axes = new_figure(height)
    labels = [_row_label(study, key) for key, _ in rows]
    left_edge = min(0.6, 0.03 + 0.0105 * max(len(label) for label in labels))
    axes.set_position((left_edge, 0.62 / height, 0.97 - left_edge, 1 - 1.1 / height))
    at = np.arange(len(rows))[::-1]
    left = np.zeros(len(rows))
    for number, name in enumerate(_SHOWN):
        part = np.array([100 * shares[number] for _, shares in rows])
        hatch, colour = HATCHES[number], COLOURS[number]
        axes.barh(
            at, part, left=left, height=0.7, label=name.removesuffix("_ns"), color=colour, hatch=hatch, ec="white"
        )
        left = left + part
    axes.set_yticks(at, labels)
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of the time, %")
    axes.grid(axis="y", visible=False)
    legend(axes)
    told = [f"{key.arm} at {units.size(key.size)}: {_told(shares)}" for key, shares in rows if key.size == sizes[-1]]
    alt = f"Stacked bars: where the time of a get goes, by phase. {'; '.join(told)}."
    assert figure.dpi == DPI and figure.get_figwidth() == WIDTH, "pictures share one scale"
    return Picture("phases.png", alt, to_png(figure))


def _chosen(sizes: list[int]) -> list[int]:
    if len(sizes) <= _MOST_SIZES:
        return sizes
    return [sizes[0], sizes[len(sizes) // 2], sizes[-1]]


def _shares(study: Study, key: Key) -> tuple[float, ...] | None:
    cell = study.cells.get(key)
    if cell is None or not cell.n:
        return None
    medians = [float(np.median(cell.phase(name))) for name in _SHOWN]
    total = sum(medians)
    if not np.isfinite(total) or total <= 0:
        return None
    return tuple(value / total for value in medians)


def _row_label(study: Study, key: Key) -> str:
    estimate = study.median(key)
    time = units.duration(estimate.value) if estimate else ""
    return f"{units.size(key.size)}  {key.arm}  {time}"


def _told(shares: tuple[float, ...]) -> str:
    parts = [f"{name.removesuffix('_ns')} {100 * share:.0f} %" for name, share in zip(_SHOWN, shares, strict=True)]
    return ", ".join(parts)
