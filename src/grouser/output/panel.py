"""Panels: what a plot shows, apart from what draws it.

A study says what it has to show as a list of panels. Figures for print (`make_panel_figure`) and the plots of a report
are made of the same panels, so that a new study needs no drawing of its own.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from grouser.output.style import (
    BLACK,
    CAPTION_LETTERS,
    COLORS,
    DASHES,
    GREY,
    LETTER,
    RED,
    STYLE,
    WIDE,
    WIDTH,
    add_legend,
    say_plain,
)
from grouser.output.units import choose_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
TIME = "time [s]"
"""Label of an axis of time."""
_HEADINGS = 9
"""Places of a way, seen from above, at which the heading is drawn."""
_SMALL, _TALL = 2.6, 3.2
"""Height of a panel beside another one, and of one that has the whole width [inch]."""


@dataclass(frozen=True)
class Line:
    """A line of a panel, in the units of its axes.

    Attributes
    ----------
    label : its name in the legend
    x, y : values, (n,)
    color, dash : which colour and which dashes of the style, by number
    is_faint : a detail behind the other lines; without a name if the label is empty
    time : time of each point [s], where x is something else
    heading : direction at each point, (n, 2), where the line is a way seen from above
    """

    label: str
    x: Array
    y: Array
    color: int = 0
    dash: int = 0
    is_faint: bool = False
    time: Array | None = None
    heading: Array | None = None


@dataclass(frozen=True)
class Panel:
    """A plot.

    Attributes
    ----------
    key : name for programs; panels of several runs with the same key are laid over each other
    title : what it shows
    y_label, x_label : of the axes, with their units in brackets unless `unit` is given
    lines : what is drawn
    unit : unit of the values, SI; the prefix with which it is shown is chosen when all lines are known
    is_equal : both axes have the same scale
    is_log : the values are shown by their logarithm
    """

    key: str
    title: str
    y_label: str
    lines: tuple[Line, ...]
    x_label: str = TIME
    unit: str = ""
    is_equal: bool = False
    is_log: bool = False

    def with_shown_unit(self) -> Panel:
        """The same in the unit in which the values are read best, which then stands in the label."""
        if not self.unit:
            return self
        factor, shown = choose_unit([np.nanmax(np.abs(line.y), initial=0.0) for line in self.lines], self.unit)
        lines = tuple(replace(line, y=factor * line.y) for line in self.lines)
        return replace(self, lines=lines, y_label=f"{self.y_label} [{shown}]", unit="")


def merge_panels(runs: Mapping[str, Sequence[Panel]]) -> list[Panel]:
    """Panels of several runs laid over each other: a colour for each run, dashes for the lines of one run.

    Details behind the lines are left out. A single run stays as it is.
    """
    if len(runs) == 1:
        return list(next(iter(runs.values())))
    merged: dict[str, Panel] = {}
    for color, (run, panels) in enumerate(runs.items()):
        for panel in panels:
            named = [line for line in panel.lines if not line.is_faint] or list(panel.lines[:1])
            lines = tuple(
                replace(line, label=run if len(named) == 1 else f"{run}: {line.label}", color=color, dash=color + i)
                for i, line in enumerate(named)
            )
            earlier = merged.get(panel.key, replace(panel, lines=()))
            merged[panel.key] = replace(earlier, lines=earlier.lines + lines)
    return list(merged.values())


def make_panel_figure(panels: Sequence[Panel], title: str = "", caption: str = "", columns: int = 1) -> Figure:
    """A figure of panels, in one column or in two, with a title above and a caption below."""
    rows = -(-len(panels) // columns)
    with mpl.rc_context(STYLE):
        width, height = (WIDTH, _TALL) if columns == 1 else (WIDE, _SMALL)
        figure = Figure(figsize=(width, 0.6 + height * rows), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for ax, panel in zip(axes, panels, strict=False):
            draw_panel(panel, ax, columns)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        if title:
            figure.suptitle(say_plain(title))
        if caption:
            lines = [textwrap.fill(line, CAPTION_LETTERS) for line in caption.split("\n")]
            figure.supxlabel(say_plain("\n".join(lines)), fontsize=LETTER - 1, color=GREY)
    return figure


def draw_panel(panel: Panel, ax: Axes, columns: int = 1) -> None:
    """Draw a panel; `columns` is the number of panels that stand side by side."""
    panel = panel.with_shown_unit()
    for line in panel.lines:
        color = COLORS[line.color % len(COLORS)]
        look = {"alpha": 0.35, "linewidth": 0.7} if line.is_faint else {"linestyle": DASHES[line.dash % len(DASHES)]}
        ax.plot(line.x, line.y, color=color, label=say_plain(line.label) or None, **look)
        if line.heading is not None:
            _draw_headings(line, ax)
    ax.set_title(say_plain(panel.title), loc="left")
    ax.set_xlabel(say_plain(panel.x_label))
    ax.set_ylabel(say_plain(panel.y_label))
    if panel.is_equal:
        ax.set_aspect("equal", adjustable="datalim")
    if panel.is_log:
        ax.set_yscale("log")
    if len(panel.lines) > 1:
        add_legend(ax, columns)


def _draw_headings(line: Line, ax: Axes) -> None:
    """Arrows along the heading, and a dot at the start."""
    assert line.heading is not None
    shown = np.unique(np.linspace(0, len(line.x) - 1, _HEADINGS, dtype=int))
    ax.quiver(line.x[shown], line.y[shown], *line.heading[shown].T, color=RED, angles="xy", width=0.006, zorder=3)
    ax.plot(line.x[:1], line.y[:1], "o", color=BLACK, markersize=4)
