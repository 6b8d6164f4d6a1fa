"""Which pictures a report has, in order. A new one is one file here and one entry in DRAWERS."""

from __future__ import annotations

from collections.abc import Callable

from analysis.plots.advantage import draw_advantage
from analysis.plots.latency import draw_latency
from analysis.plots.phases import draw_phases
from analysis.plots.picture import Picture, settings
from analysis.plots.rate import draw_rate
from analysis.plots.scatter import draw_scatter
from analysis.study import Study

DRAWERS: tuple[Callable[[Study], Picture | None], ...] = (
    draw_latency,
    draw_advantage,
    draw_phases,
    draw_rate,
    draw_scatter,
)


def draw_all(study: Study) -> list[Picture]:
    """Every picture that the study has data for."""
    with settings():
        return [picture for draw in DRAWERS if (picture := draw(study)) is not None]
