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
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.matrix import arm, matrix, plus, product, times, transpose


@kernel(inline=True)
def add_force(body, rx, ry, rz, fx, fy, fz, tx, ty, tz, f_out, torque_out):
    """Add a force f that acts at the lever r from the centre of a body, and a torque t."""
    f_out[body, 0] += fx
    f_out[body, 1] += fy
    f_out[body, 2] += fz
    torque_out[body, 0] += ry * fz - rz * fy + tx
    torque_out[body, 1] += rz * fx - rx * fz + ty
    torque_out[body, 2] += rx * fy - ry * fx + tz


@kernel(inline=True)
def add_pair_force(a, b, qx, qy, qz, rx, ry, rz, fx, fy, fz, tx, ty, tz, f_out, torque_out):
    """Add a force f and a torque t to b, and their opposites to a, all acting at the point with levers r and q."""
    add_force(b, rx, ry, rz, fx, fy, fz, tx, ty, tz, f_out, torque_out)
    add_force(a, qx, qy, qz, -fx, -fy, -fz, -tx, -ty, -tz, f_out, torque_out)


@kernel(inline=True)
def add_corner(A, place, value_out):
    """Add a matrix to a corner of a block."""
    value_out[place] += A[0]
    value_out[place + 1] += A[1]
    value_out[place + 2] += A[2]
    value_out[place + 6] += A[3]
    value_out[place + 7] += A[4]
    value_out[place + 8] += A[5]
    value_out[place + 12] += A[6]
    value_out[place + 13] += A[7]
    value_out[place + 14] += A[8]


@kernel(inline=True)
def add_block(S, P, Q, D, offset, value_out):
    """Add [S  P; Q^T  D] to the block at `offset`; there is none at -1."""
    if offset >= 0:
        add_corner(S, offset, value_out)
        add_corner(P, offset + 3, value_out)
        add_corner(transpose(Q), offset + 18, value_out)
        add_corner(D, offset + 21, value_out)


@kernel
def add_pair_blocks(a, b, qx, qy, qz, rx, ry, rz, S, X, B, R, edge, i, blocks_out):
    """Add the blocks (4) of both bodies, and the block (ab) where row i of `edge` says. X is None where it is zero."""
    diagonal, value = blocks_out.diagonal, blocks_out.value
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


@kernel
def add_own_block(body, rx, ry, rz, S, R, blocks_out):
    """Add the block (4) of one body, for slopes on the velocity of a point alone."""
    W = arm(matrix(R, body, 0, 0), rx, ry, rz)
    P = product(S, W)
    add_block(S, P, P, product(transpose(W), P), blocks_out.diagonal[body], blocks_out.value)
