"""Forces and torques given as functions of time."""

from __future__ import annotations

from grouser.families.joint.kernel_point import calc_axis
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import LEDGER_FORCES
from grouser.kernels.scatter import add_force
from grouser.kernels.signal import calc_signal
from grouser.kernels.spatial import rotate


@kernel(stage=True, rows="applied.body")
def add_applied_forces(
    # tables
    table,
    signal,
    # in
    view,
    # work
    work,
):
    """Add all applied forces; their power [W] is supplied in the family of forces."""
    t, R, v, w_world = view.t, view.R, view.v, view.w_world
    stack_work = work.stack
    for i in range(table.body.shape[0]):
        b = table.body[i]
        fx = calc_signal(signal, table.signal[i, 0], t, stack_work)
        fy = calc_signal(signal, table.signal[i, 1], t, stack_work)
        fz = calc_signal(signal, table.signal[i, 2], t, stack_work)
        tx = calc_signal(signal, table.signal[i, 3], t, stack_work)
        ty = calc_signal(signal, table.signal[i, 4], t, stack_work)
        tz = calc_signal(signal, table.signal[i, 5], t, stack_work)
        if table.turns[i] == 1:
            x1, x2, x3 = calc_axis(R, b, table.frame, i, 0)
            y1, y2, y3 = calc_axis(R, b, table.frame, i, 1)
            z1, z2, z3 = calc_axis(R, b, table.frame, i, 2)
            fx, fy, fz = (
                x1 * fx + y1 * fy + z1 * fz,
                x2 * fx + y2 * fy + z2 * fz,
                x3 * fx + y3 * fy + z3 * fz,
            )
            tx, ty, tz = (
                x1 * tx + y1 * ty + z1 * tz,
                x2 * tx + y2 * ty + z2 * tz,
                x3 * tx + y3 * ty + z3 * tz,
            )
        rx, ry, rz = rotate(R, b, table.p[i, 0], table.p[i, 1], table.p[i, 2])
        add_force(b, (rx, ry, rz), (fx, fy, fz), (tx, ty, tz), work.f, work.torque)
        tx, ty, tz = tx + ry * fz - rz * fy, ty + rz * fx - rx * fz, tz + rx * fy - ry * fx
        work.supplied[LEDGER_FORCES] += fx * v[b, 0] + fy * v[b, 1] + fz * v[b, 2]
        work.supplied[LEDGER_FORCES] += tx * w_world[b, 0] + ty * w_world[b, 1] + tz * w_world[b, 2]
