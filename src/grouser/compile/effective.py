"""Effective masses at a joint: how much resists a push between its two bodies.

A unit impulse between the bodies changes the relative velocity of the joint by G M^-1 G^T; the inverse of its largest
eigenvalue is the least effective mass in any direction. Used to scale stiffness to what a step can bear.
"""

from __future__ import annotations

import numpy as np

from grouser.compile.layout import Layout
from grouser.compile.tables import NodeTable
from grouser.model.body import WORLD, Frame, make_inertia_matrix
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix

Array = np.ndarray


def make_nodes(model: Model, layout: Layout) -> tuple:
    """The node table."""
    bodies = list(model.bodies.values())
    inertia = np.array([make_inertia_matrix(body.inertia) for body in bodies]).reshape(-1, 3, 3)
    world = np.zeros((1, 3, 3))
    points, masses = layout.point_data, [body.mass for body in bodies]
    upright = (0.0, 1.0, 0.0)
    across = [quaternion_to_matrix(body.orientation)[1] for body in bodies]
    return NodeTable(
        mass=np.concatenate([[0.0], masses, np.zeros(len(layout.markers)), points.mass[: points.free_count]]),
        inertia=np.concatenate([world, inertia]),
        inertia_inverse=np.concatenate([world, np.linalg.inv(inertia)]),
        gravity=np.array(model.gravity, dtype=float),
        is_planar=np.array([model.planar], dtype=np.int64),
        across=np.array([upright, *across, *[upright] * len(layout.markers)]),
    )


def calc_effective_masses(model: Model, frame_a: Frame, frame_b: Frame) -> tuple[float, float, float, float]:
    """Least effective mass [kg] against translation, least effective inertia [kg m^2] against rotation, and both
    along the z axis of frame a alone."""
    translation, rotation = np.zeros((3, 3)), np.zeros((3, 3))
    axis = np.zeros(3)
    for frame in (frame_a, frame_b):
        turned = quaternion_to_matrix(frame.orientation)[:, 2]
        if frame.body == WORLD:
            axis = turned if frame is frame_a else axis
            continue
        body = model.bodies[frame.body]
        R = quaternion_to_matrix(body.orientation)
        axis = R @ turned if frame is frame_a else axis
        lever = R @ (np.array(frame.position) - np.array(body.com))
        mobility = R @ np.linalg.inv(make_inertia_matrix(body.inertia)) @ R.T
        x, y, z = lever
        skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        translation += np.eye(3) / body.mass - skew @ mobility @ skew
        rotation += mobility
    return (
        1.0 / float(np.linalg.eigvalsh(translation)[-1]),
        1.0 / float(np.linalg.eigvalsh(rotation)[-1]),
        1.0 / float(axis @ translation @ axis),
        1.0 / float(axis @ rotation @ axis),
    )
