"""What all pictures share: size, font, colours that colour-blind readers tell apart, marks that survive print, bytes.

The same figure gives the same bytes: matplotlib's own font and settings, the Agg renderer, no date and no version in
the file. `reports.pinned` starts the process so that numpy and the C library compute alike on every CPU.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from matplotlib.typing import RcGroupKeyType

from analysis import units

WIDTH, HEIGHT, DPI = 8.0, 4.6, 110
_LEGEND_CHARACTERS = 84

# Okabe and Ito's colours (2008), the darker ones first; a line also has its own mark and dash, a bar its hatch.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9", "#7F7F00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))
HATCHES = ("", "///", "...", "xx")

_SETTINGS: Mapping[RcGroupKeyType, Mapping[str, Any]] = MappingProxyType({
    "font": {"family": "DejaVu Sans", "size": 10},
    "axes": {"grid": True, "axisbelow": True},
    "grid": {"color": "#d0d0d0", "linewidth": 0.6},
    "legend": {"frameon": False},
    "figure": {"facecolor": "white"},
    "savefig": {"facecolor": "white"},
    "path": {"simplify": False},
})  # fmt: skip


@dataclass(frozen=True)
class Picture:
    """name: the file's name; alt: what the picture shows, for who does not see it; png: the file's bytes."""

    name: str
    alt: str
    png: bytes


@contextmanager
def settings() -> Iterator[None]:
    """matplotlib's own defaults with ours on top, whatever the user's files say, and only matplotlib's own fonts."""
    own = str(Path(mpl.get_data_path()).resolve())
    found = font_manager.fontManager
    kept = found.ttflist
    found.ttflist = [font for font in kept if str(Path(font.fname).resolve()).startswith(own)]
    try:
        with mpl.rc_context():
            mpl.rcdefaults()
            for group, values in _SETTINGS.items():
                mpl.rc(group, **values)
            yield
    finally:
        found.ttflist = kept


def new_figure(height: float = HEIGHT) -> tuple[Figure, Axes]:
    """A figure with one pair of axes and room for labels on the left and a legend above."""
    figure = Figure(figsize=(WIDTH, height), dpi=DPI)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.125, 0.13, 0.85, 0.72))
    return figure, axes


def to_png(figure: Figure) -> bytes:
    """The figure's bytes, without date, version or any other metadata."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=DPI, metadata={"Software": None})
    return out.getvalue()


def legend(axes: Axes) -> None:
    """The legend above the axes, left-aligned, covering no point; as many columns as its texts leave room for."""
    longest = max((len(text) for text in axes.get_legend_handles_labels()[1]), default=0)
    columns = max(1, min(4, _LEGEND_CHARACTERS // (longest + 7)))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.01), ncols=columns, borderaxespad=0.0, handlelength=3.2)


def size_axis(axes: Axes, sizes: list[int]) -> None:
    """A logarithmic axis of payload sizes with the measured ones as ticks, thinned where they would touch."""
    axes.set_xscale("log", base=2)
    step = max(1, -(-len(sizes) // 11))
    shown = sizes[::step]
    axes.set_xticks(shown, [units.size(size).replace(" + ", "\n+ ") for size in shown])
    axes.minorticks_off()
    axes.set_xlabel("payload")


def plain_ticks(axis: Axis) -> None:
    """Ticks of a logarithmic axis as plain numbers: 0.1, 1, 10, 100."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def duration_ticks(axis: Axis) -> None:
    """Ticks of an axis in nanoseconds as durations: 10 us, 1 ms."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: units.duration(value, 1)))


def beside(sizes: list[int], at: int, of: int) -> list[float]:
    """The sizes, moved a little for the at-th of several lines, so that their intervals do not cover each other."""
    return [size * 2 ** (0.07 * (at - (of - 1) / 2)) for size in sizes]


def style(at: int) -> dict[str, Any]:
    """Colour, mark and dash of the at-th arm."""
    return {
        "color": COLOURS[at % len(COLOURS)],
        "marker": MARKERS[at % len(MARKERS)],
        "linestyle": DASHES[at % len(DASHES)],
        "markersize": 5,
        "linewidth": 1.5,
    }
