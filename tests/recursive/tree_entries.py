"""Entries from Python into the compiled code under test."""

from grouser.families.joint.kernel_constraint import calc_reactions as calc_reactions_of_rows
from grouser.formulations.recursive import articulated, cuts, kinematics, newton_euler
from grouser.kernels._jit import kernel
from grouser.kernels.joints import mobility
from grouser.kernels.view import Instant


@kernel
def make_instant(t, state):
    """A state at a time."""
    return Instant(t, state.x, state.R, state.v, state.w, state.z)


@kernel(entry=True)
def calc_kinematics(tree, q, qd, state_out, work):
    """Forward kinematics into a state."""
    kinematics.calc_kinematics(tree, q, qd, state_out.x, state_out.R, state_out.v, state_out.w, work)


@kernel(entry=True)
def calc_coordinates(tree, state, q_out, qd_out, work):
    """Coordinates and speeds from a state."""
    kinematics.calc_coordinates(tree, state.x, state.R, state.v, state.w, q_out, qd_out, work)


@kernel(entry=True)
def calc_coordinates_moved(tree, dt, q, qd, q_out):
    """Coordinates after a step."""
    mobility.calc_coordinates_moved(tree, dt, q, qd, q_out)


@kernel(entry=True)
def calc_articulated(body, state, drag, qdd_out, tree_work, work):
    """Forward dynamics."""
    articulated.calc_articulated(body, make_instant(0.0, state), drag, qdd_out, tree_work, work)


@kernel(entry=True)
def solve_response(tree, wrench, tau, qdd_out, response_out, work):
    """Response to forces alone."""
    articulated.solve_response(tree, wrench, tau, qdd_out, response_out, work)


@kernel(entry=True)
def calc_reactions(body, tree, state, a, dw, force_out, moment_out, work):
    """Reactions from accelerations."""
    newton_euler.calc_joint_wrenches(body, tree, state.R, a, dw, work)
    newton_euler.calc_tree_reactions(tree, state.x, state.R, force_out, moment_out, work)


@kernel(entry=True)
def calc_inverse(body, state, qdd, drag, tau_out, tree_work, work):
    """Inverse dynamics."""
    newton_euler.calc_inverse(body, make_instant(0.0, state), qdd, drag, tau_out, tree_work, work)


@kernel(entry=True)
def calc_closed(tables, t, state, drag, qdd_out, tree_work, work):
    """Forward dynamics with cuts."""
    cuts.calc_closed(tables, make_instant(t, state), drag, qdd_out, tree_work, work)


@kernel(entry=True)
def solve_closure(tables, t, tolerance, tolerance_rate, qd_out, state_out, tree_work):
    """Close the cuts."""
    instant, space = make_instant(t, state_out), tree_work.space
    is_last = tolerance > 0.0
    return cuts.solve_closure(tables, is_last, tolerance, tolerance_rate, 0.0, qd_out, instant, tree_work, None, space)


@kernel(entry=True)
def calc_cut_reactions(constraint, R, cut_work, peak_out, work):
    """Reactions of the cut joints."""
    calc_reactions_of_rows(constraint, R, cut_work, peak_out, work)
