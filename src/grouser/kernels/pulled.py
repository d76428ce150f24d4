"""Blocks of carried rows, pulled back to the nodes that carry them, in implicit steps.

Elements add their slopes to blocks of the rows that they sit on, which for carried rows (`grouser.kernels.carried`) lie
outside of the matrix that is factored. A carried row moves by

    u_c = sum J_e u_e,   e: nodes that carry it                                           (1)
    point on a body  J = [1  W],  W = -skew(r) R                                          (2)
    marker           J = [s 1; H^-1 skew(g) R^T],  and times (2) where its point is carried (3)

so a block E between the rows a and b becomes J_a^T E J_b between the nodes that carry them, and where both are the same
node, this and its transpose. The change of J with the motion is left out.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.block_ldl import WIDTH
from grouser.kernels.carried import calc_turning
from grouser.kernels.kinds import MARKER_STILL
from grouser.kernels.matrix import arm, matrix, product, transpose
from grouser.kernels.scatter import BOTH, BOTH_FLIPPED, FLIPPED
from grouser.kernels.spatial import rotate

ALONE = -1
"""In the place of an entry of (1): the row is no carried one."""


@kernel
def calc_marker_jacobian(carried, i, k, x, R, J_out):
    """(3) of marker i on its point k."""
    for r in range(6):
        for c in range(6):
            J_out[r, c] = 0.0
    for c in range(3):
        J_out[c, c] = carried.weight[k]
    if carried.turns[i] != MARKER_STILL:
        turned = matrix(R, carried.marker[i], 0, 0)
        g = carried.gradient[k]
        skew = (0.0, -g[2], g[1], g[2], 0.0, -g[0], -g[1], g[0], 0.0)
        B = product(product(calc_turning(carried, i, x, turned), skew), transpose(turned))
        for c in range(9):
            J_out[3 + c // 3, c % 3] = B[c]


@kernel
def calc_point_jacobian(carried, i, R, J_out):
    """(2) of carried point i."""
    body = carried.body[i]
    W = arm(matrix(R, body, 0, 0), *rotate(R, body, carried.p[i, 0], carried.p[i, 1], carried.p[i, 2]))
    for r in range(3):
        for c in range(3):
            J_out[r, c] = 1.0 if r == c else 0.0
            J_out[r, 3 + c] = W[3 * r + c]


@kernel
def calc_jacobians(carried, x, R, pulled_work):
    """All J of (1) that act."""
    J, scratch = pulled_work.jacobian, pulled_work.scratch
    for e in range(J.shape[0]):
        if pulled_work.acts[e] == 0:
            continue
        marker, link, point = pulled_work.entry[e, 0], pulled_work.entry[e, 1], pulled_work.entry[e, 2]
        if marker < 0:
            calc_point_jacobian(carried, point, R, J[e])
            continue
        calc_marker_jacobian(carried, marker, link, x, R, J[e])
        if point >= 0:
            calc_point_jacobian(carried, point, R, scratch[0])
            for r in range(6):
                for c in range(6):
                    total = 0.0
                    for m in range(3):
                        total += J[e, r, m] * scratch[0, m, c]
                    scratch[1, r, c] = total
            for r in range(6):
                for c in range(6):
                    J[e, r, c] = scratch[1, r, c]


@kernel(inline=True)
def calc_pulled(source, pair, sizes, value, J, M_out, half_work):
    """J_a^T E J_b of the block E at `source`; sizes: rows and columns of E, and of what is made of it."""
    left, right = pair[0], pair[1]
    for r in range(sizes[0]):
        for c in range(sizes[3]):
            total = 0.0
            if right == ALONE:
                total = value[source + WIDTH * r + c]
            else:
                for m in range(sizes[1]):
                    total += value[source + WIDTH * r + m] * J[right, m, c]
            half_work[r, c] = total
    for r in range(sizes[2]):
        for c in range(sizes[3]):
            total = 0.0
            if left == ALONE:
                total = half_work[r, c]
            else:
                for m in range(sizes[0]):
                    total += J[left, m, r] * half_work[m, c]
            M_out[r, c] = total


@kernel
def find_acting(value, pulled_work):
    """Which J are asked for: those beside blocks that are not empty, as those of shapes that touch nothing are."""
    pulled = pulled_work
    for e in range(pulled.acts.shape[0]):
        pulled.acts[e] = 0
    source, is_empty = -1, True
    for n in range(pulled.source.shape[0]):
        if pulled.source[n] != source:
            source = pulled.source[n]
            is_empty = True
            for k in range(WIDTH * WIDTH):
                if value[source + k] != 0.0:
                    is_empty = False
        pulled.is_full[n] = 0 if is_empty else 1
        for side in range(2):
            if not is_empty and pulled.pair[n, side] != ALONE:
                pulled.acts[pulled.pair[n, side]] = 1


@kernel(stage=True, rows="carried.row")
def pull_blocks(carried, x, R, value_out, pulled_work):
    """Add what all blocks of carried rows are to the nodes that carry them."""
    pulled = pulled_work
    find_acting(value_out, pulled)
    calc_jacobians(carried, x, R, pulled)
    M = pulled.scratch[0]
    for n in range(pulled.source.shape[0]):
        if pulled.is_full[n] == 0:
            continue
        target, stored, sizes = pulled.target[n, 0], pulled.target[n, 1], pulled.sizes[n]
        calc_pulled(pulled.source[n], pulled.pair[n], sizes, value_out, pulled.jacobian, M, pulled.scratch[1])
        is_flipped = stored in (FLIPPED, BOTH_FLIPPED)
        for r in range(sizes[2]):
            for c in range(sizes[3]):
                first, second = (c, r) if is_flipped else (r, c)
                value_out[target + WIDTH * first + second] += M[r, c]
                if pulled.is_own[n] == 1:  # both are the same node
                    value_out[target + WIDTH * c + r] += M[r, c]
                elif stored >= BOTH:
                    value_out[target + 3 * (WIDTH - 1) + WIDTH * second + first] += M[r, c]
