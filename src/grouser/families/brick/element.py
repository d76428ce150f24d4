"""Bricks among the families of the solver: forces of all, and slopes for implicit steps."""

from __future__ import annotations

from math import nan

from grouser.families.brick.kernel import add_brick_forces
from grouser.families.brick.tangent import calc_brick_tangent
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import LEDGER_ELEMENTS
from grouser.kernels.scatter import add_point_element


@kernel(stage=True, rows="brick_cell.node")
def add_bricks(
    # tables
    bricks,
    cell,
    # in
    view,
    # out
    implicit_out,
    # work
    work,
):
    """Add the forces of all bricks, their energies and powers, and for implicit steps their slopes.

    A brick that is inside out, and whose material has no answer to that, has no force: its first node then leaves the
    range of numbers, so that the run stops there.
    """
    sums = work.brick_sums
    sums[0] = sums[1] = 0.0
    lost = add_brick_forces(bricks, view.x, view.v, work.f, sums, work.brick_row)
    work.stored[LEDGER_ELEMENTS] += sums[0]
    work.dissipated[LEDGER_ELEMENTS] += sums[1]
    if lost >= 0:
        work.f[cell.node[lost, 0], 0] = nan
    if implicit_out is not None:
        K, C = work.brick_matrix[0], work.brick_matrix[1]
        if implicit_out.wanted[0] == 1 and lost < 0:
            for i in range(cell.node.shape[0]):
                calc_brick_tangent(bricks, i, view.x, view.v, K, C, work.brick_row)
                add_point_element(cell.node[i], K, C, implicit_out.brick_cell_edge[i], view, implicit_out, work)
