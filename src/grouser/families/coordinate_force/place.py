"""Where the coordinate of an element is measured, and its value at the start."""

from __future__ import annotations

import math

import numpy as np

from grouser.families.coordinate_force.motion import Motion
from grouser.families.coordinate_force.spec import Actuator, JointSpring, Spring
from grouser.model.body import Frame
from grouser.model.model import Model
from grouser.model.start import calc_world_frame


def calc_initial_coordinate(model: Model, element: Spring | JointSpring | Actuator | Motion) -> float:
    """Value of an element's coordinate in the initial state [m or rad]."""
    frame_a, frame_b = find_frames(model, element)
    p_a, axes_a = calc_world_frame(model, frame_a)
    p_b, axes_b = calc_world_frame(model, frame_b)
    if isinstance(element, Spring):
        return float(np.linalg.norm(p_b - p_a))
    if element.coordinate == "translation":
        return float(axes_a[:, 2] @ (p_b - p_a))
    m = axes_a.T @ axes_b
    return math.atan2(m[1, 0] - m[0, 1], m[0, 0] + m[1, 1])


def find_frames(model: Model, element: Spring | JointSpring | Actuator | Motion) -> tuple[Frame, Frame]:
    """Frames between which an element's coordinate is measured."""
    holder = element if isinstance(element, Spring) else model.joints[element.joint]
    return holder.frame_a, holder.frame_b
