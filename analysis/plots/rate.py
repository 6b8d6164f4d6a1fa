"""Rate over payload against the bound: payload divided by the median time, GB/s."""

from __future__ import annotations

from analysis import units
from analysis.plots.picture import Picture, legend, new_figure, plain_ticks, size_axis, style, to_png
from analysis.statistics import rate_from_median
from analysis.study import Study


def draw_rate(study: Study) -> Picture | None:
    """None where fewer than two sizes have warm samples."""
    if len({key.size for key, cell in study.cells.items() if cell.n}) < 2:
        return None
    figure, axes = new_figure()
    told = []
    for at, arm in enumerate(study.arms):
        points = [(k.size, rate_from_median(k.size, e.value) / 1e9) for k in study.keys(arm) if (e := study.median(k))]
        if not points:
            continue
        axes.plot(*zip(*points, strict=True), label=arm, **style(at))
        best = max(points, key=lambda point: point[1])
        told.append(f"{arm} at most {units.significant(best[1])} GB/s, at {units.size(best[0])}")
    limits = {limit.text: limit for arm in study.arms if (limit := study.bound(arm)) is not None}
    for limit in limits.values():
        axes.axhline(limit.bytes_per_second / 1e9, color="#000000", linewidth=1.2, linestyle=(0, (2, 2)))
        axes.annotate(limit.text, (study.sizes[0], limit.bytes_per_second / 1e9), va="bottom", fontsize=9)
        told.append(f"bound: {limit.text}")
    axes.set_yscale("log")
    plain_ticks(axes.yaxis)
    axes.set_ylabel("rate, GB/s")
    size_axis(axes, study.sizes)
    legend(axes)
    return Picture("rate.png", f"Line plot: rate over payload. {'; '.join(told)}.", to_png(figure))
