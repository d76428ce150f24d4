"""Back onto the constraints: positions by Newton, then velocities by a linear solve.

The correction d of the positions, or of the velocities, is the least one in the metric of the system's matrix A:

    [A  G^T] [d ]   [ 0  ]            [ 0       ]
    [G   0 ] [mu] = [-phi]    or      [nu - G u]                                          (1)

Positions are corrected with the factor of the last evaluation: an old factor only costs iterations. In Euler and
leapfrog steps the positions follow from the velocities alone, so what moves positions by d changes velocities by d/dt:
the joint forces then act through the whole step (SHAKE). Velocities are projected with a new factor, in the directions
at the end of the step: an oblique projection would feed energy into the motion in every step. Those of leapfrog steps,
half a step before the positions, are left as they are until they have caught up.

DIFFERS from the chain-formulations paper, which splits the coordinates into independent and dependent ones and corrects
the dependent: (1) needs no split, so nothing has to be identified anew when the split becomes ill-conditioned, and
treats all bodies alike.
"""

from __future__ import annotations

from math import inf

from grouser.families.joint.kernel_constraint import calc_row_rates, find_worst
from grouser.formulations.augmented.evaluate import add_masses, calc_rows
from grouser.kernels._jit import kernel
from grouser.kernels.block_ldl import FACTORED, WIDTH, calc_factor, solve_factored
from grouser.kernels.copy import calc_zero
from grouser.kernels.nodes import FRAME_SIZE, find_point_start
from grouser.kernels.plane import calc_in_plane
from grouser.kernels.rotation import calc_rotated
from grouser.kernels.spatial import rotate

TOLERANCE = 1.0e-12
"""Largest violation of positions that the time loop leaves [m, rad]: on bodies that turn at w a gap e is also a
violation w e of velocities and w^2 e of accelerations, and links turn at 50 rad/s."""
TOLERANCE_RATE = 3.0e-11
"""Largest violation of velocities that the time loop leaves [m/s, rad/s]."""
ROUNDING = 1.0e-10
"""A violation below this [m, rad, m/s, rad/s] that an iteration hardly made smaller is left: it is rounding."""
MOST_ITERATIONS = 25
"""Iterations after which what is left is left."""
SLOW = 0.3
"""Share of the violation that an iteration with an old factor may leave; above it a new one is made."""


@kernel
def calc_mass_factor(
    # tables
    tables,
    # in
    ideal,
    instant,
    # work
    system_work,
    work,
):
    """Factor of the system with the masses alone, for a first projection; nothing where `ideal` is None."""
    if ideal is None:
        return FACTORED
    calc_zero(system_work.value)
    add_masses(tables.node, system_work.pair_block, system_work.value)
    calc_rows(tables, instant, system_work, work)
    return calc_factor(
        system_work.elimination, system_work.value, system_work.shift, system_work.factor, system_work.pivot
    )


@kernel
def add_correction(body, step, is_velocity, position_to_speed, instant_out):
    """Correct velocities by (1), or positions and with them velocities by `position_to_speed` times as much."""
    x_out, R_out, v_out, w_out = instant_out.x, instant_out.R, instant_out.v, instant_out.w
    frames = R_out.shape[0]
    share = 1.0 if is_velocity else position_to_speed
    for i in range(1, frames):
        o = FRAME_SIZE * i
        for c in range(3):
            v_out[i, c] += share * step[o + c]
            w_out[i, c] += share * step[o + 3 + c]
        if not is_velocity:
            for c in range(3):
                x_out[i, c] += step[o + c]
            calc_rotated(R_out, i, step[o + 3], step[o + 4], step[o + 5], R_out)
    for i in range(frames, body.mass.shape[0]):
        o = find_point_start(frames, i)
        for c in range(3):
            v_out[i, c] += share * step[o + c]
            if not is_velocity:
                x_out[i, c] += step[o + c]


@kernel(stage="float64", rows="constraint.row_kind")
def solve_projection(
    # tables
    tables,
    # in
    ideal,
    tolerance,
    position_to_speed,
    # out
    instant_out,
    # work
    system_work,
    work,
):
    """Bring a state onto its constraints (1). Returns the largest violation of positions that is left.

    `tolerance` are the largest violations that may be left, of positions [m, rad] and of velocities [m/s, rad/s]; with
    an infinite second one there is only a new factor for the evaluation. `position_to_speed` is 1/dt where corrections
    of positions change velocities, else 0. The impulses that change the velocities are left in `system_work.impulse`.
    """
    if ideal is None:
        return 0.0
    system, constraint = system_work, tables.constraint
    R_out, w_out = instant_out.R, instant_out.w
    frames, start = R_out.shape[0], system.start[0]
    is_velocity = False
    before = inf
    iteration = 0
    worst = 0.0
    system.fresh[0] = 0
    calc_zero(system.impulse)
    while True:
        for i in range(1, frames):
            wx, wy, wz = rotate(R_out, i, w_out[i, 0], w_out[i, 1], w_out[i, 2])
            work.w_world[i, 0], work.w_world[i, 1], work.w_world[i, 2] = wx, wy, wz
        if not is_velocity:
            calc_rows(tables, instant_out, system, work)
            worst, _ = find_worst(system.phi)
            is_rounding = worst <= ROUNDING and worst > SLOW * before
            if worst <= tolerance[0] or is_rounding or iteration == MOST_ITERATIONS or not worst < inf:
                is_velocity = True
                iteration = 0
                before = inf
                if calc_factor(system.elimination, system.value, system.shift, system.factor, system.pivot) != FACTORED:
                    break
                system.fresh[0] = 1
        size = worst
        if is_velocity:
            calc_row_rates(constraint, instant_out.v, w_out, system.G, system.nu, system.rate)
            size, _ = find_worst(system.rate)
            is_rounding = size <= ROUNDING and size > SLOW * before
            if size <= tolerance[1] or is_rounding or iteration == MOST_ITERATIONS or not size < inf:
                break
        if (
            not size <= SLOW * before
            and before < inf
            and calc_factor(system.elimination, system.value, system.shift, system.factor, system.pivot) != FACTORED
        ):
            break
        before = size
        iteration += 1
        step = system.residual
        for i in range(start):
            step[i] = 0.0
        for k in range(constraint.body_a.shape[0]):
            first = constraint.row_start[k]
            for row in range(constraint.row_count[k]):
                left = system.rate[first + row] if is_velocity else system.phi[first + row]
                step[start + WIDTH * k + row] = -left
        solve_factored(system.elimination, system.factor, step)
        calc_in_plane(tables.node, step)
        for k in range(constraint.body_a.shape[0]):
            first = constraint.row_start[k]
            for row in range(constraint.row_count[k]):
                system.impulse[first + row] += (1.0 if is_velocity else position_to_speed) * step[
                    start + WIDTH * k + row
                ]
        add_correction(tables.node, step, is_velocity, position_to_speed, instant_out)
    return worst
