"""Thin beams among the families of the solver: forces of all, and slopes for implicit steps.

The tangents of `kernel.py` are taken without the part that may be negative, so that the matrix stays definite.
"""

from __future__ import annotations

from grouser.families.beam_thin.kernel import add_thin_beam_forces, calc_thin_beam_tangent
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import LEDGER_ELEMENTS
from grouser.kernels.scatter import add_point_element


@kernel(stage=True, rows="beam_thin.EA")
def add_thin_beams(
    # tables
    table,
    # in
    view,
    # out
    implicit_out,
    # work
    work,
):
    """Add the forces of all thin beams, their energies and powers, and for implicit steps their slopes."""
    stored, lost = add_thin_beam_forces(table, view.x, view.v, work.f, work.beam_thin_value)
    work.stored[LEDGER_ELEMENTS] += stored
    work.dissipated[LEDGER_ELEMENTS] += lost
    if implicit_out is not None:
        K, C = work.beam_thin_matrix[0], work.beam_thin_matrix[1]
        if implicit_out.wanted[0] == 1:
            for i in range(table.EA.shape[0]):
                calc_thin_beam_tangent(table, i, view.x, 0, K, C)
                add_point_element(table.node[i], K, C, implicit_out.beam_thin_edge[i], view, implicit_out, work)
