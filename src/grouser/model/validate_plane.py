"""Faults of a model that says that all its motion is in the x-z plane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from grouser.families.joint.spec import Joint
from grouser.model.body import WORLD, Body, Frame, make_inertia_matrix
from grouser.model.contact import Sprocket, Toothed, Wheel
from grouser.model.fault import Fault, Path, make_fault
from grouser.model.force import Applied, Spring
from grouser.model.rotation import quaternion_to_matrix
from grouser.model.terrain import Grid, Plane

if TYPE_CHECKING:
    from grouser.model.model import Model

OUT = 1e-6
"""Largest share of a direction, or of an inertia, that may be out of the plane: rounding of a file's digits."""
_ACROSS, _WITHIN, _ANY = "across", "within", "any"
_AXES = {"revolute": _ACROSS, "planar": _ACROSS, "prismatic": _WITHIN, "fixed": _ANY, "distance": _ANY, "free": _ANY}
"""How the z axis of a joint lies to the plane; joints that are not here leave it."""
_REMEDY = "put it right, or leave out 'planar'"


def find_plane_faults(model: Model) -> Iterator[Fault]:
    """What would leave the plane, each element by name."""
    if not model.planar:
        return
    if abs(model.gravity[1]) > OUT * np.linalg.norm(model.gravity):
        yield make_fault(("gravity",), f"has y = {model.gravity[1]:g} m/s^2, out of the plane of motion; {_REMEDY}")
    for name, body in model.bodies.items():
        yield from _find_body_faults(("bodies", name), body)
    for name, point in model.points.items():
        if abs(point.velocity[1]) > OUT:
            yield make_fault(("points", name), f"starts with a motion out of the plane: velocity y; {_REMEDY}")
    for name in model.meshes:
        yield make_fault(("meshes", name), "is a mesh, which knows motion in space only; leave out 'planar'")
    known = {*model.bodies, WORLD}
    for name, joint in model.joints.items():
        if {joint.frame_a.body, joint.frame_b.body} <= known:
            yield from _find_joint_faults(("joints", name), joint, model)
    for name, force in model.forces.items():
        path: Path = ("forces", name)
        if isinstance(force, Spring) and {force.frame_a.body, force.frame_b.body} <= known:
            a, b = (_find_place(frame, model)[1] for frame in (force.frame_a, force.frame_b))
            if abs(a - b) > OUT:
                yield make_fault(path, f"pulls out of the plane: its ends are at y = {a:g} and {b:g} m; {_REMEDY}")
        if isinstance(force, Applied) and (force.axes == "world"):
            out = {"force y": force.force[1], "torque x": force.torque[0], "torque z": force.torque[2]}
            for part, value in out.items():
                if value != 0.0:
                    yield make_fault(path, f"{part} is {value!r}, out of the plane of motion; {_REMEDY}")
        if force.type in ("tyre", "powertrain", "track_powertrain", "brake"):
            kind = force.type.replace("_", " ")
            yield make_fault(path, f"is a {kind}, which knows motion in space only; leave out 'planar'")
    for name, shape in model.shapes.items():
        if isinstance(shape, Wheel | Sprocket | Toothed) and shape.body in known:
            axis = _find_axes(shape.body, model) @ np.array(shape.axis)
            if np.linalg.norm(axis[[0, 2]]) > OUT * np.linalg.norm(axis):
                yield make_fault(("shapes", name, "axis"), f"is not along y, across the plane of motion; {_REMEDY}")
    yield from _find_terrain_faults(model)


def _find_body_faults(path: Path, body: Body) -> Iterator[Fault]:
    R = quaternion_to_matrix(body.orientation)
    w = R @ np.array(body.angular_velocity)
    if abs(body.velocity[1]) > OUT or np.abs(w[[0, 2]]).max() > OUT:
        yield make_fault(path, f"starts with a motion out of the plane: velocity y or turning about x or z; {_REMEDY}")
    inertia = R @ make_inertia_matrix(body.inertia) @ R.T
    if np.abs(inertia[1, [0, 2]]).max() > OUT * inertia[1, 1]:
        yield make_fault((*path, "inertia"), f"y is not a principal axis, so it would tilt as it turns; {_REMEDY}")


def _find_joint_faults(path: Path, joint: Joint, model: Model) -> Iterator[Fault]:
    if joint.type not in _AXES:
        yield make_fault((*path, "type"), f"is {joint.type!r}, which leaves the plane; use a revolute about y")
        return
    axis = (_find_axes(joint.frame_a.body, model) @ quaternion_to_matrix(joint.frame_a.orientation))[:, 2]
    across = abs(axis[1])
    if _AXES[joint.type] == _ACROSS and np.linalg.norm(axis[[0, 2]]) > OUT:
        yield make_fault(path, f"its axis is {_say(axis)}, not along y, across the plane of motion; {_REMEDY}")
    if _AXES[joint.type] == _WITHIN and across > OUT:
        yield make_fault(path, f"its axis is {_say(axis)}, out of the plane of motion; {_REMEDY}")
    if joint.type == "distance":
        a, b = (_find_place(frame, model)[1] for frame in (joint.frame_a, joint.frame_b))
        if abs(a - b) > OUT:
            yield make_fault(path, f"its ends are at y = {a:g} and {b:g} m, not in one plane; {_REMEDY}")


def _find_terrain_faults(model: Model) -> Iterator[Fault]:
    terrain = model.terrain
    if isinstance(terrain, Plane) and abs(terrain.normal[1]) > OUT * np.linalg.norm(terrain.normal):
        yield make_fault(("terrain", "normal"), f"has y = {terrain.normal[1]:g}, out of the plane of motion; {_REMEDY}")
    if isinstance(terrain, Grid) and any(max(row) - min(row) > OUT for row in terrain.heights if row):
        yield make_fault(("terrain", "heights"), f"differ across the plane of motion; use a profile, or {_REMEDY}")


def _find_axes(body: str, model: Model) -> np.ndarray:
    return np.eye(3) if body == WORLD else quaternion_to_matrix(model.bodies[body].orientation)


def _find_place(frame: Frame, model: Model) -> np.ndarray:
    """A frame's origin in the world [m]."""
    origin = (0.0, 0.0, 0.0) if frame.body == WORLD else model.bodies[frame.body].position
    return np.array(origin) + _find_axes(frame.body, model) @ np.array(frame.position)


def _say(axis: np.ndarray) -> str:
    return f"[{', '.join(f'{value:.3g}' for value in np.round(axis, 9) + 0.0)}]"
