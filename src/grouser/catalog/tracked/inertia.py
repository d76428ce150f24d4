"""Inertia tensors: turned, mirrored and put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import hypot

import numpy as np

from grouser.catalog.tracked.clearance import Array
from grouser.catalog.tracked.parts import RoadArms
from grouser.model.base import Vec3
from grouser.model.body import Moments, make_inertia_matrix


@dataclass(frozen=True)
class Lump:
    """A rigid part to be added to another.

    Attributes
    ----------
    mass : [kg]
    com : centre of mass [m]
    inertia : about it [kg m^2]
    """

    mass: float
    com: Vec3
    inertia: Moments


def mirror_inertia(inertia: Moments) -> Moments:
    """Inertia of the mirror image about the x-z plane.

    >>> mirror_inertia((3.0, 4.0, 5.0, 0.1, 0.2, 0.3))
    (3.0, 4.0, 5.0, -0.1, 0.2, -0.3)
    """
    if len(inertia) == 3:
        return inertia
    xx, yy, zz, xy, xz, yz = inertia
    return xx, yy, zz, -xy, xz, -yz


def calc_arm_inertia(arms: RoadArms) -> Moments:
    """Inertia of a road arm in the vehicle's axes, design position [kg m^2]."""
    if arms.axes == "vehicle":
        return arms.inertia
    # x from the pivot to the wheel, y left, z = x cross y = (-s, 0, c)
    length = hypot(arms.pivot[0], arms.pivot[2])
    c, s = -arms.pivot[0] / length, -arms.pivot[2] / length
    turn = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
    return _as_moments(turn @ make_inertia_matrix(arms.inertia) @ turn.T)


def join_lumps(lumps: Iterable[Lump]) -> Lump:
    """One rigid part made of several.

    Inertia moves from a centre of mass to a point at -d from it by m (d.d 1 - d d^T).
    """
    lumps = list(lumps)
    mass = sum(lump.mass for lump in lumps)
    com = sum((lump.mass * np.array(lump.com) for lump in lumps), np.zeros(3)) / mass
    total = np.zeros((3, 3))
    for lump in lumps:
        d = np.array(lump.com) - com
        total += make_inertia_matrix(lump.inertia) + lump.mass * (d @ d * np.eye(3) - np.outer(d, d))
    x, y, z = (float(value) for value in com)
    return Lump(mass, (x, y, z), _as_moments(total))


def _as_moments(matrix: Array) -> Moments:
    xx, yy, zz, xy, xz, yz = (float(matrix[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    return xx, yy, zz, xy, xz, yz
