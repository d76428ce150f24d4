"""All forces on all bodies at a state: what every formulation shares."""

from __future__ import annotations

from grouser.families.truss.kernel import add_trusses
from grouser.kernels._jit import kernel
from grouser.kernels.contact.dispatch import add_contacts, find_touches
from grouser.kernels.copy import calc_zero, calc_zero_rows
from grouser.kernels.driver import calc_drivers
from grouser.kernels.forces.applied import add_applied_forces
from grouser.kernels.forces.powertrain import add_brake_torques, add_powertrain_torques
from grouser.kernels.forces.scalar import add_scalar_forces
from grouser.kernels.forces.tyre import add_tyre_forces
from grouser.kernels.joints.frame_connection import add_frame_connections
from grouser.kernels.joints.point_connection import add_point_connections
from grouser.kernels.kinds import (
    LEDGER_CONTACTS,
    LEDGER_FRICTION,
    LEDGER_NUMERICAL,
    WORLD_ROW,
)
from grouser.kernels.spatial import rotate
from grouser.kernels.view import View


@kernel(stage=True)
def calc_forces(
    # tables
    tables,
    # in
    instant,
    memory,
    corrector_offset,
    # out
    z_rate_out,
    memory_out,
    blocks_out,
    # work
    work,
):
    """Forces `work.f` and torques `work.torque` (n + 1, 3) about the centres of mass, world axes, without gravity.

    Everything an observer wants (joint forces, contact sums, energies, powers) is left in `work`. `blocks_out` is None,
    or the `Blocks` for a linearly implicit step: stiffness and damping are added to its `value`, and its right-hand
    side is overwritten. With a
    `corrector_offset` [s] the touching points of the evaluation before are used again: positions have changed since by
    the change of the velocities times this offset, see `kernels/contact/law.py`. `memory` and `memory_out`: friction
    memory as it was, and where this evaluation writes, see there too.
    """
    f, torque, w_world, R, w = work.f, work.torque, work.w_world, instant.R, instant.w
    for i in range(1, w.shape[0]):
        w_world[i, 0], w_world[i, 1], w_world[i, 2] = rotate(R, i, w[i, 0], w[i, 1], w[i, 2])
    for k in range(3):
        w_world[WORLD_ROW, k] = 0.0
    calc_zero_rows(f)
    calc_zero_rows(torque)
    calc_zero(work.stored)
    calc_zero(work.dissipated)
    calc_zero(work.supplied)
    if blocks_out is not None:
        calc_zero_rows(blocks_out.f)
        calc_zero_rows(blocks_out.torque)
        calc_zero_rows(blocks_out.damper_f)
        calc_zero_rows(blocks_out.damper_torque)
        if blocks_out.wanted[0] == 1:
            blocks_out.coupled_count[0] = 0
            blocks_out.note_count[0] = 0
    view = View(instant.t, instant.x, R, instant.v, w_world, instant.z)
    if tables.point.body_a.shape[0] > 0:
        add_point_connections(tables.point, view, blocks_out, work)
    if tables.frame.body_a.shape[0] > 0:
        add_frame_connections(tables.frame, view, blocks_out, work)
    if tables.driver.body.shape[0] > 0:
        calc_drivers(tables.driver, tables.signal, view, z_rate_out, work)
    if tables.scalar.law.shape[0] > 0:
        add_scalar_forces(tables.scalar, tables.signal, view, z_rate_out, blocks_out, work)
    if tables.applied.body.shape[0] > 0:
        add_applied_forces(tables.applied, tables.signal, view, work)
    if tables.powertrain.gear_start.shape[0] > 0:
        add_powertrain_torques(tables.powertrain, tables.driven, tables.signal, view, z_rate_out, work)
    if tables.brake.body.shape[0] > 0:
        add_brake_torques(tables.brake, tables.signal, view, z_rate_out, blocks_out, work)
    if tables.truss.k.shape[0] > 0:
        add_trusses(tables.truss, view, blocks_out, work)
    has_contacts = tables.contact.kind.shape[0] > 0
    if has_contacts and corrector_offset == 0.0:
        find_touches(tables.shape, tables.contact, tables.terrain, view, work)
    for i in range(1, w.shape[0]):
        for k in range(3):
            work.contact_force[i, k] = f[i, k]
    if tables.tyre.body.shape[0] > 0:
        add_tyre_forces(tables.tyre, tables.terrain, view, z_rate_out, blocks_out, work)
    if has_contacts:
        add_contacts(tables.contact, tables.terrain, view, memory, corrector_offset, memory_out, blocks_out, work)
    for i in range(1, w.shape[0]):
        for k in range(3):
            work.contact_force[i, k] = f[i, k] - work.contact_force[i, k]
    for g in range(work.contact_energy.shape[0]):
        work.stored[LEDGER_CONTACTS] += work.contact_energy[g, 0]
        work.dissipated[LEDGER_CONTACTS] += work.contact_energy[g, 1]
        work.dissipated[LEDGER_FRICTION] += work.contact_energy[g, 2]
        work.stored[LEDGER_FRICTION] += work.contact_energy[g, 3]
        work.stored[LEDGER_NUMERICAL] += work.contact_energy[g, 4]
