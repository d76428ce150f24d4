"""How far joints are from holding what they should hold: at the level of positions, velocities and accelerations.

Every joint has up to six held rows, seen from frame a. With e the gap from frame a to frame b, n an axis of a, h an
axis of a and j an axis of b that should stay normal to each other, all in world axes:

    translation   phi = n.e      d phi = n.de + dn.e       dd phi = n.dde + 2 dn.de + ddn.e                        (1)
    rotation      phi = h.j      d phi = dh.j + h.dj       dd phi = ddh.j + 2 dh.dj + h.ddj                        (2)

With w and dw the angular velocity of a body and its rate, both in body axes,

    dR = R skew(w)      ddR = R (skew(dw) + skew(w)^2)                                                             (3)

so that an axis n = R n_B has dn = dR n_B, ddn = ddR n_B, and a point at p_B from the centre of mass has the position
x + R p_B, the velocity v + dR p_B and the acceleration a + ddR p_B.

A distance joint of the length L has in place of its first row

    phi = |e| - L      d phi = e.de/|e|      dd phi = (e.dde + de.de - (d phi)^2)/|e|                              (4)

This is kinematics of the model alone. It knows no solver, so it judges all of them alike: joints by penalty open under
load, ideal joints hold phi = d phi = dd phi = 0 up to the tolerances of their solver.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grouser.model.body import WORLD, Frame
from grouser.model.joint import HELD_ROWS
from grouser.model.model import Model
from grouser.model.rotation import (
    dot_all,
    multiply_all,
    put_first,
    put_last,
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
    """The held rows of all joints of a model. Bodies are in the order of the model, the world is the last row."""

    def __init__(self, model: Model) -> None:
        names = {name: index for index, name in enumerate([*model.bodies, WORLD])}
        joints = [joint for joint in model.joints.values() if joint.type != "free"]

        def place(frames: list[Frame]) -> tuple[Array, Array, Array]:
            coms = [model.bodies[f.body].com if f.body != WORLD else (0.0, 0.0, 0.0) for f in frames]
            places = np.array([f.position for f in frames], dtype=float).reshape(-1, 3) - np.reshape(coms, (-1, 3))
            axes = np.array([quaternion_to_matrix(f.orientation) for f in frames]).reshape(-1, 3, 3)
            return (
                np.array([names[f.body] for f in frames], dtype=int),
                put_first(places),
                put_matrices_first(axes),
            )

        self._body_a, self._p_a, self._axes_a = place([joint.frame_a for joint in joints])
        self._body_b, self._p_b, self._axes_b = place([joint.frame_b for joint in joints])
        held = np.array([HELD_ROWS[joint.type] for joint in joints], dtype=bool).reshape(-1, 6)
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
        turn = _make_skew(w)
        dR, ddR = multiply_all(R, turn), multiply_all(R, _make_skew(dw) + multiply_all(turn, turn))  # (3)
        gaps, axes_a, axes_b = [], [], []
        for origin, rotation in ((x, R), (v, dR), (a, ddR)):
            rotation_a, rotation_b = (np.take(rotation, body, axis=-1) for body in (self._body_a, self._body_b))
            origin_a, origin_b = (np.take(origin, body, axis=-1) for body in (self._body_a, self._body_b))
            gaps.append(origin_b + turn_all(rotation_b, self._p_b) - origin_a - turn_all(rotation_a, self._p_a))
            axes_a.append(multiply_all(rotation_a, self._axes_a))
            axes_b.append(multiply_all(rotation_b, self._axes_b))
        (e, de, dde), (n, dn, ddn), (m, dm, ddm) = gaps, axes_a, axes_b
        phi = (turn_all_back(n, e), _pair_up(n, m))  # (1), (2)
        rate = (turn_all_back(n, de) + turn_all_back(dn, e), _pair_up(dn, m) + _pair_up(n, dm))
        second = (
            turn_all_back(n, dde) + 2.0 * turn_all_back(dn, de) + turn_all_back(ddn, e),
            _pair_up(ddn, m) + 2.0 * _pair_up(dn, dm) + _pair_up(n, ddm),
        )
        if len(self._rods):  # (4)
            e, de, dde = (vector[..., self._rods] for vector in (e, de, dde))
            length = np.sqrt(dot_all(e, e))
            along = dot_all(e, de) / length
            phi[0][0][..., self._rods] = length - self._lengths
            rate[0][0][..., self._rods] = along
            second[0][0][..., self._rods] = (dot_all(e, dde) + dot_all(de, de) - along**2) / length
        return tuple(put_last(np.concatenate(level)) * self._held for level in (phi, rate, second))

    def calc_violation(self, x: Array, R: Array, v: Array, w: Array, a: Array, dw: Array) -> Violation:
        """Largest violation at states with their accelerations; arguments as in `calc_rows`."""
        rows = self.calc_rows(x, R, v, w, a, dw)
        return Violation(*(float(np.abs(level).max(initial=0.0)) for level in rows))


def _make_skew(w: Array) -> Array:
    """Matrices (3, 3, ...) of the cross products w x."""
    x, y, z = w
    zero = np.zeros_like(x)
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]])


def _pair_up(first: Array, second: Array) -> Array:
    """Products of the axes that should be normal to each other (3, ...)."""
    return np.stack([dot_all(first[:, i], second[:, j]) for i, j in zip(AXES_A, AXES_B, strict=True)])
