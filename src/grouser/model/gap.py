"""The gap between two teeth that is one concave arc: where it ends, and what is wrong with one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Protocol

from grouser.model.fault import Fault, Path, make_fault


class Teeth(Protocol):
    """Whatever has teeth as a `Sprocket` has; lengths in m."""

    @property
    def teeth(self) -> int: ...
    @property
    def arc_radius(self) -> float: ...
    @property
    def arc_centre_radius(self) -> float: ...
    @property
    def addendum_radius(self) -> float: ...


def calc_tip_angle(teeth: Teeth) -> float:
    """Angle from the middle of a gap to the corner where its arc meets the tip circle [rad]; NaN where it does not.

    With tip circle A, circle of the arc's centres R and arc r: cos(angle) = (A^2 + R^2 - r^2) / (2 A R).
    """
    tip, centre, arc = teeth.addendum_radius, teeth.arc_centre_radius, teeth.arc_radius
    cosine = (tip**2 + centre**2 - arc**2) / (2.0 * tip * centre)
    return math.acos(cosine) if abs(cosine) <= 1.0 else math.nan


def find_tooth_faults(path: Path, sprocket: Teeth) -> Iterator[Fault]:
    """Geometry of the gap. With centre circle R, arc r, addendum circle A, all about the gap's middle:

    the bottom lies at R - r; the arc meets the addendum circle where R - r < A; it opens outwards, that
    is its centre lies beyond the chord of the two meeting points, where A^2 <= R^2 + r^2; and the tip
    angle (see `calc_tip_angle`) leaves a land where it is at most pi / teeth.
    """
    centre, arc, addendum = sprocket.arc_centre_radius, sprocket.arc_radius, sprocket.addendum_radius
    bottom = centre - arc
    if bottom <= 0:
        yield make_fault(
            (*path, "arc_radius"),
            f"is {arc:g} m; it must be smaller than arc_centre_radius {centre:g} m, or no hub is left",
        )
    elif bottom >= addendum:
        yield make_fault(
            (*path, "addendum_radius"),
            f"is {addendum:g} m, but the bottom of the gaps (arc_centre_radius - arc_radius) lies at "
            f"{bottom:g} m: the arc does not reach the addendum circle; "
            "enlarge arc_radius or addendum_radius",
        )
    elif addendum**2 > centre**2 + arc**2:
        yield make_fault(
            (*path, "arc_centre_radius"),
            f"is {centre:g} m, inside the points where the arc meets the addendum circle: the gap would be "
            f"closed at the top; use at least {math.sqrt(addendum**2 - arc**2):g} m",
        )
    else:
        half = calc_tip_angle(sprocket)
        if half > math.pi / sprocket.teeth:
            yield make_fault(
                (*path, "teeth"),
                f"is {sprocket.teeth}, but a gap takes {math.degrees(2 * half):.2f} deg "
                f"and {360 / sprocket.teeth:.2f} deg are there at the addendum circle: the lands vanish; "
                f"use at most {int(math.pi / half)} teeth or a smaller arc_radius",
            )
