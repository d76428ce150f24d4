"""Accelerations of the `explicit` formulation: all forces on all bodies, then Newton and Euler.

m a = F                                                                               (S0-1)
I dw = T - w x (I w)            body axes                                             (S0-2)
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.contact.dispatch import add_contacts
from grouser.kernels.copy import calc_zero, calc_zero_rows
from grouser.kernels.forces.applied import add_applied_forces
from grouser.kernels.forces.scalar import add_scalar_forces
from grouser.kernels.joints.frame_connection import add_frame_connections
from grouser.kernels.joints.point_connection import add_point_connections
from grouser.kernels.kinds import FAMILY_CONTACTS, FAMILY_FORCES, FAMILY_FRICTION, FAMILY_JOINTS, FAMILY_MOTIONS
from grouser.kernels.spatial import rotate, rotate_back


@kernel
def calc_accelerations(
    # tables
    tables,
    # in
    t,
    x,
    R,
    v,
    w,
    z,
    memory,
    drag,
    # out
    a_out,
    dw_out,
    z_rate_out,
    memory_out,
    # work
    work,
):
    """Accelerations at a state. `drag` [1/s] is a damping of all velocities, used while settling.

    Everything an observer wants (joint forces, contact sums, energies, powers) is left in `work`.
    """
    body = tables.body
    count = body.mass.shape[0]
    f, torque, w_world = work.f, work.torque, work.w_world
    for i in range(count):
        w_world[i, 0], w_world[i, 1], w_world[i, 2] = rotate(R, i, w[i, 0], w[i, 1], w[i, 2])
    for k in range(3):
        w_world[count, k] = 0.0
    calc_zero_rows(f)
    calc_zero_rows(torque)
    calc_zero(work.stored)
    calc_zero(work.dissipated)
    calc_zero(work.supplied)
    add_point_connections(
        tables.point,
        x,
        R,
        v,
        w_world,
        f,
        torque,
        work.joint_force,
        work.joint_moment,
        work.joint_peak,
        work.stored,
        work.dissipated,
        FAMILY_JOINTS,
    )
    add_frame_connections(
        tables.frame,
        x,
        R,
        v,
        w_world,
        f,
        torque,
        work.joint_force,
        work.joint_moment,
        work.joint_peak,
        work.stored,
        work.dissipated,
        FAMILY_JOINTS,
        work.q,
        work.rate,
        work.effort,
    )
    add_scalar_forces(
        tables.scalar,
        tables.signal,
        t,
        x,
        R,
        v,
        w_world,
        z,
        f,
        torque,
        z_rate_out,
        work.scalar_value,
        work.stored,
        work.dissipated,
        work.supplied,
        FAMILY_FORCES,
        FAMILY_MOTIONS,
        work.direction,
        work.stack,
    )
    add_applied_forces(
        tables.applied, tables.signal, t, R, v, w_world, f, torque, work.supplied, FAMILY_FORCES, work.stack
    )
    add_contacts(
        tables.shape,
        tables.contact,
        tables.terrain,
        work.pair,
        work.pair_count,
        memory,
        x,
        R,
        v,
        w_world,
        f,
        torque,
        memory_out,
        work.contact_sum,
        work.contact_energy,
    )
    for g in range(work.contact_energy.shape[0]):
        work.stored[FAMILY_CONTACTS] += work.contact_energy[g, 0]
        work.dissipated[FAMILY_CONTACTS] += work.contact_energy[g, 1]
        work.dissipated[FAMILY_FRICTION] += work.contact_energy[g, 2]
        work.stored[FAMILY_FRICTION] += work.contact_energy[g, 3]
    gx, gy, gz = body.gravity[0], body.gravity[1], body.gravity[2]
    for i in range(count):
        inverse = 1.0 / body.mass[i]
        a_out[i, 0] = f[i, 0] * inverse + gx - drag * v[i, 0]
        a_out[i, 1] = f[i, 1] * inverse + gy - drag * v[i, 1]
        a_out[i, 2] = f[i, 2] * inverse + gz - drag * v[i, 2]
        tx, ty, tz = rotate_back(R, i, torque[i, 0], torque[i, 1], torque[i, 2])
        wx, wy, wz = w[i, 0], w[i, 1], w[i, 2]
        hx, hy, hz = rotate(body.inertia, i, wx, wy, wz)
        tx, ty, tz = tx - (wy * hz - wz * hy), ty - (wz * hx - wx * hz), tz - (wx * hy - wy * hx)
        bx, by, bz = rotate(body.inertia_inverse, i, tx, ty, tz)
        dw_out[i, 0], dw_out[i, 1], dw_out[i, 2] = bx - drag * wx, by - drag * wy, bz - drag * wz
