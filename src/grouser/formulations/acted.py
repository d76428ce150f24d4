"""Forces as they acted: what results show is what moved the bodies.

In explicit schemes forces are those of a state, and they act as they are. In implicit steps a force changes within the
step, and what acts is what the linear system made of it (`grouser.kernels.scatter`, (6)): with the accelerations or
their last correction `rate`,

    f_acted = f + bias - (S d + X w),   t_acted = t + bias - (X^T d + B w)                (1)

d is the acceleration of the element's point of b as seen from a, w the relative angular acceleration. All these forces
together are the masses times the accelerations, to the last digit of the linear solution. So what a body is shown to
feel in a step is its change of momentum.

A step of several stages acts with the mean of their forces, each by its weight. `Acted` collects it. Leapfrog steps
act with forces of velocities half a step before; where velocities have caught up, at the end of a frame, forces of
stiff dampers are others, and those that acted last are shown.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from grouser.formulations.workspace import Workspace
from grouser.kernels._jit import kernel
from grouser.kernels.copy import calc_zero, calc_zero_rows
from grouser.kernels.kinds import (
    FAMILY_FORCES,
    FAMILY_MOTIONS,
    LAW_MOTION_POSITION,
    LAW_MOTION_SPEED,
    NOTE_BRAKES,
    NOTE_CONTACTS,
    NOTE_FRAMES,
    NOTE_POINTS,
    NOTE_SCALARS,
    NOTE_TYRES,
    PAIR_LAST_TERRAIN,
)
from grouser.kernels.matrix import apply, row_matrix, transpose
from grouser.kernels.spatial import cross, dot, rotate

FORCES = {"joint_force": 3, "joint_moment": 3, "contact_force": 3, "ground_force": 3, "scalar_value": 1}
FORCES |= {"contact_sum": 4, "tyre_value": 4, "brake_value": 1, "a": 3, "dw": 3}
"""Arrays of the workspace that show forces and accelerations, and how many of their columns do."""

Acted = namedtuple("Acted", list(FORCES))
"""Mean forces of a step, in arrays like those of the workspace."""


def make_acted(work: Workspace) -> Acted:
    """For the forces of a workspace."""
    return Acted(*(np.zeros_like(getattr(work, name)[:, :columns]) for name, columns in FORCES.items()))


@kernel
def calc_relative(note, a, b, R, rate):
    """d and w of (1) from accelerations (v world axes, w body axes) of all bodies."""
    world = R.shape[0] - 1
    dx = dy = dz = wx = wy = wz = 0.0
    if b < world:
        o = 6 * b
        wx, wy, wz = rotate(R, b, rate[o + 3], rate[o + 4], rate[o + 5])
        tx, ty, tz = cross(wx, wy, wz, note[30], note[31], note[32])
        dx, dy, dz = rate[o] + tx, rate[o + 1] + ty, rate[o + 2] + tz
    if a < world:
        o = 6 * a
        ux, uy, uz = rotate(R, a, rate[o + 3], rate[o + 4], rate[o + 5])
        tx, ty, tz = cross(ux, uy, uz, note[27], note[28], note[29])
        dx, dy, dz = dx - rate[o] - tx, dy - rate[o + 1] - ty, dz - rate[o + 2] - tz
        wx, wy, wz = wx - ux, wy - uy, wz - uz
    return dx, dy, dz, wx, wy, wz


@kernel
def calc_response(blocks, row, share, R, rate):
    """What (1) adds to the force and to the torque of an element; `share` of the bias counts."""
    note = blocks.note[row]
    dx, dy, dz, wx, wy, wz = calc_relative(note, blocks.note_body[row, 0], blocks.note_body[row, 1], R, rate)
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
def calc_scalar_response(blocks, row, share, R, rate):
    """What (1) adds to the force along a coordinate."""
    fx, fy, fz, tx, ty, tz = calc_response(blocks, row, share, R, rate)
    x, y, z = blocks.note[row, 39], blocks.note[row, 40], blocks.note[row, 41]
    size = dot(x, y, z, x, y, z)
    return dot(fx + tx, fy + ty, fz + tz, x, y, z) / size if size > 0.0 else 0.0


@kernel
def add_joint_responses(joint, start, share, R, rate, blocks, work):
    """(1) for connections whose rows begin at `start`."""
    for i in range(joint.shape[0]):
        fx, fy, fz, tx, ty, tz = calc_response(blocks, start + i, share, R, rate)
        force, moment = work.joint_force[joint[i]], work.joint_moment[joint[i]]
        force[0], force[1], force[2] = force[0] + fx, force[1] + fy, force[2] + fz
        moment[0], moment[1], moment[2] = moment[0] + tx, moment[1] + ty, moment[2] + tz


@kernel
def add_responses(
    # tables
    tables,
    # in
    share,
    R,
    rate,
    blocks,
    # work
    work,
):
    """Turn the forces in `work` into those that acted (1), by the slopes that were noted with the matrix.

    `rate` is what the linear system gave: accelerations of a linearly implicit step, with `share` one, or the last
    correction of accelerations that are iterated, with `share` zero.
    """
    first = blocks.note_start
    add_joint_responses(tables.point.joint, first[NOTE_POINTS], share, R, rate, blocks, work)
    add_joint_responses(tables.frame.joint, first[NOTE_FRAMES], share, R, rate, blocks, work)
    for i in range(first[NOTE_SCALARS], first[NOTE_TYRES]):
        work.scalar_value[i - first[NOTE_SCALARS], 0] += calc_scalar_response(blocks, i, share, R, rate)
    for i in range(first[NOTE_TYRES], first[NOTE_BRAKES]):
        fx, fy, fz, _, _, _ = calc_response(blocks, i, share, R, rate)
        x, y, z = blocks.note[i, 39], blocks.note[i, 40], blocks.note[i, 41]
        ex, ey, ez = blocks.note[i, 42], blocks.note[i, 43], blocks.note[i, 44]
        shown = work.tyre_value[i - first[NOTE_TYRES]]
        shown[0] += dot(fx, fy, fz, ex, ey, ez)
        shown[1] += dot(fx, fy, fz, *cross(x, y, z, ex, ey, ez))
        shown[2] += dot(fx, fy, fz, x, y, z)
        body = work.contact_force[blocks.note_body[i, 1]]
        body[0], body[1], body[2] = body[0] + fx, body[1] + fy, body[2] + fz
    for i in range(first[NOTE_BRAKES], first[NOTE_CONTACTS]):
        _, _, _, tx, ty, tz = calc_response(blocks, i, share, R, rate)
        x, y, z = blocks.note[i, 39], blocks.note[i, 40], blocks.note[i, 41]
        work.brake_value[i - first[NOTE_BRAKES], 0] += dot(tx, ty, tz, x, y, z)
    for n in range(blocks.note_count[0]):
        i, g = first[NOTE_CONTACTS] + n, blocks.note_group[n]
        fx, fy, fz, _, _, _ = calc_response(blocks, i, share, R, rate)
        x, y, z = blocks.note[i, 39], blocks.note[i, 40], blocks.note[i, 41]
        normal = dot(fx, fy, fz, x, y, z)
        shown = work.contact_sum[g]
        shown[0] += normal
        shown[1] += fx - normal * x
        shown[2] += fy - normal * y
        shown[3] += fz - normal * z
        other, body = work.contact_force[blocks.note_body[i, 0]], work.contact_force[blocks.note_body[i, 1]]
        body[0], body[1], body[2] = body[0] + fx, body[1] + fy, body[2] + fz
        other[0], other[1], other[2] = other[0] - fx, other[1] - fy, other[2] - fz
        if tables.contact.kind[g] <= PAIR_LAST_TERRAIN:
            ground = work.ground_force[blocks.note_body[i, 1]]
            ground[0], ground[1], ground[2] = ground[0] + fx, ground[1] + fy, ground[2] + fz


@kernel
def add_supplied(
    # tables
    scalar,
    # in
    R,
    rate,
    blocks,
    # work
    work,
):
    """Add to the power that actuators and motions put in what (1) adds to their forces, by the correction `rate`."""
    first = blocks.note_start[NOTE_SCALARS]
    for i in range(scalar.law.shape[0]):
        pace = work.scalar_value[i, 4]
        if pace != 0.0:
            is_motion = scalar.law[i] in (LAW_MOTION_POSITION, LAW_MOTION_SPEED)
            work.supplied[FAMILY_MOTIONS if is_motion else FAMILY_FORCES] += pace * calc_scalar_response(
                blocks, first + i, 0.0, R, rate
            )


@kernel(inline=True)
def _add_columns(share, values, out):
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] += share * values[i, k]


@kernel(inline=True)
def _show_columns(values, out):
    for i in range(values.shape[0]):
        for k in range(values.shape[1]):
            out[i, k] = values[i, k]


@kernel
def add_acted(share, work, acted_out):
    """Add a share of the forces in `work`."""
    _add_columns(share, work.joint_force, acted_out.joint_force)
    _add_columns(share, work.joint_moment, acted_out.joint_moment)
    _add_columns(share, work.contact_force, acted_out.contact_force)
    _add_columns(share, work.ground_force, acted_out.ground_force)
    _add_columns(share, work.scalar_value, acted_out.scalar_value)
    _add_columns(share, work.contact_sum, acted_out.contact_sum)
    _add_columns(share, work.tyre_value, acted_out.tyre_value)
    _add_columns(share, work.brake_value, acted_out.brake_value)
    _add_columns(share, work.a, acted_out.a)
    _add_columns(share, work.dw, acted_out.dw)


@kernel
def calc_nothing_acted(acted_out):
    """Set all forces to zero."""
    calc_zero_rows(acted_out.joint_force)
    calc_zero_rows(acted_out.joint_moment)
    calc_zero_rows(acted_out.contact_force)
    calc_zero_rows(acted_out.ground_force)
    calc_zero_rows(acted_out.a)
    calc_zero_rows(acted_out.dw)
    for values in (acted_out.scalar_value, acted_out.contact_sum, acted_out.tyre_value, acted_out.brake_value):
        for i in range(values.shape[0]):
            calc_zero(values[i])


@kernel
def show_acted(acted, work):
    """The forces that acted take the place of those of a state."""
    _show_columns(acted.joint_force, work.joint_force)
    _show_columns(acted.joint_moment, work.joint_moment)
    _show_columns(acted.contact_force, work.contact_force)
    _show_columns(acted.ground_force, work.ground_force)
    _show_columns(acted.scalar_value, work.scalar_value)
    _show_columns(acted.contact_sum, work.contact_sum)
    _show_columns(acted.tyre_value, work.tyre_value)
    _show_columns(acted.brake_value, work.brake_value)
    _show_columns(acted.a, work.a)
    _show_columns(acted.dw, work.dw)
