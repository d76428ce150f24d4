"""Coordinates: how the velocities u of a formulation belong to the nodes.

There are two kinds. Absolute ones are the velocities of all nodes themselves, and ideal joints are held by multipliers.
Those of a tree are the speeds of its joints. Both have the same functions, which are all here:

    read_speeds      u from a state
    place_nodes      the trial state from increments of u, brought onto the constraints
    solve_rates      rates of u from forces
    keep_place       a trial state is accepted
    book_impulses    work of ideal motions by what brings states onto the constraints
    show_rates       accelerations of the nodes, as observers look at them
    see_behind, see_ahead    velocities of leapfrog steps

Each function asks once which kind there is. What a model does not have is None, and handed over as an argument: so the
question is decided when the code is compiled, and each formulation is compiled without the others.
"""

from __future__ import annotations

from math import inf

from grouser.formulations.augmented.evaluate import solve_system
from grouser.formulations.augmented.project import TOLERANCE, TOLERANCE_RATE, calc_mass_factor, solve_projection
from grouser.formulations.embedded.kinematics import NO_ENTRY
from grouser.formulations.explicit.evaluate import calc_free_accelerations
from grouser.formulations.leapfrog_velocities import calc_ahead, calc_ahead_along, calc_behind
from grouser.formulations.recursive.kinematics import calc_coordinates
from grouser.formulations.tree import place_tree, solve_tree
from grouser.kernels._jit import kernel
from grouser.kernels.carried import carry_rates, place_carried
from grouser.kernels.copy import calc_copy
from grouser.kernels.joints.mobility import calc_coordinates_moved
from grouser.kernels.kinds import LEDGER_MOTIONS
from grouser.kernels.nodes import FRAME_SIZE, calc_gathered, find_point_start
from grouser.kernels.plane import calc_in_plane
from grouser.kernels.rotation import calc_rotated
from grouser.kernels.view import Instant


@kernel
def is_absolute(tree):
    """Whether coordinates are absolute; `tree` is None then."""
    return tree is None


@kernel
def _read_speeds(equations, tree_work, state, u_out):
    """See `read_speeds`."""
    if tree_work is not None:
        calc_coordinates(tree_work.tree, state.x, state.R, state.v, state.w, tree_work.q, u_out, tree_work.work)
        tree_work.cut_work.ready[0] = 0
        calc_copy(tree_work.q, tree_work.q_new)
    else:
        calc_gathered(equations.tables.node, state.v, state.w, u_out)


@kernel
def read_speeds(equations, state, u_out):
    """Velocities u of a state."""
    _read_speeds(equations, equations.tree, state, u_out)


@kernel
def _prepare_projection(equations, system_work, state):
    """See `prepare_projection`."""
    if system_work is not None and equations.tables.constraint.row_kind.shape[0] > 0:
        instant = Instant(state.time[0], state.x, state.R, state.v, state.w, state.z)
        calc_mass_factor(equations.tables, system_work.ideal, instant, system_work, equations.work)


@kernel
def prepare_projection(equations, state):
    """What the first projection onto the constraints needs of a state."""
    _prepare_projection(equations, equations.system, state)


@kernel(stage=True)
def move_nodes(node, state, d, u, work):
    """The trial state: all nodes with velocities u, moved by d from those of a state."""
    x, R, x_new, R_new, v_new, w_new = state.x, state.R, work.x_new, work.R_new, work.v_new, work.w_new
    frames = R.shape[0]
    for i in range(1, frames):
        o = FRAME_SIZE * i
        for k in range(3):
            x_new[i, k] = x[i, k] + d[o + k]
            v_new[i, k] = u[o + k]
            w_new[i, k] = u[o + 3 + k]
        calc_rotated(R, i, d[o + 3], d[o + 4], d[o + 5], R_new)
    for i in range(frames, node.mass.shape[0]):
        o = find_point_start(frames, i)
        for k in range(3):
            x_new[i, k] = x[i, k] + d[o + k]
            v_new[i, k] = u[o + k]


@kernel
def carry_nodes(tables, work):
    """Carried rows of the trial state follow those that carry them."""
    if tables.carried.row.shape[0] > 0:
        place_carried(tables.carried, work.x_new, work.R_new, work.v_new, work.w_new)


@kernel
def _place_nodes(equations, system_work, tree_work, t, is_last, is_staggered, position_to_speed, state, d, u_out):
    """See `place_nodes`."""
    tables, work = equations.tables, equations.work
    found = NO_ENTRY
    instant = Instant(t, work.x_new, work.R_new, work.v_new, work.w_new, work.z_new)
    if tree_work is not None:
        calc_coordinates_moved(tree_work.tree, 1.0, tree_work.q, d, tree_work.q_new)
        found = place_tree(tables, is_last, is_staggered, position_to_speed, u_out, instant, tree_work)
    else:
        move_nodes(tables.node, state, d, u_out, work)
        if system_work is not None and is_last and tables.constraint.row_kind.shape[0] > 0:
            tolerance = (TOLERANCE, inf if is_staggered else TOLERANCE_RATE)
            solve_projection(tables, system_work.ideal, tolerance, position_to_speed, instant, system_work, work)
            calc_gathered(tables.node, work.v_new, work.w_new, u_out)
    carry_nodes(tables, work)
    return found


@kernel
def place_nodes(equations, t, is_last, is_staggered, position_to_speed, state, d, u_out):
    """The trial state with velocities u, moved by d from a state; its states z are there already.

    If it is the last of a step (`is_last`), it is brought onto the constraints, which changes u. Where `is_staggered`,
    u is of half a step before, and only what moves positions changes it. `position_to_speed`: see
    `augmented/project.py`. Returns as `tree.place_tree`.
    """
    return _place_nodes(
        equations, equations.system, equations.tree, t, is_last, is_staggered, position_to_speed, state, d, u_out
    )


@kernel
def _solve_rates(equations, system_work, tree_work, instant, drag, is_last, rate_out, peak_out):
    """See `solve_rates`."""
    tables, work = equations.tables, equations.work
    if tree_work is not None:
        return solve_tree(tables, instant, drag, is_last, rate_out, peak_out, tree_work, work)
    is_solved = True
    if system_work is not None:
        is_solved = solve_system(tables, instant, drag, equations.implicit, rate_out, peak_out, system_work, work)
    else:
        calc_free_accelerations(tables.node, instant.R, instant.v, instant.w, drag, rate_out, work)
    calc_in_plane(tables.node, rate_out)
    return is_solved


@kernel
def solve_rates(equations, instant, drag, is_last, rate_out, peak_out):
    """Rates of u from the forces in the workspace. Returns False where the equations are singular."""
    return _solve_rates(equations, equations.system, equations.tree, instant, drag, is_last, rate_out, peak_out)


@kernel
def _keep_place(tree_work):
    """See `keep_place`."""
    if tree_work is not None:
        calc_copy(tree_work.q_new, tree_work.q)


@kernel
def keep_place(equations):
    """The trial state is accepted."""
    _keep_place(equations.tree)


@kernel
def add_impulse_work(constraint, impulse, nu, ledger_out):
    """Work that ideal motions do by the impulses of the projection onto the constraints."""
    for i in range(constraint.body_a.shape[0]):
        if constraint.scalar[i] >= 0:
            row = constraint.row_start[i]
            ledger_out[1, LEDGER_MOTIONS] -= impulse[row] * nu[row]


@kernel
def _book_impulses(equations, system_work, tree_work, ledger_out):
    """See `book_impulses`."""
    if tree_work is not None:
        add_impulse_work(tree_work.constraint, tree_work.cut_work.impulse, tree_work.cut_work.nu, ledger_out)
    elif system_work is not None:
        add_impulse_work(equations.tables.constraint, system_work.impulse, system_work.nu, ledger_out)


@kernel
def book_impulses(equations, ledger_out):
    """Book the work of ideal motions by what has brought the trial state onto the constraints."""
    _book_impulses(equations, equations.system, equations.tree, ledger_out)


@kernel
def calc_node_rates(node, rate, work):
    """Rates of the velocities of all nodes as the accelerations that observers look at."""
    frames = work.dw.shape[0]
    for i in range(1, frames):
        for k in range(3):
            work.a[i, k] = rate[FRAME_SIZE * i + k]
            work.dw[i, k] = rate[FRAME_SIZE * i + 3 + k]
    for i in range(frames, node.mass.shape[0]):
        for k in range(3):
            work.a[i, k] = rate[find_point_start(frames, i) + k]


@kernel
def _show_rates(equations, tree_work, rate_out):
    """See `show_rates`."""
    tables, work = equations.tables, equations.work
    if tree_work is None:
        if tables.carried.marker.shape[0] > 0:
            carry_rates(tables.carried, tables.node, work.x_new, work.R_new, rate_out)
        calc_node_rates(tables.node, rate_out, work)


@kernel
def show_rates(equations, rate_out):
    """Accelerations of the nodes from rates of u, into which those of markers are filled. A tree has left its own."""
    _show_rates(equations, equations.tree, rate_out)


@kernel
def _see_behind(equations, tree_work, delay, instant):
    """See `see_behind`."""
    work = equations.work
    if tree_work is not None:
        calc_behind(delay, instant, tree_work.plane, tree_work.space, work.v_behind, work.w_behind, tree_work)
        return Instant(instant.t, instant.x, instant.R, work.v_behind, work.w_behind, instant.z)
    return instant


@kernel
def see_behind(equations, delay, instant):
    """The instant as forces see it, with velocities of a time `delay` [s] before the positions."""
    return _see_behind(equations, equations.tree, delay, instant)


@kernel
def _see_ahead(equations, tree_work, delay, instant):
    """See `see_ahead`."""
    work = equations.work
    if tree_work is not None:
        calc_ahead_along(delay, instant, tree_work.plane, tree_work.space, tree_work, work)
    else:
        calc_ahead(equations.tables.node, delay, instant, work)
    return Instant(instant.t, instant.x, instant.R, work.v_ahead, work.w_ahead, instant.z)


@kernel
def see_ahead(equations, delay, instant):
    """The instant with velocities of the time of the positions."""
    return _see_ahead(equations, equations.tree, delay, instant)
