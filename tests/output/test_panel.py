"""Panels and their style: what is drawn once is drawn alike in print and on the screen."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex

from grouser.output.panel import Line, Panel, make_panel_figure, merge_panels
from grouser.output.style import COLORS, DASHES

TIME = np.linspace(0.0, 1.0, 11)
LETTERS = "abcdefghijklmnop"


def make_panel(*labels: str, key: str = "key", size: float = 1.0, **more) -> Panel:
    lines = tuple(Line(label, TIME, size * (i + 1) * TIME, color=i) for i, label in enumerate(labels))
    return Panel(key, f"title of {key}", "height", lines, **more)


def find_overlap(figure) -> float:
    """Area that a legend or a title shares with the axes or with each other [px^2]."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    shared = 0.0
    for ax in figure.axes:
        boxes = [ax.get_window_extent(renderer)]
        if ax.get_legend():
            boxes.append(ax.get_legend().get_window_extent(renderer))
        boxes += [text.get_window_extent(renderer) for text in (ax._left_title,) if text.get_text()]
        for i, a in enumerate(boxes):
            for b in boxes[i + 1 :]:
                across = min(a.x1, b.x1) - max(a.x0, b.x0)
                down = min(a.y1, b.y1) - max(a.y0, b.y0)
                shared += max(0.0, across - 1) * max(0.0, down - 1)
    return shared


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("count", [2, 5, 12])
def test_legends_hide_nothing(columns, count):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    panels = [make_panel(*(f"a line with a long name {letter}" for letter in LETTERS[:count])) for _ in range(columns)]
    figure = make_panel_figure(panels, title="some title", columns=columns)
    FigureCanvasAgg(figure)
    assert len(figure.axes[0].get_legend().get_texts()) == count
    assert find_overlap(figure) == 0.0
    legend, whole = figure.axes[-1].get_legend().get_window_extent(), figure.bbox
    assert legend.x1 <= whole.x1 and legend.y1 <= whole.y1


def test_too_many_lines_are_counted_and_a_single_one_needs_no_legend():
    many = make_panel_figure([make_panel(*LETTERS)]).axes[0]
    assert many.get_legend() is None and many.get_title("right") == "16 lines"
    assert make_panel_figure([make_panel("alone")]).axes[0].get_legend() is None


def test_units_suit_the_size_and_stand_at_the_axis():
    ax = make_panel_figure([make_panel("a", "b", size=3e4, unit="J")]).axes[0]
    assert ax.get_ylabel() == "height [kJ]"
    np.testing.assert_allclose(ax.lines[1].get_ydata(), 60 * TIME)
    assert make_panel_figure([make_panel("a", unit="N")]).axes[0].get_ylabel() == "height [N]"
    assert make_panel_figure([make_panel("a", size=1e6)]).axes[0].get_ylabel() == "height"


def test_faint_lines_and_captions_and_logarithms():
    faint = Line("", TIME, TIME, is_faint=True)
    panel = Panel("k", "t", "y [mm]", (faint, Line("main", TIME, TIME + 1)), is_log=True)
    figure = make_panel_figure([panel], caption="Figure 3: " + "word " * 60)
    ax = figure.axes[0]
    assert ax.get_yscale() == "log"
    assert ax.lines[0].get_alpha() < 1 and [text.get_text() for text in ax.get_legend().get_texts()] == ["main"]
    assert max(map(len, figure._supxlabel.get_text().split("\n"))) <= 120


def test_runs_are_told_apart_by_colour_and_by_dashes():
    runs = {"one": [make_panel("x", "y"), make_panel("z", key="only")], "two": [make_panel("x", "y", size=2.0)]}
    both, only = merge_panels(runs)
    assert [(line.label, line.color, line.dash) for line in both.lines] == [
        ("one: x", 0, 0),
        ("one: y", 0, 1),
        ("two: x", 1, 1),
        ("two: y", 1, 2),
    ]
    assert [line.label for line in only.lines] == ["one"]
    ax = make_panel_figure([both]).axes[0]
    assert [to_hex(line.get_color()).upper() for line in ax.lines] == [COLORS[0]] * 2 + [COLORS[1]] * 2
    assert len({line.get_linestyle() for line in ax.lines}) == 3 <= len(DASHES)


def test_a_single_run_stays_as_it_is_and_details_are_left_out_of_several():
    panel = Panel("k", "t", "y", (Line("", TIME, TIME, is_faint=True), Line("main", TIME, TIME)))
    assert merge_panels({"one": [panel]}) == [panel]
    (merged,) = merge_panels({"one": [panel], "two": [panel]})
    assert [line.label for line in merged.lines] == ["one", "two"]
