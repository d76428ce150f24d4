"""Plots of the kinematics of axles: how wheels move with travel and with steering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from grouser.output.panel import Array, Line, Panel

TRAVEL_LABEL = "wheel travel, bump positive [mm]"

_PANELS = (
    ("camber", "camber, top inwards negative", "camber [deg]"),
    ("toe", "toe, toe-in positive", "toe [deg]"),
    ("track_change", "track change", "track change [mm]"),
    ("wheel_recession", "wheel recession, to the rear", "recession [mm]"),
    ("spring_ratio", "motion ratio of the spring", "ratio [-]"),
    ("wheel_force", "spring force at the wheel", "force [kN]"),
)
_SCALES = {"deg": 180.0 / np.pi, "mm": 1.0e3, "kN": 1.0e-3, "-": 1.0}


def make_kinematics_panels(
    axles: Mapping[str, Mapping[str, Array]], steering: Mapping[str, Array] | None = None
) -> list[Panel]:
    """Panels of the curves of all axles over wheel travel, and of the steering.

    Parameters
    ----------
    axles : for each axle its columns by name, in SI units: ``travel`` and those that are drawn
    steering : columns ``arm``, ``left`` and ``right`` [rad], or None
    """
    panels = []
    for key, title, label in _PANELS:
        scale = _SCALES[label[label.index("[") + 1 : -1]]
        lines = [
            Line(name, 1.0e3 * columns["travel"], scale * columns[key], color=i, dash=i)
            for i, (name, columns) in enumerate(axles.items())
        ]
        panels.append(Panel(key, title, label, tuple(lines), x_label=TRAVEL_LABEL))
    if steering is not None:
        panels.append(_make_steering_panel(steering, ("left", "right")))
    return panels


def _make_steering_panel(steering: Mapping[str, Array], sides: Sequence[str]) -> Panel:
    degree = _SCALES["deg"]
    lines = tuple(
        Line(f"{side} wheel", degree * steering["arm"], degree * steering[side], color=i, dash=i)
        for i, side in enumerate(sides)
    )
    return Panel("steering", "steered wheels", "angle, to the left [deg]", lines, x_label="Pitman arm [deg]")
