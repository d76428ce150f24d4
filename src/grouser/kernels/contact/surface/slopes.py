"""Slopes of contacts of surfaces in implicit steps: own blocks of all that carries the sides, and a list of couplings.

With the slopes S on the relative velocity of both sides, and A_e the motion of end e in it (`sides.py`), the blocks are
A_e^T S A_f. Those with e = f stand in the matrix, the rest in the list of `joined.py`.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.contact.law import calc_contact_slopes
from grouser.kernels.contact.surface.joined import ENDS, add_joined
from grouser.kernels.contact.surface.sides import NONE, add_end_forces
from grouser.kernels.matrix import apply, product, row_matrix, transpose
from grouser.kernels.scatter import STORED, add_own_block, add_point_block


@kernel
def add_own_blocks(S, view, implicit_out, work):
    """Own blocks of all ends."""
    frames = view.w_world.shape[0]
    for e in range(ENDS):
        row = work.end_row[e]
        if row == NONE:
            continue
        end = work.end[e]
        J = row_matrix(end, 0)
        own = product(transpose(J), product(S, J))
        if row < frames:
            add_own_block(row, (end[9], end[10], end[11]), own, view.R, implicit_out.diagonal, implicit_out.value)
        else:
            add_point_block(own, implicit_out.diagonal[row], STORED, implicit_out.value)


@kernel
def add_surface_slopes(tables, meeting, n, v, k, c, friction, view, implicit_out, work):
    """Add the blocks of a place, with the slopes k, c along the normal n and those of `friction`, and the force
    -h K v."""
    S, K = calc_contact_slopes(n, k, c, friction, implicit_out)
    f = apply(K, *v)
    add_own_blocks(S, view, implicit_out, work)
    add_end_forces(f, work, implicit_out.f, implicit_out.torque)
    number = implicit_out.joined_count[0]
    kept = implicit_out.joined_note[number]
    kept[0], kept[1], kept[2], kept[3], kept[4], kept[5] = f[0], f[1], f[2], n[0], n[1], n[2]
    kept[6] = meeting.sign
    implicit_out.joined_group[number, 0], implicit_out.joined_group[number, 1] = meeting.group, meeting.is_ground
    add_joined(tables.carried, tables.node.mass.shape[0], S, view, implicit_out, work)
