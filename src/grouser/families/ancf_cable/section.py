"""Strains and section forces of cables at any point of the axis, without damping, by (3) and (4) of
`grouser.families.ancf_cable.kernel`."""

from __future__ import annotations

import numpy as np

from grouser.families.ancf_cable.layout import AXIAL, BENDING, LENGTH
from grouser.families.ancf_cable.table import AncfCableTable, calc_directions


def calc_cable_section(
    table: AncfCableTable, i: int, e: np.ndarray, reference: np.ndarray, xi: np.ndarray
) -> np.ndarray:
    """Stretch [-], curvature [1/m], axial force [N] and moment [N m] (k, 4) of cable i.

    Parameters
    ----------
    table : the cables
    e, reference : (4, 3) coordinates now, and of the reference
    xi : (k,) places from 0 to 1
    """
    shape = table.shape[i]
    along, change = calc_directions(np.stack([e, reference]), np.full(2, shape[LENGTH]), np.asarray(xi, dtype=float))
    size = np.linalg.norm(along, axis=2)
    stretch = size[0] / size[1] - 1.0
    now, start = np.linalg.norm(np.cross(along, change), axis=2) / size**2 / size[1]
    return np.stack([stretch, now, shape[AXIAL] * stretch, shape[BENDING] * (now - start)], axis=1)
