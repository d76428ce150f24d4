"""How figures look: one palette, one size of letters, legends that hide nothing. Every figure is drawn in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from cycler import cycler

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PINK = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#F0E442",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
"""The palette of Okabe and Ito."""
COLORS = (BLUE, RED, GREEN, ORANGE, PINK, SKY, BLACK)
"""Colours of lines, in their order."""
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 3)))
"""Lines that lie on each other can be told apart by their dashes."""
GREY = "#8A8F98"
COLOR_MAP = "viridis"
"""Map of values to colours: even steps for the eye, with and without colour vision."""
LETTER = 9.0
"""Size of letters [pt]."""
STYLE: dict[Any, Any] = {
    "font.size": LETTER,
    "axes.titlesize": LETTER + 1,
    "axes.grid": True,
    "axes.xmargin": 0.02,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=COLORS),
    "grid.alpha": 0.3,
    "grid.linewidth": 0.5,
    "legend.fontsize": LETTER - 1,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "savefig.dpi": 160,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}
WIDTH, WIDE = 7.0, 10.0
"""Width of a figure with one column of panels, and with two [inch]."""
CAPTION_LETTERS = 120
"""Letters in a line of a caption."""
LEGEND_LIMIT = 12
"""More lines than this in one panel are not named one by one."""
_SHARE = 0.8
"""Share of its column that a panel has for its legend; the rest is for the numbers at its axis."""
_LETTER_WIDTH = 0.55
"""Mean width of a letter, as a share of its size."""
_HANDLE = 34.0
"""Room for the line in a legend and for the gaps about it [pt]."""


def say_plain(text: str) -> str:
    """A text that is shown as it is: between two dollar signs matplotlib would look for a formula."""
    return text.replace("$", r"\$")


def add_legend(ax: Axes, columns: int = 1) -> None:
    """Name the lines of a panel between its title and its axes, where they hide nothing.

    Parameters
    ----------
    columns : panels that stand side by side in the figure; they set the room for the names
    """
    _, labels = ax.get_legend_handles_labels()
    if len(labels) > LEGEND_LIMIT:
        ax.set_title(f"{len(labels)} lines", loc="right", fontsize=LETTER - 1)
        return
    if not labels:
        return
    size = LETTER - 1
    room = 72.0 * ax.figure.bbox.width / ax.figure.dpi * _SHARE / columns
    across = _find_columns([len(label) * _LETTER_WIDTH * size + _HANDLE for label in labels], room)
    rows = -(-len(labels) // across)
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=across,
        borderaxespad=0.2,
        borderpad=0.1,
        columnspacing=1.4,
        handlelength=1.8,
    )
    ax.set_title(ax.get_title("left"), loc="left", pad=6.0 + 1.5 * size * rows)


def _find_columns(widths: list[float], room: float) -> int:
    """The number of columns that names of some widths take within a room [pt], in as few rows as may be.

    Columns are filled one after the other, the first ones with one name more where it does not come out even.
    """
    count = len(widths)
    for rows in range(1, count):
        across = -(-count // rows)
        parts = np.array_split(np.array(widths), across)
        if sum(float(part.max()) for part in parts) <= room:
            return across
    return 1
