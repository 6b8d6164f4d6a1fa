"""Advantage over payload: the ratio of medians of each compared pair of arms, its interval, and the crossover."""

from __future__ import annotations

from analysis import units
from analysis.comparison import compare_arms, compared_arms
from analysis.plots.picture import Picture, beside, legend, new_figure, size_axis, style, to_png
from analysis.study import Study
from analysis.verdicts.crossover import brackets


def draw_advantage(study: Study) -> Picture | None:
    """None where the plan compares nothing at two sizes or more."""
    compared = [(of, over, compare_arms(study, of, over)) for of, over in compared_arms(study)]
    compared = [(of, over, rows) for of, over, rows in compared if len(rows) > 1]
    if not compared:
        return None
    figure, axes = new_figure()
    told = []
    for at, (of, over, rows) in enumerate(compared):
        ratios = [each.ratio.ratio for each in rows]
        spans = [each.interval for each in rows]
        below = [max(0.0, r - (s.low if s else r)) for r, s in zip(ratios, spans, strict=True)]
        above = [max(0.0, (s.high if s else r) - r) for r, s in zip(ratios, spans, strict=True)]
        sizes = [each.size for each in rows]
        label = f"{of} over {over}"
        axes.errorbar(
            beside(sizes, at, len(compared)), ratios, yerr=[below, above], label=label, capsize=3, **style(at)
        )
        text = f"{label}: {units.significant(ratios[0])}x at {units.size(sizes[0])}, "
        text += f"{units.significant(ratios[-1])}x at {units.size(sizes[-1])}"
        for bracket in brackets(rows):
            axes.axvspan(bracket.low, bracket.high, color=style(at)["color"], alpha=0.12, linewidth=0)
            text += f", crossing 1 between {units.size(bracket.low)} and {units.size(bracket.high)}"
        told.append(text)
    axes.axhline(1.0, color="#000000", linewidth=1.0)
    axes.set_yscale("log", base=2)
    middle = [each.ratio.ratio for _, _, rows in compared for each in rows]
    low, high = (min(0.5, min(middle) / 2), max(2.0, max(middle) * 2))
    axes.set_ylim(low, high)
    ticks = [value for value in (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32, 64) if low <= value <= high]
    axes.set_yticks(ticks, [f"{value:g}x" for value in ticks])
    axes.minorticks_off()
    axes.set_ylabel("advantage (above 1: faster)")
    size_axis(axes, study.sizes)
    legend(axes)
    alt = "Line plot: how many times faster, with 95 % intervals; a shaded band marks a crossover. "
    return Picture("advantage.png", f"{alt}{'; '.join(told)}.", to_png(figure))
