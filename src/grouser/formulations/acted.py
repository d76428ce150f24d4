"""Forces as they acted: what results show is what moved the bodies.

In explicit schemes forces are those of a state, and they act as they are. In implicit steps a force changes within the
step, and what acts is what the linear system made of it (`grouser.kernels.scatter`, (6)): with the accelerations or
their last correction `rate`,

    f_acted = f + bias - (S d + X w),   t_acted = t + bias - (X^T d + B w)                (1)

d is the acceleration of the element's point of b as seen from a, w the relative angular acceleration. All these forces
together are the masses times the accelerations, to the last digit of the linear solution. So what a body is shown to
feel in a step is its change of momentum.

Powers of iterated stages are evaluated before the last correction, as forces are. The velocity with which touching
bodies approach then has a random error e. The power of a damper, c v^2, is too large by the mean of c e^2: by 3 % for
an M113 in a trough. The correction d changes the velocity by span d, so the power

    P = -f_damper.(v + span d)                                                            (2)

has no such error.

A step of several stages acts with the mean of their forces, each by its weight. `Acted` of `workspace.py` collects it.
Leapfrog steps act with forces of velocities half a step before; where velocities have caught up, at the end of a frame,
forces of stiff dampers are others, and those that acted last are shown.
"""

from __future__ import annotations

from grouser.families.joint_friction.kernel import add_joint_friction_responses
from grouser.families.truss.kernel import add_truss_responses
from grouser.kernels._jit import kernel
from grouser.kernels.carried import carry_rates
from grouser.kernels.contact.surface.joined import add_surface_responses
from grouser.kernels.kinds import (
    LAW_MOTION_POSITION,
    LAW_MOTION_SPEED,
    LEDGER_CONTACTS,
    LEDGER_FORCES,
    LEDGER_MOTIONS,
    NOTE_BRAKES,
    NOTE_CONTACTS,
    NOTE_FRAMES,
    NOTE_POINTS,
    NOTE_SCALARS,
    NOTE_TYRES,
    PAIR_LAST_TERRAIN,
    WORLD_ROW,
)
from grouser.kernels.matrix import apply, row_matrix, transpose
from grouser.kernels.nodes import POINT_SIZE, add_row, find_point_start
from grouser.kernels.spatial import cross, dot, rotate


@kernel
def calc_relative(note, a, b, R, rate):
    """d and w of (1) from accelerations (v world axes, w body axes) of all bodies."""
    dx = dy = dz = wx = wy = wz = 0.0
    if b != WORLD_ROW:
        o = 6 * b
        wx, wy, wz = rotate(R, b, rate[o + 3], rate[o + 4], rate[o + 5])
        tx, ty, tz = cross(wx, wy, wz, note[30], note[31], note[32])
        dx, dy, dz = rate[o] + tx, rate[o + 1] + ty, rate[o + 2] + tz
    if a != WORLD_ROW:
        o = 6 * a
        ux, uy, uz = rotate(R, a, rate[o + 3], rate[o + 4], rate[o + 5])
        tx, ty, tz = cross(ux, uy, uz, note[27], note[28], note[29])
        dx, dy, dz = dx - rate[o] - tx, dy - rate[o + 1] - ty, dz - rate[o + 2] - tz
        wx, wy, wz = wx - ux, wy - uy, wz - uz
    return dx, dy, dz, wx, wy, wz


@kernel
def calc_response(implicit, row, share, R, rate):
    """What (1) adds to the force and to the torque of an element; `share` of the bias counts."""
    note = implicit.note[row]
    dx, dy, dz, wx, wy, wz = calc_relative(note, implicit.note_body[row, 0], implicit.note_body[row, 1], R, rate)
    S, X, B = row_matrix(note, 0), row_matrix(note, 9), row_matrix(note, 18)
    fx, fy, fz = apply(S, dx, dy, dz)
    gx, gy, gz = apply(X, wx, wy, wz)
    tx, ty, tz = apply(transpose(X), dx, dy, dz)
    hx, hy, hz = apply(B, wx, wy, wz)
    return (
        *(share * note[33] - fx - gx, share * note[34] - fy - gy, share * note[35] - fz - gz),
        *(share * note[36] - tx - hx, share * note[37] - ty - hy, share * note[38] - tz - hz),
    )


@kernel
def calc_scalar_response(implicit, row, share, R, rate):
    """What (1) adds to the force along a coordinate."""
    fx, fy, fz, tx, ty, tz = calc_response(implicit, row, share, R, rate)
    x, y, z = implicit.note[row, 39], implicit.note[row, 40], implicit.note[row, 41]
    size = dot(x, y, z, x, y, z)
    return dot(fx + tx, fy + ty, fz + tz, x, y, z) / size if size > 0.0 else 0.0


@kernel
def add_joint_responses(joint, start, share, R, rate, implicit, work):
    """(1) for connections whose rows begin at `start`."""
    for i in range(joint.shape[0]):
        fx, fy, fz, tx, ty, tz = calc_response(implicit, start + i, share, R, rate)
        add_row(fx, fy, fz, work.joint_force[joint[i]])
        add_row(tx, ty, tz, work.joint_moment[joint[i]])


@kernel(stage=True)
def add_responses(
    # tables
    tables,
    # in
    share,
    R,
    implicit,
    # out
    rate_out,
    # work
    work,
):
    """Turn the forces in `work` into those that acted (1), by the slopes that were noted with the matrix.

    `rate_out` is what the linear system gave: accelerations of a linearly implicit step, with `share` one, or the last
    correction of accelerations that are iterated, with `share` zero.
    """
    if tables.carried.marker.shape[0] > 0:
        carry_rates(tables.carried, tables.node, work.x_new, R, rate_out)
    rate = rate_out
    first = implicit.note_start
    add_joint_responses(tables.point.joint, first[NOTE_POINTS], share, R, rate, implicit, work)
    add_joint_responses(tables.frame.joint, first[NOTE_FRAMES], share, R, rate, implicit, work)
    for i in range(first[NOTE_SCALARS], first[NOTE_TYRES]):
        work.scalar_value[i - first[NOTE_SCALARS], 0] += calc_scalar_response(implicit, i, share, R, rate)
    for i in range(first[NOTE_TYRES], first[NOTE_BRAKES]):
        fx, fy, fz, _, _, _ = calc_response(implicit, i, share, R, rate)
        x, y, z = implicit.note[i, 39], implicit.note[i, 40], implicit.note[i, 41]
        ex, ey, ez = implicit.note[i, 42], implicit.note[i, 43], implicit.note[i, 44]
        side = dot(fx, fy, fz, *cross(x, y, z, ex, ey, ez))
        shown = work.tyre_value[i - first[NOTE_TYRES]]
        add_row(dot(fx, fy, fz, ex, ey, ez), side, dot(fx, fy, fz, x, y, z), shown)
        add_row(fx, fy, fz, work.contact_force[implicit.note_body[i, 1]])
    for i in range(first[NOTE_BRAKES], first[NOTE_CONTACTS]):
        _, _, _, tx, ty, tz = calc_response(implicit, i, share, R, rate)
        x, y, z = implicit.note[i, 39], implicit.note[i, 40], implicit.note[i, 41]
        work.brake_value[i - first[NOTE_BRAKES], 0] += dot(tx, ty, tz, x, y, z)
    add_truss_responses(tables.truss, tables.node, share, rate, work)
    if tables.joint_friction.body_a.shape[0] > 0:
        add_joint_friction_responses(tables.joint_friction, share, rate, work)
    for n in range(implicit.note_count[0]):
        i, g = first[NOTE_CONTACTS] + n, implicit.note_group[n]
        fx, fy, fz, _, _, _ = calc_response(implicit, i, share, R, rate)
        x, y, z = implicit.note[i, 39], implicit.note[i, 40], implicit.note[i, 41]
        normal = dot(fx, fy, fz, x, y, z)
        work.contact_sum[g, 0] += normal
        add_row(fx - normal * x, fy - normal * y, fz - normal * z, work.contact_sum[g, 1:])
        add_row(fx, fy, fz, work.contact_force[implicit.note_body[i, 1]])
        add_row(-fx, -fy, -fz, work.contact_force[implicit.note_body[i, 0]])
        if tables.contact.kind[g] <= PAIR_LAST_TERRAIN:
            add_row(fx, fy, fz, work.ground_force[implicit.note_body[i, 1]])
    if implicit.joined_count[0] > 0:
        add_surface_responses(share, implicit, rate, work)


@kernel
def add_supplied(
    # tables
    scalar,
    # in
    R,
    rate,
    implicit,
    # work
    work,
):
    """Add to the power that actuators and motions put in what (1) adds to their forces, by the correction `rate`."""
    first = implicit.note_start[NOTE_SCALARS]
    for i in range(scalar.law.shape[0]):
        pace = work.scalar_value[i, 4]
        if pace != 0.0:
            is_motion = scalar.law[i] in (LAW_MOTION_POSITION, LAW_MOTION_SPEED)
            work.supplied[LEDGER_MOTIONS if is_motion else LEDGER_FORCES] += pace * calc_scalar_response(
                implicit, first + i, 0.0, R, rate
            )


@kernel
def calc_lost_at_points(frames, rate, damper_f):
    """What points add to the sum in (2)."""
    change = 0.0
    for i in range(frames, damper_f.shape[0]):
        o = find_point_start(frames, i)
        if o + POINT_SIZE <= rate.shape[0]:
            f = damper_f[i]
            change += dot(f[0], f[1], f[2], rate[o], rate[o + 1], rate[o + 2])
    return change


@kernel
def add_lost(span, R, rate, implicit, work):
    """Add to the power that dampers of contacts take what (2) makes of the correction `rate` of accelerations."""
    change = 0.0
    for i in range(1, R.shape[0]):
        o = 6 * i
        wx, wy, wz = rotate(R, i, rate[o + 3], rate[o + 4], rate[o + 5])
        f, t = implicit.damper_f[i], implicit.damper_torque[i]
        change += dot(f[0], f[1], f[2], rate[o], rate[o + 1], rate[o + 2]) + dot(t[0], t[1], t[2], wx, wy, wz)
    if implicit.joined_count[0] > 0:
        change += calc_lost_at_points(R.shape[0], rate, implicit.damper_f)
    work.dissipated[LEDGER_CONTACTS] -= span * change


@kernel
def add_acted(share, work, acted_out):
    """Add a share of the forces in `work`."""
    for i in range(acted_out.total.shape[0]):
        acted_out.total[i] += share * work.shown[i]


@kernel
def show_acted(acted, work):
    """The forces that acted take the place of those of a state."""
    for i in range(acted.total.shape[0]):
        if acted.is_force[i] == 1:
            work.shown[i] = acted.total[i]
