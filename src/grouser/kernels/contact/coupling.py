"""Bodies that touch, in a linearly implicit step: the blocks between them.

Which bodies touch changes from step to step, so the matrix has places for the blocks of each body alone. The blocks
between two bodies, for a contact with slopes S on the velocity of its point,

    (ab) = -J_a^T S J_b,   J = [1  W],  W = -skew(r) R                                    (1)

(`grouser.kernels.scatter`) are kept as a list of (S, W_a, W_b), and are applied to vectors instead of being stored.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.matrix import apply, arm, matrix, row_matrix, transpose


@kernel(inline=True)
def add_coupling(body_a, body_b, ra, rb, S, R, implicit_out):
    """Append a contact to the list."""
    rax, ray, raz = ra
    rbx, rby, rbz = rb
    n = implicit_out.coupled_count[0]
    row = implicit_out.coupled[n]
    W_a, W_b = arm(matrix(R, body_a, 0, 0), rax, ray, raz), arm(matrix(R, body_b, 0, 0), rbx, rby, rbz)
    row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8] = S
    row[9], row[10], row[11], row[12], row[13], row[14], row[15], row[16], row[17] = W_a
    row[18], row[19], row[20], row[21], row[22], row[23], row[24], row[25], row[26] = W_b
    implicit_out.coupled_body[n, 0], implicit_out.coupled_body[n, 1] = body_a, body_b
    implicit_out.coupled_count[0] = n + 1


@kernel(inline=True)
def _add_side(S, W_a, W_b, a, b, u, f_out):
    """Add J_a^T S J_b u_b to the six numbers of body a."""
    u, f = u[6 * b : 6 * b + 6], f_out[6 * a : 6 * a + 6]
    px, py, pz = apply(W_b, u[3], u[4], u[5])
    fx, fy, fz = apply(S, u[0] + px, u[1] + py, u[2] + pz)
    tx, ty, tz = apply(transpose(W_a), fx, fy, fz)
    f[0] += fx
    f[1] += fy
    f[2] += fz
    f[3] += tx
    f[4] += ty
    f[5] += tz


@kernel
def calc_coupled(implicit, u, f_out):
    """What the blocks between bodies take from the other side of the equation: -(ab) u_b, for all that touch (1)."""
    for i in range(f_out.shape[0]):
        f_out[i] = 0.0
    for n in range(implicit.coupled_count[0]):
        row = implicit.coupled[n]
        S, W_a, W_b = row_matrix(row, 0), row_matrix(row, 9), row_matrix(row, 18)
        a, b = implicit.coupled_body[n, 0], implicit.coupled_body[n, 1]
        _add_side(S, W_a, W_b, a, b, u, f_out)
        _add_side(S, W_b, W_a, b, a, u, f_out)
