"""Height and unit normal of the terrain at a point (x, y).

    penetration of a point p:  d = (h(x, y) - p_z) n_z                                    (1)

which is the distance to the tangent plane: exact for planes, second order in d for curved ground.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from grouser.kernels._jit import kernel
from grouser.kernels.kinds import TERRAIN_NONE, TERRAIN_PLANE, TERRAIN_PROFILE
from grouser.kernels.signal import calc_table


@kernel(inline=True)
def calc_height(table, x, y):
    """Height [m] and unit normal of the terrain at (x, y)."""
    kind = table.kind[0]
    if kind == TERRAIN_PLANE:
        px, py, pz = table.plane[0], table.plane[1], table.plane[2]
        nx, ny, nz = table.plane[3], table.plane[4], table.plane[5]
        return pz - (nx * (x - px) + ny * (y - py)) / nz, nx, ny, nz
    if kind == TERRAIN_PROFILE:
        height, slope = calc_table(table.profile, 0, table.profile.shape[0], x)
        inverse = 1.0 / sqrt(1.0 + slope * slope)
        return height, -slope * inverse, 0.0, inverse
    rows, columns = table.height.shape
    u = (x - table.grid[0]) / table.grid[2]
    s = (y - table.grid[1]) / table.grid[3]
    inside_x = 1.0 if 0.0 <= u <= rows - 1 else 0.0
    inside_y = 1.0 if 0.0 <= s <= columns - 1 else 0.0
    u = min(max(u, 0.0), rows - 1.0)
    s = min(max(s, 0.0), columns - 1.0)
    i, j = min(int(u), rows - 2), min(int(s), columns - 2)
    u, s = u - i, s - j
    h00, h10 = table.height[i, j], table.height[i + 1, j]
    h01, h11 = table.height[i, j + 1], table.height[i + 1, j + 1]
    slope_x = inside_x * ((h10 - h00) * (1.0 - s) + (h11 - h01) * s) / table.grid[2]
    slope_y = inside_y * ((h01 - h00) * (1.0 - u) + (h11 - h10) * u) / table.grid[3]
    height = h00 * (1.0 - u) * (1.0 - s) + h10 * u * (1.0 - s) + h01 * (1.0 - u) * s + h11 * u * s
    inverse = 1.0 / sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
    return height, -slope_x * inverse, -slope_y * inverse, inverse


@kernel(inline=True)
def calc_depth(table, x, y, z):
    """Penetration (1) of a point, and the unit normal there."""
    if table.kind[0] == TERRAIN_PLANE:
        nx, ny, nz = table.plane[3], table.plane[4], table.plane[5]
        return nx * (table.plane[0] - x) + ny * (table.plane[1] - y) + nz * (table.plane[2] - z), nx, ny, nz
    height, nx, ny, nz = calc_height(table, x, y)
    return (height - z) * nz, nx, ny, nz


@kernel(entry=True)
def calc_heights(table, points, height_out, normal_out, friction_out):
    """Height, normal and friction factor at many points (n, 2)."""
    for i in range(points.shape[0]):
        height, nx, ny, nz = calc_height(table, points[i, 0], points[i, 1])
        height_out[i] = height
        normal_out[i, 0], normal_out[i, 1], normal_out[i, 2] = nx, ny, nz
        friction_out[i] = table.friction[0]


@kernel(inline=True)
def calc_gap_bound(table, x, y, z):
    """Lower bound of the distance from a point to the terrain [m]: exact for a plane, the height above the
    highest point otherwise."""
    if table.kind[0] == TERRAIN_PLANE:
        return (
            table.plane[3] * (x - table.plane[0])
            + table.plane[4] * (y - table.plane[1])
            + table.plane[5] * (z - table.plane[2])
        )
    if table.kind[0] == TERRAIN_NONE:
        return np.inf
    return z - table.highest[0]
