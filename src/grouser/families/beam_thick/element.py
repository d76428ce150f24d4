"""Thick beams among the families of the solver: forces of all, and slopes for implicit steps."""

from __future__ import annotations

from grouser.families.beam_thick.kernel import add_thick_beam_forces
from grouser.families.beam_thick.slopes import add_thick_beam_slopes
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import LEDGER_ELEMENTS


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
        edge = implicit_out.beam_thick_edge
        if implicit_out.wanted[0] == 1:
            for i in range(table.length.shape[0]):
                add_thick_beam_slopes(table, i, edge[i], view, implicit_out, work)
