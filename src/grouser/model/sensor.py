"""Sensors: extra channels at points of bodies."""

from __future__ import annotations

from typing import Literal

from grouser.model.base import Part
from grouser.model.body import Frame


class Sensor(Part):
    """Records a quantity of a point fixed on a body.

    Attributes
    ----------
    frame : the point, and the axes if `axes` is ``body``
    quantity : position [m], velocity [m/s], acceleration [m/s^2], or the angular_acceleration of what carries the
        point [rad/s^2]
    axes : ``world`` or ``body``
    """

    frame: Frame
    quantity: Literal["position", "velocity", "acceleration", "angular_acceleration"]
    axes: Literal["world", "body"] = "world"
