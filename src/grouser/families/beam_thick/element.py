"""Thick beams among the families of the solver: forces of all, and slopes for implicit steps.

The tangents of `kernel.py` are taken without the part that may be negative, so that the matrix stays definite.
"""

from __future__ import annotations

from grouser.families.beam_thick.kernel import add_thick_beam_forces, calc_thick_beam_tangent
from grouser.kernels._jit import kernel
from grouser.kernels.block_ldl import WIDTH
from grouser.kernels.kinds import LEDGER_ELEMENTS, LEDGER_NUMERICAL
from grouser.kernels.scatter import FLIPPED
from grouser.kernels.spatial import rotate, rotate_back


@kernel
def add_body_element(a, b, K, C, edge, view, implicit_out, work):
    """Add the slopes of an element between two bodies on (v world axes, w body axes) of both, and the force -h K u."""
    h, u, value = implicit_out.h[0], work.beam_thick_speed, implicit_out.value
    for side in range(2):
        row, o = (a if side == 0 else b), 6 * side
        u[o], u[o + 1], u[o + 2] = view.v[row, 0], view.v[row, 1], view.v[row, 2]
        w = view.w_world[row]
        u[o + 3], u[o + 4], u[o + 5] = rotate_back(view.R, row, w[0], w[1], w[2])
    for side in range(2):
        row, o = (a if side == 0 else b), 6 * side
        f = work.beam_thick_force
        for r in range(6):
            f[r] = 0.0
            for c in range(12):
                f[r] -= h * K[o + r, c] * u[c]
            work.stored[LEDGER_NUMERICAL] -= 0.5 * u[o + r] * f[r] / h
        tx, ty, tz = rotate(view.R, row, f[3], f[4], f[5])
        for c in range(3):
            implicit_out.f[row, c] += f[c]
        implicit_out.torque[row, 0] += tx
        implicit_out.torque[row, 1] += ty
        implicit_out.torque[row, 2] += tz
        offset = implicit_out.diagonal[row]
        if offset >= 0:
            for r in range(6):
                for c in range(6):
                    value[offset + WIDTH * r + c] += h * (C[o + r, o + c] + h * K[o + r, o + c])
    offset = edge[0]
    if offset >= 0:
        for r in range(6):
            for c in range(6):
                number = h * (C[r, 6 + c] + h * K[r, 6 + c])
                value[offset + (WIDTH * c + r if edge[1] == FLIPPED else WIDTH * r + c)] += number


@kernel(stage=True, rows="beam_thick.length")
def add_thick_beams(
    # tables
    table,
    # in
    view,
    # out
    implicit_out,
    # work
    work,
):
    """Add the forces of all thick beams, their energies and powers, and for implicit steps their slopes."""
    section, strain = work.beam_thick_value[:, :6], work.beam_thick_value[:, 6:]
    stored, lost = add_thick_beam_forces(
        table, view.x, view.R, view.v, view.w_world, work.f, work.torque, section, strain
    )
    work.stored[LEDGER_ELEMENTS] += stored
    work.dissipated[LEDGER_ELEMENTS] += lost
    if implicit_out is not None:
        K, C = work.beam_thick_matrix[0], work.beam_thick_matrix[1]
        if implicit_out.wanted[0] == 1:
            for i in range(table.length.shape[0]):
                calc_thick_beam_tangent(table, i, view.x, view.R, 0, K, C)
                a, b = table.body_a[i], table.body_b[i]
                add_body_element(a, b, K, C, implicit_out.beam_thick_edge[i], view, implicit_out, work)
