"""The pictures of a report. `draw_all` gives each as a Picture with its alt text; `reports` writes the files."""

from analysis.plots.picture import Picture
from analysis.plots.registry import draw_all

__all__ = ["Picture", "draw_all"]
