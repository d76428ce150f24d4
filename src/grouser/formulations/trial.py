"""The trial state in the workspace: copied from a state, kept as one, looked at for divergence and for contacts."""

from __future__ import annotations

from math import inf, sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.contact.candidates import find_candidates
from grouser.kernels.copy import calc_copy, calc_copy_matrices, calc_copy_rows

SPEED_LIMIT = 1e4
"""Speed [m/s], or ten times this angular velocity [rad/s], beyond which a run has diverged: no vehicle gets there."""
SKIN = 0.03
"""Distance [m] by which the search for contact candidates looks ahead."""


@kernel
def copy_instant(state, work):
    """The trial state is a copy of a state, the world's row included."""
    calc_copy_rows(state.x, work.x_new)
    calc_copy_matrices(state.R, work.R_new)
    calc_copy_rows(state.v, work.v_new)
    calc_copy_rows(state.w, work.w_new)
    calc_copy(state.z, work.z_new)


@kernel
def keep_instant(work, state_out):
    """The trial state becomes the state; its time and its friction memory do not."""
    calc_copy_rows(work.x_new, state_out.x)
    calc_copy_matrices(work.R_new, state_out.R)
    calc_copy_rows(work.v_new, state_out.v)
    calc_copy_rows(work.w_new, state_out.w)
    calc_copy(work.z_new, state_out.z)


@kernel
def find_fastest(v, w, search_reach):
    """Largest speed [m/s] of what lies within the reach of a node, and the node that has left the range of numbers, or
    -1."""
    fastest = 0.0
    for i in range(1, w.shape[0]):
        speed = v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2]
        spin = w[i, 0] * w[i, 0] + w[i, 1] * w[i, 1] + w[i, 2] * w[i, 2]
        # a sum and a negated comparison, so that NaN in either counts as too fast
        if not speed + 0.01 * spin <= SPEED_LIMIT * SPEED_LIMIT:
            return inf, i
        if search_reach[i] > 0.0:
            speed += search_reach[i] * (search_reach[i] * spin + 2.0 * sqrt(speed * spin))
        fastest = max(fastest, speed)
    for i in range(w.shape[0], v.shape[0]):
        speed = v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2]
        if not speed <= SPEED_LIMIT * SPEED_LIMIT:
            return inf, i
        fastest = max(fastest, speed)
    return sqrt(fastest), -1


@kernel
def search_contacts(tables, x, R, work):
    """Candidates for contact at these places, if there are contacts at all."""
    if tables.contact.kind.shape[0] > 0:
        find_candidates(tables.shape, tables.contact, tables.terrain, x, R, SKIN, work.pair, work.pair_count)
