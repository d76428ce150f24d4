"""Cut joints and ideal motions: multipliers of the constraints that the tree does not hold.

Every constraint row is G . (a, dw of both bodies) = gamma, and pushes on the tree by -G^T lambda
(kernels/joints/constraint.py). The force G^T of a row meets only the bodies between its ends and the root. Its efforts
e there (`articulated.py`, (4)) are all that is needed, because the inverse inertia of the tree is a sum of squares over
its speeds:

    W_ij = sum over speeds e_i e_j/D                     what lambda_j does to row i               (1)
    G A  = sum over speeds e u/D + G B                   what the loads do, u their efforts        (2)

so lambda follows from W lambda = G A - gamma, a small dense system per cluster, and

    u <- u - sum lambda_i e_i                                                                      (3)

before the sweep from root to leaf: neither the sweep upwards nor the one downwards is done twice. W is singular where
rows are redundant (three of the five rows that close a loop of parallel revolutes); lambda is then the shortest one.
(S4-4, 6, 7 with the operational-space inertia of the cuts; the base solve of S1-27 in general.)

The same W projects: with the violation phi, or G u - nu, in place of G A - gamma, (3) with u = 0 gives the change of
the coordinates, or of the speeds, that removes it and is the least in the sense of the kinetic energy.           (4)
"""

from __future__ import annotations

from math import inf

from grouser.formulations.planar.articulated import calc_planar_factors, calc_planar_responses
from grouser.formulations.planar.cuts import calc_planar_cut_factors
from grouser.formulations.planar.kinematics import calc_planar_kinematics
from grouser.formulations.recursive.articulated import (
    add_effort,
    calc_accelerations,
    calc_efforts,
    calc_factors,
    calc_responses,
)
from grouser.formulations.recursive.kinematics import calc_kinematics
from grouser.formulations.recursive.multipliers import calc_multiplier_factors, solve_multipliers
from grouser.formulations.recursive.velocity import calc_bias, calc_loads
from grouser.kernels._jit import kernel
from grouser.kernels.copy import calc_copy, calc_zero
from grouser.kernels.joints.constraint import (
    calc_constraints,
    calc_push,
    calc_row_mobility,
    calc_row_rates,
    find_worst,
)
from grouser.kernels.joints.mobility import calc_coordinates_moved

CLOSED, CLOSED_RATE = 1.0e-13, 1.0e-11
"""Largest violations of cut joints that are left [m, rad], [m/s, rad/s]. At a distance d [rad] from a position where a
loop has a freedom more, a gap e turns the directions of the speeds by e/d^2, so it must be small."""
MOST_ITERATIONS = 20
"""Newton needs two or three from a state that was closed a step ago."""
SLOW = 0.2
"""Share of the violation that an iteration with old factors may leave; above it they are made anew."""
ROUNDING = 1.0e-10
"""A violation below this [m, rad, m/s, rad/s] that an iteration hardly made smaller is left: it is rounding."""


@kernel
def calc_cut_factors(
    # tables
    body,
    tree,
    constraint,
    cut,
    # in
    R,
    # work
    work,
    cut_work,
):
    """e of all rows, and (1) with its factors, from the rows G and the factors of the tree."""
    running, G, push = work.running, cut_work.G, cut_work.push
    speeds = work.inverse.shape[0]
    for i in range(constraint.body_a.shape[0]):
        a, b = constraint.body_a[i], constraint.body_b[i]
        first, last = cut.path_start[i], cut.path_start[i + 1]
        for row in range(constraint.row_start[i], constraint.row_start[i] + constraint.row_count[i]):
            calc_push(G, row, a, b, R, push)
            cut_work.mobility[row] = calc_row_mobility(body, G, row, a, b)
            effort = cut_work.effort[row]
            for j in range(speeds):
                effort[j] = 0.0
            for p in range(first, last):
                k = tree.body[cut.path[p]]
                for j in range(6):
                    running[k, j] = 0.0
            for j in range(6):
                running[a, j] += push[row, j]
                running[b, j] += push[row, 6 + j]
            for p in range(first, last):
                add_effort(tree, cut.path[p], running, effort, work)
    calc_multiplier_factors(cut, work.inverse, cut_work)


@kernel
def calc_closed(
    # tables
    body,
    tree,
    constraint,
    cut,
    scalar,
    signal,
    # in
    t,
    x,
    R,
    v,
    w,
    z,
    f,
    torque,
    tau,
    drag,
    extra,
    extra_speed,
    # out
    qdd_out,
    a_out,
    dw_out,
    # work
    work,
    cut_work,
):
    """Accelerations of a tree with cut joints and ideal motions; the rest as `articulated.calc_articulated`.

    Multipliers stay in `cut_work.multiplier`, the number of independent rows of each cluster in `cut_work.rank`. The
    forces of the cuts are added to `work.load`, so that the reactions of the tree's joints know of them.
    """
    calc_factors(body, tree, x, R, extra, extra_speed, work)
    calc_bias(tree, x, R, v, w, work)
    calc_loads(body, R, v, w, f, torque, drag, extra, work)
    calc_efforts(tree, work.wrench, tau, work)
    if constraint.body_a.shape[0] > 0:
        calc_constraints(
            constraint,
            scalar,
            signal,
            0,
            constraint.body_a.shape[0],
            t,
            x,
            R,
            v,
            work.w_world,
            z,
            cut_work.phi,
            cut_work.G,
            cut_work.nu,
            cut_work.gamma,
            cut_work.stack,
        )
        calc_cut_factors(body, tree, constraint, cut, R, work, cut_work)
        right, push, bias = cut_work.right, cut_work.push, work.bias
        for i in range(constraint.body_a.shape[0]):
            a, b = constraint.body_a[i], constraint.body_b[i]
            for row in range(constraint.row_start[i], constraint.row_start[i] + constraint.row_count[i]):
                value = -cut_work.gamma[row]
                for j in range(6):
                    value += push[row, j] * bias[a, j] + push[row, 6 + j] * bias[b, j]
                e = cut_work.effort[row]
                for k in range(work.effort.shape[0]):
                    value += e[k] * work.effort[k] * work.inverse[k]
                right[row] = value  # (2)
        solve_multipliers(cut, right, work, cut_work)
        for i in range(constraint.body_a.shape[0]):
            a, b = constraint.body_a[i], constraint.body_b[i]
            for row in range(constraint.row_start[i], constraint.row_start[i] + constraint.row_count[i]):
                for j in range(6):
                    work.load[a, j] -= cut_work.multiplier[row] * push[row, j]
                    work.load[b, j] -= cut_work.multiplier[row] * push[row, 6 + j]
    calc_responses(tree, qdd_out, work.response, work)
    calc_accelerations(R, work.response, work.bias, a_out, dw_out)


@kernel
def solve_closure(
    # tables
    body,
    tree,
    plane,
    space,
    constraint,
    cut,
    scalar,
    signal,
    # in
    t,
    z,
    tolerance,
    tolerance_rate,
    carry,
    extra,
    extra_speed,
    # out
    q_out,
    qd_out,
    x_out,
    R_out,
    v_out,
    w_out,
    # work
    work,
    cut_work,
):
    """Coordinates and speeds that close all cuts, from ones that nearly do, and the absolute state that goes with them.

    Positions by Newton (4), then velocities likewise; factors are made anew where old ones would be slow. The impulses
    that change the speeds are left in `cut_work.impulse`.

    Parameters
    ----------
    plane, space : where bodies move; one of them is None, the other the plane table, or anything
    tolerance : largest violation that is left [m, rad]
    tolerance_rate : largest rate of a violation that is left [m/s, rad/s]
    carry : 1/dt where corrections of coordinates change speeds (`augmented/project.py`), else 0
    extra, extra_speed : as in `calc_factors`: what is least is then measured with them

    Returns the largest violation left, and its row in the constraints of the cuts (-1 without cuts).
    """
    worst, row = 0.0, -1
    calc_zero(cut_work.impulse)
    iteration = 0
    has_factors = is_velocity = False
    before = inf
    # one call of each large kernel: place the bodies, look, correct positions, then velocities
    while True:
        if plane is not None:
            calc_planar_kinematics(tree, plane, q_out, qd_out, x_out, R_out, v_out, w_out, work)
        if space is not None:
            calc_kinematics(tree, q_out, qd_out, x_out, R_out, v_out, w_out, work)
        if constraint.body_a.shape[0] == 0:
            break
        calc_constraints(
            constraint,
            scalar,
            signal,
            0,
            constraint.body_a.shape[0],
            t,
            x_out,
            R_out,
            v_out,
            work.w_world,
            z,
            cut_work.phi,
            cut_work.G,
            cut_work.nu,
            cut_work.gamma,
            cut_work.stack,
        )
        worst, row = find_worst(cut_work.phi)
        is_rounding = worst <= ROUNDING and worst > SLOW * before
        if not is_velocity and (worst <= tolerance or is_rounding or iteration == MOST_ITERATIONS):
            is_velocity = True
            iteration = 0
            before = inf
        if is_velocity:
            calc_row_rates(constraint, v_out, w_out, cut_work.G, cut_work.nu, cut_work.right)
            size, _ = find_worst(cut_work.right)
            is_rounding = size <= ROUNDING and size > SLOW * before
            if size <= tolerance_rate or is_rounding or iteration == MOST_ITERATIONS:
                break
        else:
            calc_copy(cut_work.phi, cut_work.right)
            size = worst
        if not has_factors or not size <= SLOW * before:
            if plane is not None:
                calc_planar_factors(body, tree, plane, x_out, extra, work)
                calc_planar_cut_factors(body, tree, plane, constraint, cut, work, cut_work)
            if space is not None:
                calc_factors(body, tree, x_out, R_out, extra, extra_speed, work)
                calc_cut_factors(body, tree, constraint, cut, R_out, work, cut_work)
            has_factors = True
        before = size
        iteration += 1
        calc_zero(work.effort)
        solve_multipliers(cut, cut_work.right, work, cut_work)
        for k in range(cut_work.impulse.shape[0]):
            cut_work.impulse[k] += (1.0 if is_velocity else carry) * cut_work.multiplier[k]
        if plane is not None:
            calc_planar_responses(tree, cut_work.move, work)
        if space is not None:
            calc_responses(tree, cut_work.move, work.response, work)
        if is_velocity:
            for k in range(qd_out.shape[0]):
                qd_out[k] += cut_work.move[k]
        else:
            calc_coordinates_moved(tree, 1.0, q_out, cut_work.move, q_out)
            for k in range(qd_out.shape[0]):
                qd_out[k] += carry * cut_work.move[k]
    return worst, row
