"""What threads do of an evaluation and of a step: tasks that are shared, each by a share of elements or of nodes.

    FORCES   forces of the elements of a share, into sums of its own
    SUMS     these sums are added, for the nodes of a share, in the order of the shares
    NODES    what follows from them for each node of a share by itself: the rates of its velocities; the trial state is
             kept, and rates as those before; the next trial state

Threads wait for each other at the end of a task, so there are as few of them as possible: what is to be done of NODES
is noted while the time loop comes by, and done at its end. Tasks call the kernels that do the same for the whole model
(`formulations/shares.py`). What they need to know besides is in `team.number` and `team.choice`, by the places below:
the thread that leads leaves it there.
"""

from __future__ import annotations

from grouser.formulations.coordinates import move_nodes
from grouser.formulations.explicit.evaluate import calc_free_accelerations
from grouser.formulations.forces import calc_forces
from grouser.formulations.leapfrog_velocities import calc_ahead
from grouser.formulations.trial import find_fastest, keep_instant
from grouser.integrators.predict import calc_predicted
from grouser.kernels._jit import kernel
from grouser.kernels._words import load_word, read_packed, store_word
from grouser.kernels.copy import calc_copy, calc_copy_rows
from grouser.kernels.nodes import add_row
from grouser.kernels.plane import calc_in_plane
from grouser.kernels.team import TASK_NUMBER, begin_part, end_part, wait_for_part, wait_for_task
from grouser.kernels.view import Instant

FORCES, SUMS, NODES = 0, 1, 2
# places in `number`: time, step, offset of the corrector, last step of the friction memory, delay of velocities, drag
TIME, STEP, OFFSET, MEMORY_STEP, DELAY, DRAG, NUMBERS = 0, 1, 2, 3, 4, 5, 6
# places in `choice`: the task; number of the evaluation that the friction memory is of, and of this one; what
# `calc_predicted` asks; and what is to be done of NODES
TASK, VALID, NOW, SCHEME, IS_ACCEPTED, IS_STAGGERED, IS_END = 0, 1, 2, 3, 4, 5, 6
ADDS_SUMS, HAS_FORCES, KEEPS_NODES, KEEPS_MEMORY, KEEPS_RATES, MOVES, CHOICES = 7, 8, 9, 10, 11, 12, 13


@kernel(inline=True)
def find_share(k, team):
    """The share number k."""
    return read_packed(team.share[k], team.first)


@kernel
def calc_share_forces(share, team):
    """FORCES of a share."""
    number, choice, work, state = team.number, team.choice, share.work, share.led_state
    instant = Instant(number[TIME], work.x_new, work.R_new, work.v_new, work.w_new, work.z_new)
    memory = (state.anchor, state.anchor_stamp, choice[VALID], number[MEMORY_STEP])
    memory_out = (work.anchor, work.anchor_stamp, choice[NOW])
    calc_forces(share.tables, instant, memory, number[OFFSET], work.z_rate, memory_out, None, work)


@kernel
def add_share_sums(share, team):
    """SUMS: the first share gets those of the whole."""
    whole, row = team.first.work, share.row
    for k in range(1, team.share.shape[0]):
        work = find_share(k, team).work
        for i in range(row[0], row[1]):
            add_row(work.f[i, 0], work.f[i, 1], work.f[i, 2], whole.f[i])
        for i in range(row[0], row[2]):
            t, c, g = work.torque[i], work.contact_force[i], work.ground_force[i]
            add_row(t[0], t[1], t[2], whole.torque[i])
            add_row(c[0], c[1], c[2], whole.contact_force[i])
            add_row(g[0], g[1], g[2], whole.ground_force[i])


@kernel
def calc_share_rates(share, team):
    """Rates of the velocities of the nodes of a share."""
    number, node, work = team.number, share.node, share.led
    v, w = work.v_new, work.w_new
    if number[DELAY] > 0.0:
        instant = Instant(number[TIME], work.x_new, work.R_new, v, w, work.z_new)
        calc_ahead(node, number[DELAY], instant, work)
        v, w = work.v_ahead, work.w_ahead
    calc_free_accelerations(node, work.R_new, v, w, number[DRAG], work.u_rate, work)
    calc_in_plane(node, work.u_rate)


@kernel
def keep_share(share_work, team):
    """The trial state of the nodes of a share is kept, its part of the friction memory, and rates as those before."""
    work, state_out, choice = share_work.own, share_work.own_state, team.choice
    if choice[KEEPS_NODES] == 1:
        keep_instant(work, state_out)
        calc_copy(work.u_new, work.u)
    if choice[KEEPS_MEMORY] == 1:
        calc_copy_rows(work.anchor, state_out.anchor)
        calc_copy(work.anchor_stamp, state_out.anchor_stamp)
    if choice[KEEPS_RATES] == 1:
        calc_copy(work.u_rate, work.u_rate_old)


@kernel
def move_share(share_work, team):
    """The next trial state of the nodes of a share."""
    choice, led = team.choice, share_work.led
    accepted, is_staggered, is_end = choice[IS_ACCEPTED] == 1, choice[IS_STAGGERED] == 1, choice[IS_END] == 1
    calc_predicted(choice[SCHEME], team.number[STEP], accepted, is_staggered, is_end, share_work.own)
    move_nodes(share_work.node, share_work.led_state, led.d, led.u_new, led)
    fastest, who = find_fastest(led.v_new, led.w_new, share_work.reach)
    share_work.found[0], share_work.found[1] = fastest, who + share_work.row[0] - 1 if who >= 0 else -1


@kernel(stage=True)
def do_share(k, team):
    """The task of a share."""
    share, task = find_share(k, team), team.choice[TASK]
    if task == FORCES:
        calc_share_forces(share, team)
    elif task == SUMS:
        add_share_sums(share, team)
    else:
        if team.choice[ADDS_SUMS] == 1:
            add_share_sums(share, team)
        if team.choice[HAS_FORCES] == 1:
            calc_share_rates(share, team)
        keep_share(share, team)
        if team.choice[MOVES] == 1:
            move_share(share, team)


@kernel
def do_shares(first, number, team_work):
    """Do all shares that nobody has begun of the task with this number: the `first` one, and those behind it."""
    count = team_work.share.shape[0]
    for i in range(count):
        k = (first + i) % count
        if begin_part(team_work.word, k, number):
            do_share(k, team_work)
            end_part(team_work.word, k, number)


@kernel
def share_task(task, team_work):
    """Do a task, together with those who help."""
    word = team_work.word
    number = word[TASK_NUMBER] + 1
    team_work.choice[TASK] = task
    store_word(word, TASK_NUMBER, number)
    do_shares(0, number, team_work)
    for k in range(team_work.share.shape[0]):
        wait_for_part(word, k, number)


@kernel(entry=True, unlocked=True)
def help_team(first, end, team_work):
    """Do shares of all tasks, of each the `first` one if it is still there, until the `end` comes."""
    number = load_word(team_work.word, TASK_NUMBER)
    while True:
        do_shares(first, number, team_work)
        number = wait_for_task(team_work.word, number, end)
        if number == 0:
            break
