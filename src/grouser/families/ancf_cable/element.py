"""Cables by gradients among the families of the solver: forces of all, and slopes for implicit steps."""

from __future__ import annotations

from math import nan

from grouser.families.ancf_cable.kernel import add_ancf_cable_forces
from grouser.families.ancf_cable.tangent import calc_ancf_cable_tangent
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import LEDGER_ELEMENTS
from grouser.kernels.scatter import add_point_element


@kernel(stage=True, rows="ancf_cable.row")
def add_ancf_cables(
    # tables
    table,
    # in
    view,
    # out
    implicit_out,
    # work
    work,
):
    """Add the forces of all cables, their energies and powers, and for implicit steps their slopes.

    A cable whose axis has no direction has no force: its first node then leaves the range of numbers, so that the run
    stops.
    """
    sums = work.ancf_cable_sums
    sums[0] = sums[1] = 0.0
    lost = add_ancf_cable_forces(table, view.x, view.v, work.f, sums, work.ancf_cable_value)
    work.stored[LEDGER_ELEMENTS] += sums[0]
    work.dissipated[LEDGER_ELEMENTS] += sums[1]
    if lost >= 0:
        work.f[table.row[lost, 0], 0] = nan
    if implicit_out is not None:
        K, C = work.ancf_cable_matrix[0], work.ancf_cable_matrix[1]
        if implicit_out.wanted[0] == 1 and lost < 0:
            for i in range(table.row.shape[0]):
                calc_ancf_cable_tangent(table, i, view.x, view.v, K, C, work.ancf_cable_row)
                add_point_element(table.row[i], K, C, implicit_out.ancf_cable_edge[i], view, implicit_out, work)
