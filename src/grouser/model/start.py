"""The start of a run: what is wrong although every element by itself is right.

A joint holds its frames together from the first step on, so frames that lie apart are torn together by the full
stiffness of the joint. A signal that has no value at some time of the run stops it there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from grouser.families.joint.spec import HELD_ROWS, Joint
from grouser.mesh.make import find_mesh_warnings, make_mesh_data
from grouser.model.body import WORLD, Frame
from grouser.model.carrier import attach, does_turn, split_node
from grouser.model.expression import calc_values, parse_expression
from grouser.model.fault import Fault, Path, make_fault, say_value
from grouser.model.rotation import quaternion_to_matrix
from grouser.model.signal import list_signals
from grouser.model.validate_surface import find_surface_warnings

if TYPE_CHECKING:
    from grouser.model.model import Model

OPEN, TOO_OPEN = 1e-6, 1e-3
"""A joint whose frames lie further apart than the first is told, further than the second refused [m, rad]."""
SAMPLES = 1000
"""Intervals of a run at whose ends signals are looked at."""


def find_start_faults(model: Model, duration: float) -> tuple[list[Fault], list[Fault]]:
    """What stands against a run of a model over a duration [s], and what should be known of it: faults and warnings."""
    faults: list[Fault] = []
    warnings: list[Fault] = []
    for name, mesh in model.meshes.items():
        warnings += find_mesh_warnings(mesh, ("meshes", name))
    warnings += find_surface_warnings(model)
    for name, joint in model.joints.items():
        gap, turn = calc_joint_gap(model, joint)
        if max(gap, turn) > OPEN:
            found = faults if max(gap, turn) > TOO_OPEN else warnings
            found.append(_say_gap(name, joint, gap, turn))
    times = np.linspace(0.0, duration, SAMPLES + 1)
    for path, text in _find_expressions(model):
        values = calc_values(parse_expression(text), times)
        if not np.isfinite(values).all():
            first = int(np.argmin(np.isfinite(values)))
            faults.append(
                make_fault(
                    path,
                    f"expression {say_value(text)} is {values[first]} at t = {times[first]:g} s; it must be finite "
                    f"during the whole run of {duration:g} s",
                )
            )
    return faults, warnings


def calc_world_frame(model: Model, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """Position and axes of a frame in the world, in the initial state."""
    p, axes = np.array(frame.position), quaternion_to_matrix(frame.orientation)
    if frame.body == WORLD:
        return p, axes
    if frame.body in model.points:
        return np.array(model.points[frame.body].position) + p, axes
    if frame.body in model.meshes:
        return attach(model, frame).place, quaternion_to_matrix(model.meshes[frame.body].orientation) @ axes
    node = None if frame.body in model.bodies else split_node(model, frame.body)
    if node is not None:
        return make_mesh_data(model.meshes[node[0]]).nodes[node[1]] + p, axes
    body = model.bodies[frame.body]
    R = quaternion_to_matrix(body.orientation)
    return np.array(body.position) + R @ p, R @ axes


def calc_distance(model: Model, joint: Joint) -> float:
    """Distance of the origins of a joint's frames in the initial state [m]."""
    return float(np.linalg.norm(calc_world_frame(model, joint.frame_b)[0] - calc_world_frame(model, joint.frame_a)[0]))


def calc_rod_length(model: Model, joint: Joint) -> float:
    """Length that a distance joint keeps [m]: the given one, or that of the initial state."""
    return calc_distance(model, joint) if joint.length is None else joint.length


def calc_joint_gap(model: Model, joint: Joint) -> tuple[float, float]:
    """How far the frames of a joint lie apart at the start in what it holds: distance [m] and angle [rad]."""
    if joint.type == "distance":
        return abs(calc_distance(model, joint) - calc_rod_length(model, joint)), 0.0
    p_a, axes_a = calc_world_frame(model, joint.frame_a)
    p_b, axes_b = calc_world_frame(model, joint.frame_b)
    held = np.array(HELD_ROWS[joint.type]) * ([1, 1, 1] + 3 * [int(does_turn(model, joint.frame_b))])
    gap = float(np.linalg.norm(held[:3] * (axes_a.T @ (p_b - p_a))))
    m = axes_a.T @ axes_b
    if joint.type == "universal":
        return gap, abs(math.asin(max(-1.0, min(1.0, m[0, 1]))))
    tilt = math.atan2(math.hypot(m[0, 2], m[1, 2]), m[2, 2]) if held[3] else 0.0
    twist = abs(math.atan2(m[1, 0] - m[0, 1], m[0, 0] + m[1, 1])) if held[5] else 0.0
    return gap, max(tilt, twist)


def _say_gap(name: str, joint: Joint, gap: float, turn: float) -> Fault:
    parts = [f"apart by {gap:.3g} m"] if gap > OPEN else []
    parts += [f"turned by {math.degrees(turn):.3g} deg"] if turn > OPEN else []
    return make_fault(
        ("joints", name),
        f"is open at the start: its frames on {joint.frame_a.body!r} and {joint.frame_b.body!r} are "
        f"{' and '.join(parts)} in what a {joint.type} joint holds; move a body or a frame",
    )


def _find_expressions(model: Model) -> Iterator[tuple[Path, str]]:
    """All signals that are given by expressions, with their paths."""
    for path, signal, _ in list_signals(model):
        if isinstance(signal, str):
            yield path, signal
