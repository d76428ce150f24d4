"""Entries from Python into the compiled code under test."""

from grouser.formulations.recursive import articulated, cuts, kinematics, newton_euler
from grouser.kernels._jit import kernel
from grouser.kernels.joints import mobility
from grouser.kernels.joints.constraint import calc_reactions as calc_reactions_of_rows
from grouser.kernels.kinds import FAMILY_MOTIONS


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
def calc_articulated(body, tree, state, f, torque, tau, drag, qdd_out, a_out, dw_out, work):
    """Forward dynamics."""
    articulated.calc_articulated(
        body,
        tree,
        state.x,
        state.R,
        state.v,
        state.w,
        f,
        torque,
        tau,
        drag,
        qdd_out,
        a_out,
        dw_out,
        work,
    )


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
def calc_inverse(body, tree, state, f, torque, qdd, drag, tau_out, a_out, dw_out, work):
    """Inverse dynamics."""
    newton_euler.calc_inverse(
        body,
        tree,
        state.x,
        state.R,
        state.v,
        state.w,
        f,
        torque,
        qdd,
        drag,
        tau_out,
        a_out,
        dw_out,
        work,
    )


@kernel(entry=True)
def calc_closed(
    body,
    tree,
    constraint,
    cut,
    scalar,
    signal,
    t,
    state,
    f,
    torque,
    tau,
    drag,
    qdd_out,
    a_out,
    dw_out,
    work,
    cut_work,
):
    """Forward dynamics with cuts."""
    cuts.calc_closed(
        body,
        tree,
        constraint,
        cut,
        scalar,
        signal,
        t,
        state.x,
        state.R,
        state.v,
        state.w,
        state.z,
        f,
        torque,
        tau,
        drag,
        qdd_out,
        a_out,
        dw_out,
        work,
        cut_work,
    )


@kernel(entry=True)
def solve_closure(
    body,
    tree,
    constraint,
    cut,
    scalar,
    signal,
    t,
    tolerance,
    tolerance_rate,
    q_out,
    qd_out,
    state_out,
    work,
    cut_work,
):
    """Close the cuts."""
    return cuts.solve_closure(
        body,
        tree,
        None,
        cut,
        constraint,
        cut,
        scalar,
        signal,
        t,
        tolerance > 0.0,
        state_out.z,
        tolerance,
        tolerance_rate,
        0.0,
        q_out,
        qd_out,
        state_out.x,
        state_out.R,
        state_out.v,
        state_out.w,
        work,
        cut_work,
    )


@kernel(entry=True)
def calc_cut_reactions(constraint, R, cut_work, force_out, moment_out, peak_out, value_out, input_out):
    """Reactions of the cut joints."""
    calc_reactions_of_rows(
        constraint,
        R,
        cut_work.phi,
        cut_work.G,
        cut_work.nu,
        cut_work.multiplier,
        force_out,
        moment_out,
        peak_out,
        value_out,
        input_out,
        FAMILY_MOTIONS,
    )
