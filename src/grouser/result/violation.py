"""How far joints are from holding what they should hold: at the level of positions, velocities and accelerations.

Every joint has up to six held rows, seen from frame a. With e the gap from frame a to frame b, n an axis of a, h an
axis of a and j an axis of b that should stay normal to each other, W the angular velocity of a body and A its rate, all
in world axes,

    translation   phi = n.e      d phi = n.(de - W_a x e)                                                          (1)
                                 dd phi = n.(dde - A_a x e - 2 W_a x de + W_a x (W_a x e))
    rotation      phi = h.j      d phi = U.(h x j)                    U = W_a - W_b                                (2)
                                 dd phi = (A_a - A_b - W_a x U).(h x j) + (U.h) (U.j) - (U.U) (h.j)

A point at r from the centre of mass has the position x + r, the velocity v + W x r and the acceleration
a + A x r + W x (W x r). In body axes W is w, and A is dw: the rate of W seen from the body is that seen from the world.

A distance joint of the length L has in place of its first row

    phi = |e| - L      d phi = e.de/|e|      dd phi = (e.dde + de.de - (d phi)^2)/|e|                              (3)

This is kinematics of the model alone. It knows no solver, so it judges all of them alike: joints by penalty open under
load, ideal joints hold phi = d phi = dd phi = 0 up to the tolerances of their solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from grouser.families.joint.spec import HELD_ROWS, Joint
from grouser.model.body import WORLD, Frame
from grouser.model.carrier import carry, does_turn
from grouser.model.model import Model
from grouser.model.rotation import (
    cross_all,
    dot_all,
    multiply_all,
    put_first,
    put_matrices_first,
    quaternion_to_matrix,
    turn_all,
    turn_all_back,
)
from grouser.model.start import calc_rod_length

Array = np.ndarray

X, Y, Z = 0, 1, 2
AXES_A, AXES_B = (Y, X, X), (Z, Z, Y)
"""Axes of a, and axes of b normal to them, that tilt x, tilt y and twist hold."""


class Violation(NamedTuple):
    """Largest violation of any held row.

    Attributes
    ----------
    position : gap [m] or tilt [rad]
    velocity : its rate [m/s] or [rad/s]
    acceleration : its second derivative [m/s^2] or [rad/s^2]
    """

    position: float = 0.0
    velocity: float = 0.0
    acceleration: float = 0.0

    def join(self, other: Violation) -> Violation:
        """The larger of each; what is no number stays."""
        return Violation(*(float(np.maximum(a, b)) for a, b in zip(self, other, strict=True)))


class JointRows:
    """The held rows of all joints of a model. Bodies are in the order of the model, after the world; markers follow.

    Parameters
    ----------
    markers : names of the markers whose motion is given too; joints on others are left out
    """

    def __init__(self, model: Model, markers: Sequence[str] = ()) -> None:
        names = {name: index for index, name in enumerate([WORLD, *model.bodies, *markers])}

        def is_known(joint: Joint) -> bool:
            return all(carry(model, frame).body in names for frame in (joint.frame_a, joint.frame_b))

        found = {name: one for name, one in model.joints.items() if one.type != "free" and is_known(one)}
        joints = list(found.values())

        def place(frames: list[Frame]) -> tuple[Array, Array, Array]:
            frames = [carry(model, frame) for frame in frames]
            coms = [model.bodies[f.body].com if f.body in model.bodies else (0.0, 0.0, 0.0) for f in frames]
            places = np.array([f.position for f in frames], dtype=float).reshape(-1, 3) - np.reshape(coms, (-1, 3))
            axes = np.array([quaternion_to_matrix(f.orientation) for f in frames]).reshape(-1, 3, 3)
            return (
                np.array([names[f.body] for f in frames], dtype=int),
                put_first(places),
                put_matrices_first(axes),
            )

        self.names = tuple(found)
        self._body_a, self._p_a, self._axes_a = place([joint.frame_a for joint in joints])
        self._body_b, self._p_b, self._axes_b = place([joint.frame_b for joint in joints])
        held = np.array([HELD_ROWS[joint.type] for joint in joints], dtype=bool).reshape(-1, 6)
        held[[not does_turn(model, joint.frame_b) for joint in joints], 3:] = False
        held[:, 5] |= np.array([joint.type == "universal" for joint in joints], dtype=bool)
        self._rods = np.array([k for k, joint in enumerate(joints) if joint.type == "distance"], dtype=int)
        self._lengths = np.array([calc_rod_length(model, joints[k]) for k in self._rods], dtype=float)
        held[self._rods, 0] = True
        self._held = held

    def calc_rows(self, x: Array, R: Array, v: Array, w: Array, a: Array, dw: Array) -> tuple[Array, ...]:
        """phi, d phi, dd phi of all rows, each (..., joints, 6); rows that a joint leaves free are zero.

        Parameters
        ----------
        x, v, a : centres of mass, world axes (3, ..., n + 1), of one frame or of many
        R : body to world (3, 3, ..., n + 1)
        w, dw : angular velocity and its rate, body axes (3, ..., n + 1)
        """
        motion = (x, R, v, turn_all(R, w), a, turn_all(R, dw))
        (p_a, v_a, a_a), axes_a, W_a, A_a = _follow(self._body_a, self._p_a, self._axes_a, motion)
        (p_b, v_b, a_b), axes_b, W_b, A_b = _follow(self._body_b, self._p_b, self._axes_b, motion)
        e, de, dde, U = p_b - p_a, v_b - v_a, a_b - a_a, W_a - W_b
        carried = cross_all(W_a, e)
        seen = dde - cross_all(A_a, e) + cross_all(W_a, carried - 2.0 * de)
        levels = [[*turn_all_back(axes_a, gap)] for gap in (e, de - carried, seen)]  # (1)
        V, UU = A_a - A_b - cross_all(W_a, U), dot_all(U, U)
        for i, k in zip(AXES_A, AXES_B, strict=True):  # (2)
            h, j = axes_a[:, i], axes_b[:, k]
            c, cosine = cross_all(h, j), dot_all(h, j)
            second = dot_all(V, c) + dot_all(U, h) * dot_all(U, j) - UU * cosine
            for level, row in zip(levels, (cosine, dot_all(U, c), second), strict=True):
                level.append(row)
        if len(self._rods):  # (3)
            e, de, dde = (vector[..., self._rods] for vector in (e, de, dde))
            length = np.sqrt(dot_all(e, e))
            along = dot_all(e, de) / length
            rods = (length - self._lengths, along, (dot_all(e, dde) + dot_all(de, de) - along**2) / length)
            for level, row in zip(levels, rods, strict=True):
                level[0][..., self._rods] = row
        return tuple(np.stack(level, axis=-1) * self._held for level in levels)

    def calc_gap(self, x: Array, R: Array) -> float:
        """Largest violation of a single state (bodies, components) by its positions [m, rad]."""
        still = np.zeros((3, len(x)))
        return self.calc_violation(put_first(x), put_matrices_first(R), still, still, still, still).position

    def calc_violation(self, x: Array, R: Array, v: Array, w: Array, a: Array, dw: Array) -> Violation:
        """Largest violation at states with their accelerations; arguments as in `calc_rows`."""
        return find_largest(self.calc_rows(x, R, v, w, a, dw))


def find_largest(rows: tuple[Array, ...]) -> Violation:
    """Largest violation of the rows of `JointRows.calc_rows`."""
    return Violation(*(float(np.abs(level).max(initial=0.0)) for level in rows))


def _follow(
    body: Array, p: Array, axes: Array, motion: tuple[Array, ...]
) -> tuple[tuple[Array, Array, Array], Array, Array, Array]:
    """Position, velocity and acceleration of one end of all joints; its axes, its angular velocity and the rate."""
    x, R, v, W, a, A = (np.take(values, body, axis=-1) for values in motion)
    r = turn_all(R, p)
    carried = cross_all(W, r)
    return (x + r, v + carried, a + cross_all(A, r) + cross_all(W, carried)), multiply_all(R, axes), W, A
