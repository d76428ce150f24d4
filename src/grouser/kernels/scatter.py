"""How a force element acts on its bodies: forces, and the blocks of stiffness and damping for linearly implicit steps.

An element between the bodies a and b has deformations e with gradients g, de/dt = g.u on the velocities u = (v world
axes, w body axes) of both, and slopes k = -df/de, c = -df/d(de/dt) of its law. A linearly implicit Euler step h is

    (M + h C + h^2 K) du = h (F - h K u),   K = sum g k g^T,  C = sum g c g^T             (1)

so an element adds (h c + h^2 k) g g^T to the matrix and the forces -h k (g.u) g to the right-hand side. The geometric
part of the slope, force times change of g, is left out: beside the springs it is as small as their deformation is
beside the levers (the tension of a track over the length of a link is soft beside its pins), and under pressure it
would make the matrix indefinite.

All deformations of an element depend on the velocity d of a point of b as seen from a, and on the relative angular
velocity, both in world axes. With r and q the levers of that point from the centres of b and a,

    (d, w) = J_b u_b - J_a u_a,   J_b = [1  W_b; 0  R_b],  W_b = -skew(r) R_b,  W_a = -skew(q) R_a        (2)

With the slopes [S  X; X^T  B] of h c + h^2 k on (d, w), the blocks are J^T [S  X; X^T  B] J:

    P = S W + X R,   T = X^T W + B R                                                      (3)
    (bb) = [S  P_b; P_b^T  W_b^T P_b + R_b^T T_b],   (ab) = -[S  P_b; P_a^T  W_a^T P_b + R_a^T T_b]       (4)

Where the slopes are S = s 1, X = 0 and B = e 1 + sum of sigma n n^T, as of a pin, no matrix has to be multiplied but
E = R_a^T R_b: with vectors in the axes of the bodies, q_a = R_a^T q and so on,

    W_a^T S W_b = s (q.r E - r_a q_b^T),   R_a^T B R_b = e E + sum of sigma n_a n_b^T     (5)

The force that acts in a step is not that of its start. With the accelerations du/h that (1) gives, an element acts on
b, at its point, with

    f - h k (g.u) g - [S  X; X^T  B] (d, w),   (d, w) = J_b du_b/h - J_a du_a/h           (6)

so `note_slopes` keeps the slopes of each element where the forces of a step are to be shown
(`grouser.formulations.acted`).
"""

from __future__ import annotations

from collections import namedtuple

from grouser.kernels._jit import kernel
from grouser.kernels.block_ldl import HALF_DIAGONAL, WIDTH
from grouser.kernels.kinds import LEDGER_NUMERICAL
from grouser.kernels.matrix import apply, arm, dyad, matrix, plus, product, times, transpose, unit
from grouser.kernels.spatial import dot, rotate_back

STORED, FLIPPED, BOTH, BOTH_FLIPPED = 0, 1, 2, 3
"""How the block (a, b) of two nodes is stored: as it is, transposed, and where both are points of one block, whose two
triangles are stored, as it is above the diagonal and transposed below, or the other way round."""
Ends = namedtuple("Ends", ["a", "b", "q", "r"])
"""Where an element acts: its bodies a and b, and the levers q and r of its point from their centres, world axes [m]."""
EvenSlopes = namedtuple("EvenSlopes", ["s", "e", "first", "n", "second", "p"])
"""Slopes of (5): s; e, `first` along the unit vector n, `second` along p."""


@kernel(inline=True)
def add_force(body, r, f, t, f_out, torque_out):
    """Add a force f that acts at the lever r from the centre of a body, and a torque t."""
    rx, ry, rz = r
    fx, fy, fz = f
    tx, ty, tz = t
    f_out[body, 0] += fx
    f_out[body, 1] += fy
    f_out[body, 2] += fz
    torque_out[body, 0] += ry * fz - rz * fy + tx
    torque_out[body, 1] += rz * fx - rx * fz + ty
    torque_out[body, 2] += rx * fy - ry * fx + tz


@kernel(inline=True)
def add_pair_force(ends, f, t, f_out, torque_out):
    """Add a force f and a torque t to b, and their opposites to a, all acting at the point of an element."""
    add_force(ends.b, ends.r, f, t, f_out, torque_out)
    add_force(ends.a, ends.q, (-f[0], -f[1], -f[2]), (-t[0], -t[1], -t[2]), f_out, torque_out)


@kernel(inline=True)
def add_corner(A, corner_out):
    """Add a matrix to a corner of a block, six numbers a row."""
    corner_out[0] += A[0]
    corner_out[1] += A[1]
    corner_out[2] += A[2]
    corner_out[6] += A[3]
    corner_out[7] += A[4]
    corner_out[8] += A[5]
    corner_out[12] += A[6]
    corner_out[13] += A[7]
    corner_out[14] += A[8]


@kernel(inline=True)
def add_block(S, P, Q, D, offset, value_out):
    """Add [S  P; Q^T  D] to the block at `offset`; there is none at -1."""
    if offset >= 0:
        block = value_out[offset : offset + 36]
        add_corner(S, block)
        add_corner(P, block[3:])
        add_corner(transpose(Q), block[18:])
        add_corner(D, block[21:])


@kernel
def add_pair_blocks(ends, S, X, B, R, edge, i, implicit_out):
    """Add the blocks (4) of both bodies, and the block (ab) where row i of `edge` says. X is None where it is zero."""
    a, b = ends.a, ends.b
    qx, qy, qz = ends.q
    rx, ry, rz = ends.r
    diagonal, value = implicit_out.diagonal, implicit_out.value
    offset, flip = edge[i, 0], edge[i, 1]
    R_a, R_b = matrix(R, a, 0, 0), matrix(R, b, 0, 0)
    W_a, W_b = arm(R_a, qx, qy, qz), arm(R_b, rx, ry, rz)
    P_a, P_b = product(S, W_a), product(S, W_b)
    T_a, T_b = product(B, R_a), product(B, R_b)
    if X is not None:  # (3)
        P_a, P_b = plus(P_a, product(X, R_a)), plus(P_b, product(X, R_b))
        T_a, T_b = plus(T_a, product(transpose(X), W_a)), plus(T_b, product(transpose(X), W_b))
    V_a, U_a = transpose(W_a), transpose(R_a)
    # (4)
    add_block(S, P_a, P_a, plus(product(V_a, P_a), product(U_a, T_a)), diagonal[a], value)
    D = plus(product(transpose(W_b), P_b), product(transpose(R_b), T_b))
    add_block(S, P_b, P_b, D, diagonal[b], value)
    if offset >= 0:
        S, P_a, P_b = times(-1.0, S), times(-1.0, P_a), times(-1.0, P_b)
        D = plus(product(V_a, P_b), times(-1.0, product(U_a, T_b)))
        if flip == 1:
            add_block(S, P_a, P_b, transpose(D), offset, value)
        else:
            add_block(S, P_b, P_a, D, offset, value)


@kernel(inline=True)
def _calc_even_corner(slopes, lever, E, left, right):
    """(5), lower right corner of a block: lever and both unit vectors in the axes of the body on the left, and of that
    on the right."""
    r, n, p = left
    q, m, k = right
    s, e, first, second = slopes.s, slopes.e, slopes.first, slopes.second
    D = plus(times(s * lever + e, E), plus(dyad(-s, *r, *q), dyad(first, *n, *m)))
    return plus(D, dyad(second, *p, *k)) if second != 0.0 else D


@kernel(inline=True)
def add_even_blocks(ends, slopes, R, edge, i, implicit_out):
    """Add the blocks (4) of both bodies and the block between them as `add_pair_blocks`, for the slopes of (5)."""
    a, b, s = ends.a, ends.b, slopes.s
    qx, qy, qz = ends.q
    rx, ry, rz = ends.r
    nx, ny, nz = slopes.n
    px, py, pz = slopes.p
    diagonal, value = implicit_out.diagonal, implicit_out.value
    offset, flip = edge[i, 0], edge[i, 1]
    S = unit(s)
    q_a, r_a, n_a = rotate_back(R, a, qx, qy, qz), rotate_back(R, a, rx, ry, rz), rotate_back(R, a, nx, ny, nz)
    q_b, r_b, n_b = rotate_back(R, b, qx, qy, qz), rotate_back(R, b, rx, ry, rz), rotate_back(R, b, nx, ny, nz)
    p_a, p_b = rotate_back(R, a, px, py, pz), rotate_back(R, b, px, py, pz)
    R_a, R_b = matrix(R, a, 0, 0), matrix(R, b, 0, 0)
    P_a, P_b = times(s, arm(R_a, qx, qy, qz)), times(s, arm(R_b, rx, ry, rz))
    D = _calc_even_corner(slopes, dot(qx, qy, qz, qx, qy, qz), unit(1.0), (q_a, n_a, p_a), (q_a, n_a, p_a))
    add_block(S, P_a, P_a, D, diagonal[a], value)
    D = _calc_even_corner(slopes, dot(rx, ry, rz, rx, ry, rz), unit(1.0), (r_b, n_b, p_b), (r_b, n_b, p_b))
    add_block(S, P_b, P_b, D, diagonal[b], value)
    if offset >= 0:
        E = product(transpose(R_a), R_b)
        D = _calc_even_corner(slopes, dot(qx, qy, qz, rx, ry, rz), E, (r_a, n_a, p_a), (q_b, n_b, p_b))
        S, P_a, P_b, D = times(-1.0, S), times(-1.0, P_a), times(-1.0, P_b), times(-1.0, D)
        if flip == 1:
            add_block(S, P_a, P_b, transpose(D), offset, value)
        else:
            add_block(S, P_b, P_a, D, offset, value)


@kernel(inline=True)
def add_point_block(A, offset, stored, value_out):
    """Add the block A (3 x 3) of two points, or of a point with itself, where an edge says; there is none at -1."""
    if offset >= 0:
        upper = transpose(A) if stored in (FLIPPED, BOTH_FLIPPED) else A
        add_corner(upper, value_out[offset : offset + HALF_DIAGONAL])
        if stored >= BOTH:
            lower = offset + (WIDTH - 1) * 3
            add_corner(transpose(upper), value_out[lower : lower + HALF_DIAGONAL])


@kernel(inline=True)
def add_own_block(body, r, S, R, diagonal, value_out):
    """Add the block (4) of one body, for slopes on the velocity of a point alone."""
    rx, ry, rz = r
    W = arm(matrix(R, body, 0, 0), rx, ry, rz)
    P = product(S, W)
    add_block(S, P, P, product(transpose(W), P), diagonal[body], value_out)


@kernel
def note_slopes(row, ends, S, X, B, bias_f, bias_t, direction, axis, implicit_out):
    """Keep what (6) needs of an element in a row of `implicit_out.note`: bodies and levers, slopes, the force and the
    torque -h K u on b, and two directions in which its family shows forces."""
    note = implicit_out.note[row]
    implicit_out.note_body[row, 0], implicit_out.note_body[row, 1] = ends.a, ends.b
    note[0], note[1], note[2], note[3], note[4], note[5], note[6], note[7], note[8] = S
    note[9], note[10], note[11], note[12], note[13], note[14], note[15], note[16], note[17] = X
    note[18], note[19], note[20], note[21], note[22], note[23], note[24], note[25], note[26] = B
    note[27], note[28], note[29] = ends.q
    note[30], note[31], note[32] = ends.r
    note[33], note[34], note[35] = bias_f
    note[36], note[37], note[38] = bias_t
    note[39], note[40], note[41] = direction
    note[42], note[43], note[44] = axis


@kernel(inline=True)
def _mean(A, i, j, r, c):
    """An entry of the symmetric part of a matrix."""
    return 0.5 * (A[i + r, j + c] + A[j + c, i + r])


@kernel
def add_point_element(node, K, C, edge, view, implicit_out, work):
    """Add the slopes of an element between several points, and what (1) makes of them.

    node (n,) rows of its points; K, C (3 n, 3 n) stiffness and damping, of which the symmetric parts are taken; edge
    (n (n - 1)/2, 2) places of the blocks of all pairs.
    """
    h, v = implicit_out.h[0], view.v
    energy = 0.0
    pair = 0
    for a in range(node.shape[0]):
        for b in range(a, node.shape[0]):
            i, j = 3 * a, 3 * b
            spring = (
                *(_mean(K, i, j, 0, 0), _mean(K, i, j, 0, 1), _mean(K, i, j, 0, 2)),
                *(_mean(K, i, j, 1, 0), _mean(K, i, j, 1, 1), _mean(K, i, j, 1, 2)),
                *(_mean(K, i, j, 2, 0), _mean(K, i, j, 2, 1), _mean(K, i, j, 2, 2)),
            )
            damper = (
                *(_mean(C, i, j, 0, 0), _mean(C, i, j, 0, 1), _mean(C, i, j, 0, 2)),
                *(_mean(C, i, j, 1, 0), _mean(C, i, j, 1, 1), _mean(C, i, j, 1, 2)),
                *(_mean(C, i, j, 2, 0), _mean(C, i, j, 2, 1), _mean(C, i, j, 2, 2)),
            )
            block = plus(times(h, damper), times(h * h, spring))
            p, q = node[a], node[b]
            fx, fy, fz = apply(spring, v[q, 0], v[q, 1], v[q, 2])
            share = 0.5 if a == b else 1.0
            energy += share * dot(v[p, 0], v[p, 1], v[p, 2], fx, fy, fz)
            implicit_out.f[p, 0] -= h * fx
            implicit_out.f[p, 1] -= h * fy
            implicit_out.f[p, 2] -= h * fz
            if a == b:
                add_point_block(block, implicit_out.diagonal[p], STORED, implicit_out.value)
                continue
            gx, gy, gz = apply(transpose(spring), v[p, 0], v[p, 1], v[p, 2])
            implicit_out.f[q, 0] -= h * gx
            implicit_out.f[q, 1] -= h * gy
            implicit_out.f[q, 2] -= h * gz
            add_point_block(block, edge[pair, 0], edge[pair, 1], implicit_out.value)
            pair += 1
    work.stored[LEDGER_NUMERICAL] += energy
