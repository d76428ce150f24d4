"""Bodies that touch, in a linearly implicit step: the blocks between them.

Which bodies touch changes from step to step, so the matrix has places for the blocks of each body alone. The blocks
between two bodies, for a contact with slopes S on the velocity of its point,

    (ab) = -J_a^T S J_b,   J = [1  W],  W = -skew(r) R                                    (1)

(`grouser.kernels.scatter`) are kept as a list of (S, W_a, W_b), and are applied to vectors instead of being stored.
What sits on a marker has its velocities and passes its forces by J of `grouser.kernels.pulled`.
Contacts of surfaces, which may sit on several nodes, have a list of their own (`surface/joined.py`).
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
def carry_markers(u, pulled_work):
    """Velocities of all markers that act from those of what carries them (`grouser.kernels.pulled`, (1)); no forces."""
    pulled = pulled_work
    for i in range(pulled.moved.shape[0]):
        pulled.moved[i] = pulled.pushed[i] = 0.0
    for e in range(pulled.marker.shape[0]):
        if pulled.marker[e] >= 0 and pulled.acts[e] == 1:
            o, p = 6 * pulled.marker[e], pulled.lead[e, 0]
            for r in range(6):
                for c in range(pulled.lead[e, 1]):
                    pulled.moved[o + r] += pulled.jacobian[e, r, c] * u[p + c]


@kernel
def push_markers(pulled, f_out):
    """Forces on markers to the rows that carry them."""
    for e in range(pulled.marker.shape[0]):
        if pulled.marker[e] >= 0 and pulled.acts[e] == 1:
            o, p = 6 * pulled.marker[e], pulled.lead[e, 0]
            for c in range(pulled.lead[e, 1]):
                for r in range(6):
                    f_out[p + c] += pulled.jacobian[e, r, c] * pulled.pushed[o + r]


@kernel
def calc_carried(u, f_out, implicit_work):
    """The same as `calc_coupled` where shapes sit on markers, whose numbers in vectors are no unknowns."""
    implicit, pulled = implicit_work, implicit_work.pulled
    carry_markers(u, pulled)
    for n in range(implicit.coupled_count[0]):
        row = implicit.coupled[n]
        S, W_a, W_b = row_matrix(row, 0), row_matrix(row, 9), row_matrix(row, 18)
        a, b = implicit.coupled_body[n, 0], implicit.coupled_body[n, 1]
        u_a, f_a = (pulled.moved, pulled.pushed) if pulled.is_marker[a] == 1 else (u, f_out)
        u_b, f_b = (pulled.moved, pulled.pushed) if pulled.is_marker[b] == 1 else (u, f_out)
        _add_side(S, W_a, W_b, a, b, u_b, f_a)
        _add_side(S, W_b, W_a, b, a, u_a, f_b)
    push_markers(pulled, f_out)


@kernel
def calc_coupled(u, f_out, implicit_work):
    """What the blocks between bodies take from the other side of the equation: -(ab) u_b, for all that touch (1)."""
    implicit = implicit_work
    for i in range(f_out.shape[0]):
        f_out[i] = 0.0
    if implicit.pulled.touches[0] == 1:
        if implicit.coupled_count[0] > 0:
            calc_carried(u, f_out, implicit)
        return
    for n in range(implicit.coupled_count[0]):
        row = implicit.coupled[n]
        S, W_a, W_b = row_matrix(row, 0), row_matrix(row, 9), row_matrix(row, 18)
        a, b = implicit.coupled_body[n, 0], implicit.coupled_body[n, 1]
        _add_side(S, W_a, W_b, a, b, u, f_out)
        _add_side(S, W_b, W_a, b, a, u, f_out)
