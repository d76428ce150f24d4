"""Figures of many runs for print: main effects, and the history of an optimisation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grouser.output.panel import Line, Panel
from grouser.output.study_tables import Effect, StudyTables


def make_study_panels(tables: StudyTables) -> list[Panel]:
    """A panel for each response over each factor, and for each line of the history."""
    history = [
        replace(panel, lines=tuple(line for line in panel.lines if not line.is_faint)) for panel in tables.panels
    ]
    return [*history, *(_make_panel(effect) for effect in tables.effects)]


def _make_panel(effect: Effect) -> Panel:
    """The means, and behind them their standard errors."""
    mean, error = np.array(effect.mean), np.array(effect.error)
    is_number = all(isinstance(at, int | float) for at in effect.at)
    x = np.array([float(at) for at in effect.at] if is_number else range(len(mean)), dtype=float)  # type: ignore[arg-type]
    names = "" if is_number else ": " + ", ".join(f"{i} {at}" for i, at in enumerate(effect.at))
    lines = [Line("mean of the runs", x, mean)]
    if error.any():
        lines += [Line("standard error", x, mean - error, is_faint=True), Line("", x, mean + error, is_faint=True)]
    title = f"{effect.response} over {effect.factor}, {100.0 * effect.share:.0f} % of the variance"
    return Panel(f"{effect.response}-{effect.factor}", title, effect.response, tuple(lines), f"{effect.factor}{names}")
