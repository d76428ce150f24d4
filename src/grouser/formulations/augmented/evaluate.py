"""Accelerations with multipliers, or of a linearly implicit step, or both: one sparse symmetric system.

    [M + h C + h^2 K   G^T] [du/dt ]   [F - h K u]
    [G                  0 ] [lambda] = [gamma    ]                                        (1)

K and C, stiffness and damping, and the force -h K u stand only in steps that are linearly implicit
(`grouser.kernels.scatter`). u = (v world axes, w body axes) of all bodies, and v of all points, so that the mass matrix
is constant:

    F = (f + m g,  R^T torque - w x (I w))                                                (2)
"""

from __future__ import annotations

from grouser.families.joint.kernel_constraint import calc_constraints, calc_reactions
from grouser.formulations.augmented.coupled import TOLERANCE, TOLERANCE_SHOWN, solve_coupled
from grouser.kernels._jit import kernel
from grouser.kernels.block_ldl import BLOCK, DIAGONAL, FACTORED, HALF_DIAGONAL, WIDTH, calc_factor, solve_refined
from grouser.kernels.contact.coupling import calc_coupled
from grouser.kernels.kinds import WORLD_ROW
from grouser.kernels.mesh_mass import add_mesh_loads, add_mesh_masses, add_mesh_residual
from grouser.kernels.nodes import FRAME_SIZE, find_point_block, find_point_start
from grouser.kernels.spatial import rotate, rotate_back
from grouser.kernels.view import View

REFINEMENTS = 5
"""Most steps of refinement that remove the regularisation of the multipliers."""
HELD = 2.0e-9
"""Violation of accelerations [m/s^2, rad/s^2] below which no further step of refinement is made."""


@kernel
def add_masses(
    # tables
    body,
    # in
    pair_block,
    # out
    value_out,
):
    """Add the mass matrix to the blocks of the nodes, and between rows of meshes where `pair_block` says."""
    for i in range(1, body.inertia.shape[0]):
        o = BLOCK * i
        for k in range(3):
            value_out[o + DIAGONAL * k] += body.mass[i]
            for c in range(3):
                value_out[o + HALF_DIAGONAL + WIDTH * k + c] += body.inertia[i, k, c]
    frames = body.across.shape[0]
    for i in range(frames, body.mass.shape[0]):
        o = find_point_block(frames, i)
        for k in range(3):
            value_out[o + DIAGONAL * k] += body.mass[i]
    if body.coupled.shape[0] > 0:
        add_mesh_masses(body, pair_block, value_out)


@kernel(stage=True, rows="constraint.row_kind")
def calc_rows(
    # tables
    tables,
    # in
    instant,
    # out
    system_out,
    # work
    work,
):
    """The constraint rows at a state, their blocks in the matrix, which overwrite what was there, and their right-hand
    sides."""
    constraint = tables.constraint
    system = system_out
    view = View(instant.t, instant.x, instant.R, instant.v, work.w_world, instant.z)
    calc_constraints(constraint, tables.scalar, tables.signal, 0, constraint.body_a.shape[0], view, system, work.stack)
    for k in range(constraint.body_a.shape[0]):
        first = constraint.row_start[k]
        for side in range(2):
            body = constraint.body_a[k] if side == 0 else constraint.body_b[k]
            if body == WORLD_ROW:
                continue
            offset, flip = system.edge[k, side, 0], system.edge[k, side, 1]
            for row in range(constraint.row_count[k]):
                for c in range(FRAME_SIZE):
                    place = offset + (WIDTH * c + row if flip == 1 else WIDTH * row + c)
                    system.value[place] = system.G[first + row, FRAME_SIZE * side + c]
        for row in range(constraint.row_count[k]):
            system.right[system.start[0] + WIDTH * k + row] = system.gamma[first + row]


@kernel
def calc_loads(
    # tables
    body,
    # in
    instant,
    drag,
    implicit,
    # out
    right_out,
    # work
    work,
):
    """(2) for all nodes, with the force -h K u of a linearly implicit step, and the drag of settling."""
    gx, gy, gz = body.gravity[0], body.gravity[1], body.gravity[2]
    f, torque = work.f, work.torque
    R, v, w = instant.R, instant.v, instant.w
    for i in range(1, body.inertia.shape[0]):
        m = body.mass[i]
        fx, fy, fz = f[i, 0], f[i, 1], f[i, 2]
        tx, ty, tz = torque[i, 0], torque[i, 1], torque[i, 2]
        if implicit is not None:
            fx, fy, fz = fx + implicit.f[i, 0], fy + implicit.f[i, 1], fz + implicit.f[i, 2]
            tx, ty, tz = tx + implicit.torque[i, 0], ty + implicit.torque[i, 1], tz + implicit.torque[i, 2]
        right_out[6 * i] = fx + m * (gx - drag * v[i, 0])
        right_out[6 * i + 1] = fy + m * (gy - drag * v[i, 1])
        right_out[6 * i + 2] = fz + m * (gz - drag * v[i, 2])
        tx, ty, tz = rotate_back(R, i, tx, ty, tz)
        wx, wy, wz = w[i, 0], w[i, 1], w[i, 2]
        hx, hy, hz = rotate(body.inertia, i, wx, wy, wz)
        right_out[6 * i + 3] = tx - (wy * hz - wz * hy) - drag * hx
        right_out[6 * i + 4] = ty - (wz * hx - wx * hz) - drag * hy
        right_out[6 * i + 5] = tz - (wx * hy - wy * hx) - drag * hz
    frames = R.shape[0]
    for i in range(frames, body.mass.shape[0]):
        o = find_point_start(frames, i)
        for k in range(3):
            right_out[o + k] = f[i, k] + body.mass[i] * (body.gravity[k] - drag * v[i, k])
            if implicit is not None:
                right_out[o + k] += implicit.f[i, k]
    if body.coupled.shape[0] > 0:
        add_mesh_loads(body, v, drag, right_out)


@kernel
def calc_residual(
    # tables
    body,
    # in
    rate,
    # out
    right_out,
):
    """F - M du from F in `right_out`."""
    for i in range(1, body.inertia.shape[0]):
        o = FRAME_SIZE * i
        tx, ty, tz = rotate(body.inertia, i, rate[o + 3], rate[o + 4], rate[o + 5])
        for k in range(3):
            right_out[o + k] -= body.mass[i] * rate[o + k]
        right_out[o + 3] -= tx
        right_out[o + 4] -= ty
        right_out[o + 5] -= tz
    frames = body.across.shape[0]
    for i in range(frames, body.mass.shape[0]):
        o = find_point_start(frames, i)
        for k in range(3):
            right_out[o + k] -= body.mass[i] * rate[o + k]
    if body.coupled.shape[0] > 0:
        add_mesh_residual(body, rate, right_out)


@kernel
def take_reactions(
    # tables
    constraint,
    # in
    ideal,
    R,
    # out
    peak_out,
    # work
    system_work,
    work,
):
    """Multipliers from the solution, and the reactions that they are; nothing where `ideal` is None."""
    if ideal is None:
        return
    system = system_work
    for k in range(constraint.body_a.shape[0]):
        first = constraint.row_start[k]
        for row in range(constraint.row_count[k]):
            system.multiplier[first + row] = system.solution[system.start[0] + WIDTH * k + row]
    calc_reactions(constraint, R, system, peak_out, work)


@kernel(stage="boolean")
def solve_system(
    # tables
    tables,
    # in
    instant,
    drag,
    implicit,
    # out
    rate_out,
    peak_out,
    # work
    system_work,
    work,
):
    """Solve (1) from the forces in `work`, and where `implicit` is not None from the stiffness and damping in the
    matrix.

    Leaves the reactions in `work`. Returns False where the matrix is singular.
    """
    system, constraint = system_work, tables.constraint
    length = rate_out.shape[0]
    if implicit is None:
        # the blocks of the nodes, and those between rows of meshes
        for i in range(WIDTH * length if tables.node.coupled.shape[0] == 0 else system.value.shape[0]):
            system.value[i] = 0.0
    add_masses(tables.node, system.pair_block, system.value)
    calc_loads(tables.node, instant, drag, implicit, system.right, work)
    if constraint.row_kind.shape[0] > 0:
        calc_rows(tables, instant, system, work)
    elimination = system.elimination
    has_factor = implicit is None and system.fresh[0] == 1
    if not has_factor and (
        calc_factor(elimination, system.value, system.shift, system.factor, system.pivot) != FACTORED
    ):
        return False
    system.fresh[0] = 0
    if implicit is not None:
        calc_coupled(implicit.rates_before, system.coupled, implicit)
        for i in range(length):
            system.right[i] += system.coupled[i]
    steps = REFINEMENTS if constraint.row_kind.shape[0] > 0 else 0
    solve_refined(elimination, system.value, system.factor, system.right, steps, HELD, system.solution, system.residual)
    if implicit is not None and implicit.coupled_count[0] + implicit.joined_count[0] > 0:
        tolerance = TOLERANCE_SHOWN if implicit.noted[0] == 1 else TOLERANCE
        solve_coupled(
            elimination, system.factor, implicit, length, implicit.rates_before, tolerance, system.solution, system
        )
    for i in range(length):
        rate_out[i] = system.solution[i]
    take_reactions(constraint, system.ideal, instant.R, peak_out, system, work)
    return True
