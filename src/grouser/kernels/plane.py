"""Motion in the x-z plane by formulations that know three dimensions.

Rounding leaves parts of rates that are out of the plane, and where nothing but the plane holds a body, they grow: a
track leaves its wheels within seconds. A body that starts in the plane stays there exactly if its rates are in it. With
n the y axis of the world in the axes of the body, which turns about it,

    a_y = 0,      dw = (n . dw) n                                                                  (1)

A rotation matrix still walks away by the rounding of its products, unless y is an axis of the body. That is taken back
where R n = m is not y, at the end of a frame:

    R <- R + (m x y) x R                                                                           (2)

Along a tree it is the joints that hold the plane; bodies without one have a joint that does (`compile/tree.py`).
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.nodes import find_point_start
from grouser.kernels.rotation import add_orthonormality
from grouser.kernels.spatial import cross, rotate


@kernel
def calc_in_plane(body, u_out):
    """(1) for rates, velocities or increments of all nodes; nothing where motion is in space."""
    if body.is_planar[0] == 0:
        return
    for i in range(1, body.inertia.shape[0]):
        o, n = 6 * i, body.across[i]
        along = n[0] * u_out[o + 3] + n[1] * u_out[o + 4] + n[2] * u_out[o + 5]
        u_out[o + 1] = 0.0
        u_out[o + 3], u_out[o + 4], u_out[o + 5] = along * n[0], along * n[1], along * n[2]
    frames = body.across.shape[0]
    for i in range(frames, body.mass.shape[0]):
        u_out[find_point_start(frames, i) + 1] = 0.0


@kernel
def add_uprightness(body, R_out):
    """(2) for all bodies, column by column; nothing where motion is in space."""
    if body.is_planar[0] == 0:
        return
    for i in range(1, body.inertia.shape[0]):
        mx, _, mz = rotate(R_out, i, body.across[i, 0], body.across[i, 1], body.across[i, 2])
        for c in range(3):
            dx, dy, dz = cross(-mz, 0.0, mx, R_out[i, 0, c], R_out[i, 1, c], R_out[i, 2, c])
            R_out[i, 0, c] += dx
            R_out[i, 1, c] += dy
            R_out[i, 2, c] += dz


@kernel(stage=True)
def add_exactness(body, R_out):
    """Remove what rounding has added to the rotations of all bodies."""
    add_orthonormality(R_out)
    add_uprightness(body, R_out)
