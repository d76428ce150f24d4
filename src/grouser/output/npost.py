"""Figures of runs on an N-post rig: posts and all arms over time, and transfer functions over frequency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from grouser.output.style import BLUE, COLORS, DASHES, RED, STYLE, WIDE, add_legend, say_plain
from grouser.result.posts import PostMeasure, read_arm, read_post
from grouser.result.result import Result


def make_input_figure(result: Result, title: str) -> Figure:
    """Heights of all posts over time; posts that move alike are one line."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDE, 2.6), layout="constrained")
        ax = figure.subplots()
        shown: dict[bytes, tuple[str, np.ndarray]] = {}
        for name in result.model.posts:
            height = read_post(result, name)
            first, _ = shown.setdefault(np.round(height, 6).tobytes(), (name, height))
            shown[np.round(height, 6).tobytes()] = (first, height)
        for i, (name, height) in enumerate(shown.values()):
            ax.plot(result.time, height, color=COLORS[i % len(COLORS)], ls=DASHES[i % len(DASHES)], label=name)
        if len(shown) > 1:
            add_legend(ax, 6)
        ax.set_xlabel("time [s]")
        ax.set_ylabel("height of post [mm]")
        ax.set_title(say_plain(f"{title}: input"))
    return figure


def make_arm_figure(result: Result, title: str) -> Figure:
    """Angles of all arms over time: a row for each wheel from the front, the left side left."""
    sides = {side: [name for name in result.model.posts if name.startswith(side)] for side in ("left", "right")}
    rows = max(map(len, sides.values()))
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDE, 1.5 * rows + 0.8), layout="constrained")
        axes = figure.subplots(rows, 2, sharex=True, sharey=True, squeeze=False)
        for column, (side, colour) in enumerate((("left", BLUE), ("right", RED))):
            for row in range(rows):
                ax = axes[row, column]
                if row >= len(sides[side]):
                    ax.set_visible(False)
                    continue
                values, unit = read_arm(result, sides[side][row])
                ax.plot(result.time, values, color=colour, lw=0.9)
                ax.set_ylabel(f"{'arm' if unit == 'deg' else 'wheel'} {row + 1} [{unit}]")
            axes[0, column].set_title(say_plain(f"{title}: {side} side"))
            axes[-1, column].set_xlabel("time [s]")
    return figure


def make_transfer_figure(runs: Sequence[tuple[str, float, float, Sequence[PostMeasure]]]) -> Figure:
    """Gain and phase of every post's wheel over frequency, a column for each motion and amplitude.

    Parameters
    ----------
    runs : motion, amplitude [mm], frequency [Hz] and numbers of each harmonic run
    """
    kinds: dict[str, list[tuple[float, Sequence[PostMeasure]]]] = {}
    for motion, amplitude, frequency, posts in runs:
        kinds.setdefault(f"{motion} {amplitude:g} mm", []).append((frequency, posts))
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDE, 5.0), layout="constrained")
        axes = figure.subplots(2, max(1, len(kinds)), sharex=True, sharey="row", squeeze=False)
        for column, (kind, found) in enumerate(kinds.items()):
            found.sort(key=lambda one: one[0])
            frequencies = [one[0] for one in found]
            for i, name in enumerate(post.post for post in found[0][1]):
                look = {"color": COLORS[i % len(COLORS)], "ls": DASHES[i // len(COLORS)], "marker": ".", "label": name}
                axes[0, column].plot(frequencies, [posts[i].gain for _, posts in found], **look)
                axes[1, column].plot(frequencies, [posts[i].phase for _, posts in found], **look)
            axes[0, column].set_title(say_plain(kind))
            axes[1, column].set_xlabel("frequency [Hz]")
        axes[0, 0].set_ylabel("gain [deg/mm]")
        axes[1, 0].set_ylabel("phase [deg]")
        handles, labels = axes[0, 0].get_legend_handles_labels()
        if handles:
            figure.legend(handles, labels, loc="outside lower center", ncols=ceil(len(labels) / 2), frameon=False)
    return figure


def group_harmonic(
    measured: Mapping[str, Sequence[PostMeasure]], facts: Mapping[str, tuple[str, float, float]]
) -> list[tuple[str, float, float, Sequence[PostMeasure]]]:
    """What `make_transfer_figure` takes; `facts` has motion, amplitude [mm] and frequency [Hz] of harmonic runs."""
    return [(*facts[name], posts) for name, posts in measured.items() if name in facts]
