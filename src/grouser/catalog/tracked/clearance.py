"""Room between a routed track and what it runs on: wheels and teeth."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import NDArray

from grouser.model.gap import calc_tip_angle

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ToothProfile:
    """Outline of a sprocket: arcs cut out of the addendum circle, one for each gap.

    Attributes
    ----------
    teeth : number of teeth
    arc_radius : radius of the arc of a gap [m]
    arc_centre_radius : radius of the circle that holds the centres of the arcs [m]
    addendum_radius : tip circle [m]
    """

    teeth: int
    arc_radius: float
    arc_centre_radius: float
    addendum_radius: float


def calc_tooth_gaps(profile: ToothProfile, points: Array, gap_angle: float) -> Array:
    """Signed distance of points from the teeth [m], negative inside.

    Parameters
    ----------
    points : (n, 2), from the centre of the sprocket [m]
    gap_angle : direction of the middle of one gap [rad]
    """
    period = 2.0 * pi / profile.teeth
    angle = np.arctan2(points[:, 1], points[:, 0]) - gap_angle
    angle = np.abs(angle - period * np.round(angle / period))
    radius = np.hypot(points[:, 0], points[:, 1])
    u, w = radius * np.cos(angle), radius * np.sin(angle)
    tip, half = profile.addendum_radius, calc_tip_angle(profile)
    tip_u, tip_w = tip * np.cos(half), tip * np.sin(half)
    back = profile.arc_centre_radius - u
    # seen from the centre of the arc, the gap reaches from one tip to the other
    in_gap = (back > 0.0) & (w * (profile.arc_centre_radius - tip_u) <= back * tip_w)
    to_arc = profile.arc_radius - np.hypot(back, w)
    to_tip = np.hypot(u - tip_u, w - tip_w)
    return np.where(in_gap, to_arc, np.where(angle > half, radius - tip, to_tip))


def calc_wheel_gaps(pins: Array, centres: Array, radii: Array) -> Array:
    """Least distance between a closed convex chain and circles inside it [m], negative where one is cut.

    Inside a convex polygon the nearest edge is the one whose line is nearest, so lines do for edges.

    Parameters
    ----------
    pins : (n, 2), counter-clockwise [m]
    centres, radii : (m, 2) and (m,) [m]
    """
    along = np.roll(pins, -1, axis=0) - pins
    inward = np.column_stack([-along[:, 1], along[:, 0]]) / np.hypot(along[:, 0], along[:, 1])[:, None]
    distance = np.einsum("mnk,nk->mn", centres[:, None, :] - pins[None, :, :], inward)
    return np.min(distance, axis=1) - radii
