"""Cut joints and ideal motions: multipliers of the constraints that the tree does not hold.

Every constraint row is G . (a, dw of both bodies) = gamma, and pushes on the tree by -G^T lambda
(`grouser.families.joint`). The force G^T of a row meets only the bodies between its ends and the root. Its efforts
e there (`articulated.py`, (4)) are all that is needed, because the inverse inertia of the tree is a sum of squares over
its speeds:

    W_ij = sum over speeds e_i e_j/D                     what lambda_j does to row i               (1)
    G A  = sum over speeds e u/D + G B                   what the loads do, u their efforts        (2)

so lambda follows from W lambda = G A - gamma, a small dense system per cluster, and

    u <- u - sum lambda_i e_i                                                                      (3)

before the sweep from root to leaf: neither the sweep upwards nor the one downwards is done twice. W is singular where
rows are redundant (three of the five rows that close a loop of parallel revolutes); lambda is then the shortest one.
(S4-4, 6, 7 with the operational-space inertia of the cuts; the base solve of S1-27 in general.)

W_ii can be small beside the mobility that the two bodies would have without joints, for two reasons. Near a position in
which a loop gains a freedom, the tree itself holds row i (`semidefinite.py`): the row is then redundant. Where two
light bodies are fixed to heavy ones W_ii is small as well, and the row is not redundant. With f = (force, moment) of
the row on its way to the root, no position of the tree could give W_ii more than

    sum over speeds (|S_v| |f_v| + |S_w| |f_w|)^2/D                                                (5)

so W_ii is compared with the smaller of that mobility and (5). (5) is calculated only where W_ii is small beside the
mobility.

The same W projects: with the violation phi, or G u - nu, in place of G A - gamma, (3) with u = 0 gives the change of
the coordinates, or of the speeds, that removes it and is the least in the sense of the kinetic energy.           (4)
"""

from __future__ import annotations

from math import inf, sqrt

from grouser.families.joint.kernel_constraint import calc_push, calc_row_mobility, calc_row_rates, find_worst
from grouser.formulations.planar.articulated import calc_planar_factors, calc_planar_responses
from grouser.formulations.planar.cuts import calc_planar_cut_factors
from grouser.formulations.planar.kinematics import calc_planar_kinematics
from grouser.formulations.recursive.articulated import (
    calc_accelerations,
    calc_efforts,
    calc_factors,
    calc_responses,
)
from grouser.formulations.recursive.kinematics import calc_kinematics, calc_tree_poses, calc_velocities
from grouser.formulations.recursive.multipliers import (
    add_multipliers,
    calc_cut_constraints,
    calc_multiplier_factors,
    calc_row_start,
    is_suspicious,
    solve_multipliers,
)
from grouser.formulations.recursive.velocity import calc_bias, calc_loads
from grouser.kernels._jit import kernel
from grouser.kernels.copy import calc_copy, calc_zero
from grouser.kernels.joints.mobility import calc_coordinates_moved

CLOSED, CLOSED_RATE = 1.0e-13, 1.0e-11
"""Largest violations of cut joints that are left [m, rad], [m/s, rad/s]. At a distance d [rad] from a position where a
loop has a freedom more, a gap e turns the directions of the speeds by e/d^2, so it must be small."""
CLOSED_BETWEEN = 1.0e-10
"""Largest violation [m, rad] that leapfrog steps leave within a frame: the next step takes it up."""
MOST_ITERATIONS = 40
"""Newton needs two or three from a state that was closed a step ago."""
SLOW = 0.2
"""Share of the violation that an iteration with old factors may leave; above it they are made anew."""
NEAR = 1.0e-6
"""Violation of positions [m, rad] from which on speeds are corrected too."""
ROUNDING = 1.0e-10
"""A violation below this [m, rad, m/s, rad/s] that an iteration hardly made smaller is left: it is rounding."""


@kernel(stage=True, rows="tree.constraint.body_a")
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
    running, G, push, effort = cut_work.running, cut_work.G, cut_work.push, cut_work.effort
    for i in range(constraint.body_a.shape[0]):
        a, b = constraint.body_a[i], constraint.body_b[i]
        first, last = cut.path_start[i], cut.path_start[i + 1]
        for p in range(first, last):
            sums = running[tree.body[cut.path[p]]]
            for j in range(6):
                for lane in range(6):
                    sums[j, lane] = 0.0
        for lane in range(constraint.row_count[i]):
            row = constraint.row_start[i] + lane
            calc_push(G, row, a, b, R, push)
            cut_work.mobility[row] = calc_row_mobility(body, G, row, a, b)
            for j in range(6):
                running[a, j, lane] += push[row, j]
                running[b, j, lane] += push[row, 6 + j]
        place = cut.speed_start[i]
        for p in range(first, last):
            place = add_path_efforts(tree, cut.path[p], place, running, effort, work)
        for lane in range(constraint.row_count[i]):
            row = constraint.row_start[i] + lane
            if is_suspicious(cut, i, lane, cut_work.mobility[row], work.inverse, effort):
                calc_row_start(tree, cut, i, row, a, b, 6, push, running)
                bound = calc_path_bound(tree, cut, i, running, work)
                cut_work.mobility[row] = min(cut_work.mobility[row], bound)
    calc_multiplier_factors(constraint, cut, work.inverse, cut_work)


@kernel(inline=True)
def add_path_efforts(tree, k, place, running_out, effort_out, work):
    """`articulated.add_effort` for the rows of an entry side by side; row k of the tree has its speeds from `place` on.
    Returns the place of the next row of the path."""
    child, parent = tree.body[k], tree.parent[k]
    g, up = running_out[child], running_out[parent]
    for j in range(tree.v_start[k], tree.v_start[k + 1]):
        S, U, inverse, e = work.column[j], work.effect[j], work.inverse[j], effort_out[place]
        for lane in range(6):
            u = S[0] * g[0, lane] + S[1] * g[1, lane] + S[2] * g[2, lane]
            u += S[3] * g[3, lane] + S[4] * g[4, lane] + S[5] * g[5, lane]
            e[lane] = u
            u *= inverse
            g[0, lane] -= U[0] * u
            g[1, lane] -= U[1] * u
            g[2, lane] -= U[2] * u
            g[3, lane] -= U[3] * u
            g[4, lane] -= U[4] * u
            g[5, lane] -= U[5] * u
        place += 1
    x, y, z = work.reach[child, 0], work.reach[child, 1], work.reach[child, 2]
    for lane in range(6):
        g0, g1, g2 = g[0, lane], g[1, lane], g[2, lane]
        up[0, lane] += g0
        up[1, lane] += g1
        up[2, lane] += g2
        up[3, lane] += g[3, lane] + y * g2 - z * g1
        up[4, lane] += g[4, lane] + z * g0 - x * g2
        up[5, lane] += g[5, lane] + x * g1 - y * g0
    return place


@kernel(inline=True)
def calc_path_bound(tree, cut, i, running_out, work):
    """(5) of a row of entry i, whose push is in lane 0 of `running_out`."""
    bound = 0.0
    for p in range(cut.path_start[i], cut.path_start[i + 1]):
        k = cut.path[p]
        child, parent = tree.body[k], tree.parent[k]
        g, up = running_out[child], running_out[parent]
        for j in range(tree.v_start[k], tree.v_start[k + 1]):
            S, U, inverse = work.column[j], work.effect[j], work.inverse[j]
            u = slide = turn = force = moment = 0.0
            for n in range(3):
                u += S[n] * g[n, 0] + S[3 + n] * g[3 + n, 0]
                slide += S[n] * S[n]
                turn += S[3 + n] * S[3 + n]
                force += g[n, 0] * g[n, 0]
                moment += g[3 + n, 0] * g[3 + n, 0]
            most = sqrt(slide * force) + sqrt(turn * moment)
            bound += most * most * inverse
            for n in range(6):
                g[n, 0] -= U[n] * u * inverse
        x, y, z = work.reach[child, 0], work.reach[child, 1], work.reach[child, 2]
        g0, g1, g2 = g[0, 0], g[1, 0], g[2, 0]
        up[0, 0] += g0
        up[1, 0] += g1
        up[2, 0] += g2
        up[3, 0] += g[3, 0] + y * g2 - z * g1
        up[4, 0] += g[4, 0] + z * g0 - x * g2
        up[5, 0] += g[5, 0] + x * g1 - y * g0
    return bound


@kernel
def calc_closed(
    # tables
    tables,
    # in
    instant,
    drag,
    # out
    qdd_out,
    # work
    tree_work,
    work,
):
    """Accelerations of a tree with cut joints and ideal motions; the rest as `articulated.calc_articulated`.

    Multipliers stay in `cut_work.multiplier`, the number of independent rows of each cluster in `cut_work.rank`. The
    forces of the cuts are added to the loads of the bodies, so that the reactions of the tree's joints know of them.
    """
    _, x, R, v, w, _ = instant
    body, tree, constraint, cut = tables.node, tree_work.tree, tree_work.constraint, tree_work.cut
    scratch, cut_work = tree_work.work, tree_work.cut_work
    calc_factors(body, tree, x, R, scratch)
    calc_bias(tree, x, R, v, w, scratch)
    calc_loads(body, R, v, w, work.f, work.torque, drag, scratch)
    calc_efforts(tree, scratch.wrench, tree_work.tau, scratch)
    if constraint.body_a.shape[0] > 0:
        calc_cut_constraints(tables, instant, tree_work)
        calc_cut_factors(body, tree, constraint, cut, R, scratch, cut_work)
        add_multipliers(constraint, cut, scratch, cut_work)
    calc_responses(tree, qdd_out, scratch.response, scratch)
    calc_accelerations(R, scratch.response, scratch.bias, work.a, work.dw)


@kernel
def solve_closure(
    # tables
    tables,
    # in
    is_last,
    tolerance,
    tolerance_rate,
    position_to_speed,
    # out
    qd_out,
    instant_out,
    # work
    tree_work,
    plane,
    space,
):
    """The absolute state of the coordinates `tree_work.q_new` and of the speeds. In the last state of a step both are
    corrected until all cuts are closed; the corrections are small.

    Positions and velocities are corrected by Newton's method (4). It uses the factors of the last evaluation if that
    was near, and makes new ones where the old ones would converge slowly. The impulses that change the speeds are left
    in `cut_work.impulse`.

    Parameters
    ----------
    tolerance : largest violation that is left [m, rad]
    tolerance_rate : largest rate of a violation that is left [m/s, rad/s]; where it is infinite, speeds are not
        corrected
    position_to_speed : 1/dt where corrections of coordinates change speeds (`augmented/project.py`), else 0
    plane, space : of `tree_work`. Where motion is in the plane, `plane` is the plane table and `space` is None. Else
        `plane` is None and `space` is not.

    Returns the largest violation left, and its row in the constraints of the cuts (-1 without cuts).
    """
    _, x_out, R_out, v_out, w_out, _ = instant_out
    q_out, body, tree = tree_work.q_new, tables.node, tree_work.tree
    constraint, cut, work, cut_work = tree_work.constraint, tree_work.cut, tree_work.work, tree_work.cut_work
    worst, row, rate = 0.0, -1, 0.0
    before = before_rate = inf
    calc_zero(cut_work.impulse)
    has_factors = cut_work.ready[0] == 1
    has_speeds = tolerance_rate < inf
    iteration, moved = 0, True
    while True:
        if plane is not None:
            calc_planar_kinematics(tree, plane, q_out, qd_out, x_out, R_out, v_out, w_out, work)
        if space is not None:
            if not has_speeds:
                calc_tree_poses(tree, q_out, x_out, R_out)
            elif moved:
                calc_kinematics(tree, q_out, qd_out, x_out, R_out, v_out, w_out, work)
            else:
                calc_velocities(tree, qd_out, x_out, R_out, v_out, w_out, work)
        if not is_last or constraint.body_a.shape[0] == 0:
            break
        if moved:
            calc_cut_constraints(tables, instant_out, tree_work)
            worst, row = find_worst(cut_work.phi)
        if has_speeds:
            calc_row_rates(constraint, v_out, w_out, cut_work.G, cut_work.nu, cut_work.right)
            rate, _ = find_worst(cut_work.right)
        is_closed = worst <= tolerance or (worst <= ROUNDING and worst > SLOW * before)
        is_still = rate <= tolerance_rate or (rate <= ROUNDING and rate > SLOW * before_rate)
        if (is_closed and is_still) or iteration == MOST_ITERATIONS:
            break
        is_slow = not (rate <= SLOW * before_rate if is_closed else worst <= SLOW * before)
        if not has_factors or is_slow:
            if plane is not None:
                calc_planar_factors(body, tree, plane, x_out, work)
                calc_planar_cut_factors(body, tree, plane, constraint, cut, work, cut_work)
            if space is not None:
                calc_factors(body, tree, x_out, R_out, work)
                calc_cut_factors(body, tree, constraint, cut, R_out, work, cut_work)
            has_factors = True
        iteration += 1
        # speeds are corrected beside positions once these hardly change any more
        moved = False
        before_rate = inf
        for level in range(2):
            is_position = level == 1
            if is_position:
                if is_closed:
                    break
                calc_copy(cut_work.phi, cut_work.right)
                moved = True
                before = worst
            elif is_still or worst > NEAR:
                continue
            elif is_closed:
                before_rate = rate
            calc_zero(work.effort)
            solve_multipliers(constraint, cut, cut_work.right, work, cut_work)
            share = position_to_speed if is_position else 1.0
            for k in range(cut_work.impulse.shape[0]):
                cut_work.impulse[k] += share * cut_work.multiplier[k]
            if plane is not None:
                calc_planar_responses(tree, cut_work.move, work)
            if space is not None:
                calc_responses(tree, cut_work.move, work.response, work)
            for k in range(qd_out.shape[0]):
                qd_out[k] += share * cut_work.move[k]
            if is_position:
                calc_coordinates_moved(tree, 1.0, q_out, cut_work.move, q_out)
    if space is not None and not has_speeds:
        calc_velocities(tree, qd_out, x_out, R_out, v_out, w_out, work)
    return worst, row
