"""Every sample over the run's order, each divided by its cell's median: drift, outliers and disturbances show."""

from __future__ import annotations

import numpy as np

from analysis.plots.picture import COLOURS, MARKERS, Picture, legend, new_figure, to_png
from analysis.study import Study
from analysis.units import plural

MOST_POINTS = 6000
"""More points than this only cover each other: then every k-th sample is drawn, and the text says so."""


def draw_scatter(study: Study) -> Picture | None:
    """Pairs follow one another, with a line between them. None without warm samples."""
    places: list[tuple[str, np.ndarray[tuple[int], np.dtype[np.float64]], np.ndarray[tuple[int], np.dtype[np.float64]]]]
    places, borders = [], [0]
    for each in study.runs:
        frame = each.samples.samples
        warm = frame[(frame["use"] == "warm").to_numpy(dtype=bool)].sort_values(["launched", "order"])
        if warm.empty:
            continue
        groups = ["cell"] if study.cold else ["launched", "cell"]
        relative = (warm["value"] / warm.groupby(groups)["value"].transform("median")).to_numpy(dtype=np.float64)
        at = borders[-1] + np.arange(len(warm), dtype=np.float64)
        arms = warm["arm"].astype(object).to_numpy()
        places += [(arm, at[arms == arm], relative[arms == arm]) for arm in study.arms]
        if not study.cold:
            pairs = warm["launched"].to_numpy()
            borders += [int(borders[0] + at[i]) for i in np.flatnonzero(np.diff(pairs)) + 1]
        borders.append(int(at[-1]) + 1)
    if not places:
        return None
    total = borders[-1]
    step = max(1, -(-total // MOST_POINTS))
    figure, axes = new_figure()
    names = list(study.arms)
    for arm, at, relative in places:
        number = names.index(arm)
        shown = slice(None, None, step)
        axes.scatter(
            at[shown],
            relative[shown],
            s=12,
            c=COLOURS[number % len(COLOURS)],
            marker=MARKERS[number % len(MARKERS)],
            label=arm,
            linewidths=0,
            alpha=0.7,
        )
    for border in borders[1:-1]:
        axes.axvline(border, color="#606060", linewidth=0.8, linestyle=":")
    axes.axhline(1.0, color="#000000", linewidth=0.8)
    axes.set_yscale("log")
    values = np.concatenate([relative for _, _, relative in places])
    low, high = min(0.8, float(values.min()) * 0.95), max(1.25, float(values.max()) * 1.05)
    axes.set_ylim(low, high)
    ticks = [
        t for t in (0.1, 0.2, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10, 30, 100, 1000) if low <= t <= high
    ]
    ticks = ticks if high < 4 else [t for t in ticks if t not in (0.7, 0.8, 0.9, 1.1, 1.25, 1.5)]
    axes.set_yticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()
    axes.set_xlim(-0.01 * total, 1.01 * total)
    axes.set_ylabel("time / median of its cell")
    axes.set_xlabel("order in the run" if step == 1 else f"order in the run (every {step}th sample)")
    legend(axes)
    shares = np.mean(np.abs(values - 1) > 0.1)
    alt = f"Scatter plot of {plural(total, 'sample')} in run order, each divided by its cell's median. "
    alt += f"{100 * shares:.0f} % lie more than 10 % off; the largest is {values.max():.2g} times its median."
    return Picture("samples.png", alt, to_png(figure))
