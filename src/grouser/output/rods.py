"""Rods of distance joints: thin bars that are no bodies, with a pose of their own in every frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grouser.model.body import WORLD, Frame
from grouser.model.start import calc_rod_length
from grouser.output.mesh import Array, Mesh, make_mesh, make_rod
from grouser.output.shapes import STEEL

if TYPE_CHECKING:
    from grouser.families.joint.spec import Joint
    from grouser.model.model import Model

SLIM = 0.02
"""Radius of a rod over its length."""


def make_rod_meshes(model: Model) -> dict[str, Mesh]:
    """What the rods of a model look like, each from the origin along z, by the names of their joints."""
    meshes = {}
    for name, joint in _find_rods(model).items():
        length = calc_rod_length(model, joint)
        meshes[name] = make_mesh(name, [(make_rod((0, 0, 0), (0, 0, length), SLIM * length), STEEL)])
    return meshes


def calc_rod_poses(model: Model, position: Array, quaternion: Array) -> tuple[Array, Array]:
    """Positions (frames, rods, 3) of the ends of rods on their frames a [m], and quaternions to the world
    (frames, rods, 4).

    Parameters
    ----------
    position : of bodies and points, (frames, bodies, 3) [m]
    quaternion : likewise, x, y, z, w, (frames, bodies, 4)
    """
    joints = _find_rods(model)
    index = {name: i for i, name in enumerate([*model.bodies, *model.points])}
    shape = (len(position), len(joints))
    places, turns = np.zeros((*shape, 3)), np.zeros((*shape, 4))

    def find_points(frame: Frame) -> Array:
        if frame.body == WORLD:
            return np.tile(np.array(frame.position), (len(position), 1))
        i = index[frame.body]
        return position[:, i] + _turn(quaternion[:, i], np.array(frame.position))

    for k, joint in enumerate(joints.values()):
        a, b = find_points(joint.frame_a), find_points(joint.frame_b)
        along = (b - a) / np.linalg.norm(b - a, axis=1, keepdims=True)
        turn = np.column_stack([-along[:, 1], along[:, 0], np.zeros(len(a)), 1.0 + along[:, 2]])
        turn[turn[:, 3] < 1e-9] = (1.0, 0.0, 0.0, 0.0)  # half a turn, about any axis normal to z
        places[:, k], turns[:, k] = a, turn / np.linalg.norm(turn, axis=1, keepdims=True)
    return places, turns


def _find_rods(model: Model) -> dict[str, Joint]:
    """Distance joints between bodies, points and the world; meshes have no poses."""
    known = {WORLD, *model.bodies, *model.points}
    return {
        name: joint
        for name, joint in model.joints.items()
        if joint.type == "distance" and {joint.frame_a.body, joint.frame_b.body} <= known
    }


def _turn(quaternion: Array, point: Array) -> Array:
    """A point of a body, turned by quaternions (frames, 4)."""
    axis, w = quaternion[:, :3], quaternion[:, 3:]
    cross = np.cross(axis, point)
    return point + 2.0 * (w * cross + np.cross(axis, cross))
