"""All forces on all bodies at a state: what every formulation shares."""

from __future__ import annotations

from grouser.families.ancf_beam.element import add_ancf_beams
from grouser.families.ancf_cable.element import add_ancf_cables
from grouser.families.applied.kernel import add_applied_forces
from grouser.families.beam_thick.element import add_thick_beams
from grouser.families.beam_thin.element import add_thin_beams
from grouser.families.brake.kernel import add_brake_torques
from grouser.families.brick.element import add_bricks
from grouser.families.coordinate_force.kernel import add_scalar_forces
from grouser.families.driver.kernel import calc_drivers
from grouser.families.joint.kernel_frame import add_frame_connections
from grouser.families.joint.kernel_point import add_point_connections
from grouser.families.joint_friction.kernel import add_joint_frictions
from grouser.families.powertrain.kernel import add_powertrain_torques
from grouser.families.track_powertrain.kernel import add_track_powertrain_torques
from grouser.families.truss.kernel import add_trusses
from grouser.families.tyre.kernel import add_tyre_forces
from grouser.kernels._jit import kernel
from grouser.kernels.carried import pass_forces
from grouser.kernels.contact.dispatch import add_contacts, find_touches
from grouser.kernels.contact.surface.forces import add_surface_contacts
from grouser.kernels.contact.surface.listing import find_surface_touches, place_sheets
from grouser.kernels.copy import calc_zero, calc_zero_rows
from grouser.kernels.kinds import (
    LEDGER_CONTACTS,
    LEDGER_FRICTION,
    LEDGER_NUMERICAL,
    WORLD_ROW,
)
from grouser.kernels.pulled import pull_blocks
from grouser.kernels.spatial import rotate
from grouser.kernels.view import View


@kernel
def add_elements(tables, view, implicit_out, work):
    """Forces of all elastic elements."""
    if tables.truss.k.shape[0] > 0:
        add_trusses(tables.truss, view, implicit_out, work)
    if tables.beam_thin.EA.shape[0] > 0:
        add_thin_beams(tables.beam_thin, view, implicit_out, work)
    if tables.beam_thick.length.shape[0] > 0:
        add_thick_beams(tables.beam_thick, view, implicit_out, work)
    if tables.brick_cell.node.shape[0] > 0:
        add_bricks(tables.brick, tables.brick_cell, view, implicit_out, work)
    if tables.ancf_beam.row.shape[0] > 0:
        add_ancf_beams(tables.ancf_beam, view, implicit_out, work)
    if tables.ancf_cable.row.shape[0] > 0:
        add_ancf_cables(tables.ancf_cable, view, implicit_out, work)


@kernel
def add_surfaces(tables, view, memory, corrector_offset, memory_out, implicit_out, work):
    """Forces of surfaces that touch."""
    if tables.encounter.group.shape[0] > 0:
        is_corrector = corrector_offset != 0.0
        place_sheets(tables.encounter, view, work)
        if not is_corrector:
            find_surface_touches(tables.encounter, view, memory, work)
        add_surface_contacts(tables, view, memory, is_corrector, memory_out, implicit_out, work)


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
    implicit_out,
    # work
    work,
):
    """Forces `work.f` and torques `work.torque` (n + 1, 3) about the centres of mass, world axes, without gravity.

    Everything an observer wants (joint forces, contact sums, energies, powers) is left in `work`. `implicit_out` is
    None, or the `ImplicitMatrix` of a linearly implicit step: stiffness and damping are added to its `value`, and its
    right-hand side is overwritten. With a `corrector_offset` [s] the touching points of the evaluation before are used
    again: positions have changed since by the change of the velocities times this offset (`kernels/contact/law.py`).
    `memory` and `memory_out`: friction memory as it was, and where this evaluation writes, see there too.
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
    if implicit_out is not None:
        calc_zero_rows(implicit_out.f)
        calc_zero_rows(implicit_out.torque)
        calc_zero_rows(implicit_out.damper_f)
        calc_zero_rows(implicit_out.damper_torque)
        if implicit_out.wanted[0] == 1:
            implicit_out.coupled_count[0] = 0
            implicit_out.joined_count[0] = 0
            implicit_out.note_count[0] = 0
    view = View(instant.t, instant.x, R, instant.v, w_world, instant.z)
    if tables.point.body_a.shape[0] > 0:
        add_point_connections(tables.point, view, implicit_out, work)
    if tables.frame.body_a.shape[0] > 0:
        add_frame_connections(tables.frame, view, implicit_out, work)
    if tables.driver.body.shape[0] > 0:
        calc_drivers(tables.driver, tables.signal, view, z_rate_out, work)
    if tables.scalar.law.shape[0] > 0:
        add_scalar_forces(tables.scalar, tables.signal, view, z_rate_out, implicit_out, work)
    if tables.applied.body.shape[0] > 0:
        add_applied_forces(tables.applied, tables.signal, view, work)
    if tables.powertrain.gear_start.shape[0] > 0:
        add_powertrain_torques(tables.powertrain, tables.driven, tables.signal, view, z_rate_out, work)
    if tables.track_powertrain.state.shape[0] > 0:
        powertrain, sprocket = tables.track_powertrain, tables.driven_sprocket
        add_track_powertrain_torques(powertrain, sprocket, tables.signal, view, z_rate_out, work)
    if tables.brake.body.shape[0] > 0:
        add_brake_torques(tables.brake, tables.signal, view, z_rate_out, implicit_out, work)
    if tables.joint_friction.body_a.shape[0] > 0:
        add_joint_frictions(tables.joint_friction, view, z_rate_out, implicit_out, work)
    add_elements(tables, view, implicit_out, work)
    has_contacts = tables.contact.kind.shape[0] > 0
    if has_contacts and corrector_offset == 0.0:
        find_touches(tables.shape, tables.contact, tables.terrain, view, work)
    for i in range(1, w.shape[0]):
        for k in range(3):
            work.contact_force[i, k] = f[i, k]
    if tables.tyre.body.shape[0] > 0:
        add_tyre_forces(tables.tyre, tables.terrain, view, z_rate_out, implicit_out, work)
    if has_contacts:
        add_contacts(tables.contact, tables.terrain, view, memory, corrector_offset, memory_out, implicit_out, work)
    add_surfaces(tables, view, memory, corrector_offset, memory_out, implicit_out, work)
    for i in range(1, w.shape[0]):
        for k in range(3):
            work.contact_force[i, k] = f[i, k] - work.contact_force[i, k]
    if tables.carried.row.shape[0] > 0:
        pass_forces(tables.carried, view.x, R, f, torque)
        if implicit_out is not None:
            pass_forces(tables.carried, view.x, R, implicit_out.f, implicit_out.torque)
            if implicit_out.wanted[0] == 1:
                pull_blocks(tables.carried, view.x, R, implicit_out.value, implicit_out.pulled)
    for g in range(work.contact_energy.shape[0]):
        work.stored[LEDGER_CONTACTS] += work.contact_energy[g, 0]
        work.dissipated[LEDGER_CONTACTS] += work.contact_energy[g, 1]
        work.dissipated[LEDGER_FRICTION] += work.contact_energy[g, 2]
        work.stored[LEDGER_FRICTION] += work.contact_energy[g, 3]
        work.stored[LEDGER_NUMERICAL] += work.contact_energy[g, 4]
