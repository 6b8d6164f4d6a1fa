"""Latency over payload: each arm's median with its interval, both axes logarithmic."""

from __future__ import annotations

from analysis import units
from analysis.plots.picture import Picture, beside, duration_ticks, legend, new_figure, size_axis, style, to_png
from analysis.study import Study


def draw_latency(study: Study) -> Picture | None:
    """None where fewer than two sizes have warm samples: there is no line to draw then."""
    if len({key.size for key, cell in study.cells.items() if cell.n}) < 2:
        return None
    figure, axes = new_figure()
    told = []
    for at, arm in enumerate(study.arms):
        keys = study.keys(arm)
        estimates = [(key.size, found) for key in keys if (found := study.median(key)) is not None]
        if not estimates:
            continue
        sizes = [size for size, _ in estimates]
        medians = [found.value for _, found in estimates]
        spans = [found.interval for _, found in estimates]
        below = [m - (s.low if s else m) for m, s in zip(medians, spans, strict=True)]
        above = [(s.high if s else m) - m for m, s in zip(medians, spans, strict=True)]
        errors = [[max(0.0, value) for value in below], [max(0.0, value) for value in above]]
        axes.errorbar(beside(sizes, at, len(study.arms)), medians, yerr=errors, label=arm, capsize=3, **style(at))
        first, last = estimates[0], estimates[-1]
        ends = [f"{units.duration(found.value)} at {units.size(size)}" for size, found in dict.fromkeys((first, last))]
        told.append(f"{arm} {' to '.join(ends)}")
    axes.set_yscale("log")
    duration_ticks(axes.yaxis)
    axes.set_ylabel("median time")
    size_axis(axes, study.sizes)
    legend(axes)
    alt = f"Line plot, both axes logarithmic: median time over payload with 95 % intervals. {'; '.join(told)}."
    return Picture("latency.png", alt, to_png(figure))
