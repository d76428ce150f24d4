"""The parts of a step that threads share, by the tasks of `tasks.py`: the thread that leads calls these."""

from __future__ import annotations

from math import inf

from grouser.formulations.coordinates import carry_nodes
from grouser.formulations.trial import find_fastest
from grouser.integrators.tasks import (
    ADDS_SUMS,
    DELAY,
    DRAG,
    FORCES,
    HAS_FORCES,
    IS_ACCEPTED,
    IS_END,
    IS_STAGGERED,
    KEEPS_MEMORY,
    KEEPS_NODES,
    KEEPS_RATES,
    MEMORY_STEP,
    MOVES,
    NODES,
    NOW,
    OFFSET,
    SCHEME,
    STEP,
    SUMS,
    TIME,
    VALID,
    find_share,
    share_task,
)
from grouser.kernels._jit import kernel
from grouser.kernels.carried import pass_forces
from grouser.kernels.copy import calc_copy
from grouser.kernels.mesh_mass import solve_mesh_rates
from grouser.kernels.plane import calc_in_plane

DEEPEST = 5
"""Column of `contact_sum` of which the largest counts, and not the sum."""


@kernel
def add_energies(team, work):
    """Add what all shares have found of energies, powers and contact groups, in their order."""
    for k in range(1, team.share.shape[0]):
        other = find_share(k, team).work
        for i in range(work.stored.shape[0]):
            work.stored[i] += other.stored[i]
            work.dissipated[i] += other.dissipated[i]
            work.supplied[i] += other.supplied[i]
        for g in range(work.contact_sum.shape[0]):
            for c in range(DEEPEST):
                work.contact_sum[g, c] += other.contact_sum[g, c]
                work.contact_energy[g, c] += other.contact_energy[g, c]
            work.contact_sum[g, DEEPEST] = max(work.contact_sum[g, DEEPEST], other.contact_sum[g, DEEPEST])


@kernel
def finish_nodes(team_work):
    """Complete what is to be done with the nodes."""
    choice = team_work.choice
    share_task(NODES, team_work)
    choice[ADDS_SUMS] = choice[HAS_FORCES] = 0
    choice[KEEPS_NODES] = choice[KEEPS_MEMORY] = choice[KEEPS_RATES] = choice[MOVES] = 0


@kernel
def calc_rates_together(t, memory, corrector_offset, velocity_delay, drag, memory_out, equations_work, team_work):
    """As `calc_accelerations` of the rates in the workspace; `finish_nodes` or `move_together` complete them. True."""
    tables, work, number, choice = equations_work.tables, equations_work.work, team_work.number, team_work.choice
    number[TIME], number[OFFSET], number[DELAY], number[DRAG] = t, corrector_offset, velocity_delay, drag
    choice[VALID], number[MEMORY_STEP], choice[NOW] = memory[2], memory[3], memory_out[2]
    share_task(FORCES, team_work)
    add_energies(team_work, work)
    choice[ADDS_SUMS] = choice[HAS_FORCES] = 1
    if tables.carried.row.shape[0] > 0:
        share_task(SUMS, team_work)
        choice[ADDS_SUMS] = 0
        pass_forces(tables.carried, work.x_new, work.R_new, work.f, work.torque)
    if tables.node.coupled.shape[0] > 0:
        finish_nodes(team_work)
        v = work.v_ahead if velocity_delay > 0.0 else work.v_new
        solve_mesh_rates(tables.node, work.f, v, drag, work.u_rate)
        calc_in_plane(tables.node, work.u_rate)
    return True


@kernel
def keep_nodes(has_passed, work, state_out, team_work):
    """The trial state is to be kept, and its friction memory where time `has_passed`; states z are kept here."""
    calc_copy(work.z_new, state_out.z)
    team_work.choice[KEEPS_NODES] = 1
    if has_passed:
        team_work.choice[KEEPS_MEMORY] = 1


@kernel
def keep_node_rates(team_work):
    """Rates are to be those before, from now on."""
    team_work.choice[KEEPS_RATES] = 1


@kernel
def move_together(scheme, dt, accepted, is_staggered, is_end, equations_work, team_work):
    """The next trial state; speed and row as `find_fastest`."""
    tables, work, choice = equations_work.tables, equations_work.work, team_work.choice
    choice[SCHEME], team_work.number[STEP] = scheme, dt
    choice[IS_ACCEPTED], choice[IS_STAGGERED], choice[IS_END] = accepted, is_staggered, is_end
    choice[MOVES] = 1
    finish_nodes(team_work)
    carry_nodes(tables, work)
    if tables.carried.row.shape[0] > 0:
        return find_fastest(work.v_new, work.w_new, tables.contact.search_reach)
    fastest = 0.0
    for k in range(team_work.share.shape[0]):
        found = find_share(k, team_work).found
        if found[1] >= 0.0:
            return inf, int(found[1])
        fastest = max(fastest, found[0])
    return fastest, -1


@kernel
def share_pairs(contact, work, team_work):
    """Tell each share which pairs of shapes are its own, of those that a search has found near each other: in each
    contact group those from one to another, so that all shares cost the same."""
    count, cost = team_work.share.shape[0], team_work.pair_cost
    total = 0.0
    for g in range(cost.shape[0]):
        total += cost[g] * work.pair_count[g]
    passed = 0.0
    for g in range(cost.shape[0]):
        pairs, first = work.pair_count[g], 0
        for k in range(count):
            share = find_share(k, team_work)
            until = ((k + 1) * total / count - passed) / cost[g]
            last = pairs if k == count - 1 else min(max(int(until + 0.5), first), pairs)
            share.tables.contact.candidate_start[g] = contact.candidate_start[g] + first
            share.work.pair_count[g] = last - first
            first = last
        passed += cost[g] * pairs
