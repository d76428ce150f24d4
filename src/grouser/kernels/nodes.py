"""Rows of nodes, and their places in vectors of velocities.

Arrays by node have the rows

    world | rigid bodies | markers | points | carried points

and those of rotations, angular velocities and torques end with the markers: these rows have a frame. Vectors u of
velocities (rates and increments likewise) have six numbers for each row with a frame, (v world axes, w body axes), and
behind them three for each point that is not carried, v. Markers and carried points follow other nodes
(`grouser.kernels.carried`); a fixed point is carried by the world. Their numbers, and those of the world, are no
unknowns.

How many rows there are of each is told by the arrays: `inertia` of the node table ends with the bodies, R and `across`
of the node table with the markers, `mass` of the node table with the points that move, x with the last row.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.block_ldl import BLOCK, HALF_DIAGONAL

FRAME_SIZE, POINT_SIZE = 6, 3
"""Numbers of a row with a frame, and of a point."""


@kernel(inline=True)
def find_point_start(frames, i):
    """Where the numbers of the point in row i begin, behind those of so many rows with frames."""
    return FRAME_SIZE * frames + POINT_SIZE * (i - frames)


@kernel(inline=True)
def find_point_block(frames, i):
    """Where the block of the point in row i begins among those of the sparse system: two points share a block."""
    pair, second = (i - frames) // 2, (i - frames) % 2
    return BLOCK * (frames + pair) + HALF_DIAGONAL * second


@kernel(inline=True)
def find_owner(frames, j):
    """Row to which the number j of a vector belongs."""
    if j < FRAME_SIZE * frames:
        return j // FRAME_SIZE
    return frames + (j - FRAME_SIZE * frames) // POINT_SIZE


@kernel(inline=True)
def read_point(body, u, i):
    """The three numbers of the point in row i of a vector; nothing of one that is carried."""
    if i >= body.mass.shape[0]:
        return 0.0, 0.0, 0.0
    o = find_point_start(body.across.shape[0], i)
    return u[o], u[o + 1], u[o + 2]


@kernel(inline=True)
def add_row(x, y, z, row_out):
    """Add a vector to the first three numbers of a row."""
    row_out[0] += x
    row_out[1] += y
    row_out[2] += z


@kernel
def calc_gathered(body, v, w, u_out):
    """Velocities of all nodes in one vector."""
    frames = w.shape[0]
    for i in range(1, frames):
        for k in range(3):
            u_out[FRAME_SIZE * i + k] = v[i, k]
            u_out[FRAME_SIZE * i + 3 + k] = w[i, k]
    for i in range(frames, body.mass.shape[0]):
        o = find_point_start(frames, i)
        for k in range(3):
            u_out[o + k] = v[i, k]
