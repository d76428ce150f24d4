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
from grouser.model.rotation import quaternion_to_matrix
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
            return (
                np.array([names[f.body] for f in frames], dtype=int),
                np.array([f.position for f in frames], dtype=float).reshape(-1, 3) - np.reshape(coms, (-1, 3)),
                np.array([quaternion_to_matrix(f.orientation) for f in frames]).reshape(-1, 3, 3),
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
        x, v, a : centres of mass, world axes (..., n + 1, 3), of one frame or of many
        R : body to world (..., n + 1, 3, 3)
        w, dw : angular velocity and its rate, body axes (..., n + 1, 3)
        """
        turn = _make_skew(w)
        dR, ddR = R @ turn, R @ (_make_skew(dw) + turn @ turn)  # (3)
        moved = ((x, R), (v, dR), (a, ddR))
        e, de, dde = (_move(o, r, self._body_b, self._p_b) - _move(o, r, self._body_a, self._p_a) for o, r in moved)
        n, dn, ddn = (rotation[..., self._body_a, :, :] @ self._axes_a for _, rotation in moved)
        m, dm, ddm = (rotation[..., self._body_b, :, :] @ self._axes_b for _, rotation in moved)

        def project(axes: Array, vector: Array) -> Array:
            return np.matmul(vector[..., None, :], axes)[..., 0, :]

        def pair_up(first: Array, second: Array) -> Array:
            return np.sum(first[..., AXES_A] * second[..., AXES_B], axis=-2)

        phi = (project(n, e), pair_up(n, m))  # (1), (2)
        rate = (project(n, de) + project(dn, e), pair_up(dn, m) + pair_up(n, dm))
        second = (
            project(n, dde) + 2.0 * project(dn, de) + project(ddn, e),
            pair_up(ddn, m) + 2.0 * pair_up(dn, dm) + pair_up(n, ddm),
        )
        if len(self._rods):  # (4)
            e, de, dde = (vector[..., self._rods, :] for vector in (e, de, dde))
            length = np.linalg.norm(e, axis=-1)
            along = np.sum(e * de, axis=-1) / length
            phi[0][..., self._rods, 0] = length - self._lengths
            rate[0][..., self._rods, 0] = along
            second[0][..., self._rods, 0] = (np.sum(e * dde, axis=-1) + np.sum(de * de, axis=-1) - along**2) / length
        return tuple(np.concatenate(level, axis=-1) * self._held for level in (phi, rate, second))

    def calc_violation(self, x: Array, R: Array, v: Array, w: Array, a: Array, dw: Array) -> Violation:
        """Largest violation at states with their accelerations; arguments as in `calc_rows`."""
        rows = self.calc_rows(x, R, v, w, a, dw)
        return Violation(*(float(np.abs(level).max(initial=0.0)) for level in rows))


def _make_skew(w: Array) -> Array:
    """Matrices (..., 3, 3) of the cross products w x."""
    skew = np.zeros((*w.shape, 3))
    for k, (i, j) in enumerate(((2, 1), (0, 2), (1, 0))):
        skew[..., i, j], skew[..., j, i] = w[..., k], -w[..., k]
    return skew


def _move(origin: Array, rotation: Array, body: Array, p: Array) -> Array:
    """Points p of bodies: origin + rotation p."""
    return origin[..., body, :] + np.matmul(rotation[..., body, :, :], p[..., None])[..., 0]
