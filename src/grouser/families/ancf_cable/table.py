"""Table of the cables, and how it is made of a reference without stress."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from grouser.families.ancf_cable.layout import (
    AXIAL,
    AXIAL_DELAY,
    BENDING,
    BENDING_DELAY,
    CURVATURE,
    LENGTH,
    PLACES,
    SHAPE_SIZE,
    STRETCH,
)

AncfCableTable = namedtuple("AncfCableTable", ["row", "shape"])
"""row (n, 4) uint32 rows of r, r_x of the first node, then of the second; shape (n, SHAPE_SIZE) constants as `layout`
names them."""
_STRAIGHT = 1e-9
"""Angle between the ends of an element below which it is straight in the reference [rad]."""


def make_ancf_cables(
    nodes: np.ndarray,
    x: np.ndarray,
    length: np.ndarray | float,
    *,
    axial: np.ndarray | float,
    bending: np.ndarray | float,
    axial_delay: np.ndarray | float = 0.0,
    bending_delay: np.ndarray | float = 0.0,
) -> AncfCableTable:
    """Elements with their reference, the shape without stress.

    Parameters
    ----------
    nodes : (n, 2) first of the two rows of each node
    x : (rows, 3) reference: places [m] and gradients, two rows a node
    length : one for all or (n,): how far the coordinate x goes along an element [m]
    axial, bending : E A [N] and E I [N m^2], one for all or (n,)
    axial_delay, bending_delay : damping over stiffness [s]
    """
    nodes, x = np.asarray(nodes), np.asarray(x, dtype=float)
    n = len(nodes)
    shape = np.zeros((n, SHAPE_SIZE))
    for column, values, name, unit, least in (
        (LENGTH, length, "length", "m", np.nextafter(0.0, 1.0)),
        (AXIAL, axial, "axial stiffness", "N", np.nextafter(0.0, 1.0)),
        (BENDING, bending, "bending stiffness", "N m^2", 0.0),
        (AXIAL_DELAY, axial_delay, "delay of stretch", "s", 0.0),
        (BENDING_DELAY, bending_delay, "delay of bending", "s", 0.0),
    ):
        shape[:, column] = values
        for i in np.flatnonzero(~(np.isfinite(shape[:, column]) & (shape[:, column] >= least))):
            rule = "must not be negative" if least == 0.0 else "must be positive"
            raise ValueError(f"element {i} has the {name} {shape[i, column]:g} {unit}: it {rule}")
    e = x[nodes[:, :, None] + np.arange(2)].reshape(n, 4, 3)
    along, change = calc_directions(e, shape[:, LENGTH], np.array(PLACES))
    s = np.linalg.norm(along, axis=2)
    for i in np.flatnonzero(~(s > 0.0).all(axis=1)):
        raise ValueError(f"element {i} has the stretch {s[i].min():g} in its reference: give gradients along its axis")
    curvature = np.linalg.norm(np.cross(along, change), axis=2) / s**3
    curvature[curvature * s * shape[:, [LENGTH]] < _STRAIGHT] = 0.0
    shape[:, STRETCH:CURVATURE], shape[:, CURVATURE:] = s, curvature
    rows = (nodes[:, :, None] + np.arange(2)).reshape(n, 4)
    return AncfCableTable(np.ascontiguousarray(rows, dtype=np.uint32), shape)


def calc_directions(e: np.ndarray, length: np.ndarray, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """r' and r'' (n, k, 3) of coordinates (n, 4, 3) at places (k,) along the axis."""
    k = 1.0 / np.asarray(length, dtype=float)[:, None]
    one = np.ones_like(k)
    bulge, bend = 6.0 * xi * (1.0 - xi) * k, (6.0 - 12.0 * xi) * k**2
    first = [-bulge, one * (1.0 - 4.0 * xi + 3.0 * xi**2), bulge, one * (3.0 * xi**2 - 2.0 * xi)]
    second = [-bend, k * (6.0 * xi - 4.0), bend, k * (6.0 * xi - 2.0)]
    return np.einsum("mnk,nmc->nkc", first, e), np.einsum("mnk,nmc->nkc", second, e)
