"""The small dense systems of the multipliers of cuts, a cluster each: (1) to (3) of `cuts.py`, in space and in the
plane."""

from __future__ import annotations

from grouser.families.joint.kernel_constraint import calc_constraints
from grouser.kernels._jit import kernel
from grouser.kernels.semidefinite import IMMOVABLE, calc_semidefinite_factor, solve_semidefinite
from grouser.kernels.view import View


@kernel
def calc_multiplier_factors(
    # tables
    constraint,
    cut,
    # in
    inverse,
    # work
    cut_work,
):
    """(1) with its factors, from the efforts of all rows."""
    for c in range(cut.cluster_start.shape[0] - 1):
        first, last = cut.cluster_start[c], cut.cluster_start[c + 1]
        for i in range(constraint.body_a.shape[0]):
            if first <= constraint.row_start[i] < last:
                for j in range(i + 1):
                    if first <= constraint.row_start[j]:
                        calc_block(constraint, cut, i, j, inverse, cut_work)
        cut_work.rank[c] = calc_semidefinite_factor(
            first, last, cut_work.W, cut_work.mobility, cut_work.K, cut_work.normal, cut_work.pivot, cut_work.rest
        )


@kernel(inline=True)
def is_suspicious(cut, i, lane, mobility, inverse, effort):
    """Whether a row of entry i moves the tree by next to nothing of the mobility of its bodies on their own."""
    own = 0.0
    for place in range(cut.speed_start[i], cut.speed_start[i + 1]):
        own += effort[place, lane] * effort[place, lane] * inverse[cut.speed[place]]
    return own <= IMMOVABLE * mobility


@kernel(inline=True)
def calc_row_start(tree, cut, i, row, a, b, size, push, running_out):
    """The push of a row of entry i, as many numbers for each body as `size`, in lane 0 of its way to the root."""
    for p in range(cut.path_start[i], cut.path_start[i + 1]):
        for n in range(size):
            running_out[tree.body[cut.path[p]], n, 0] = 0.0
    for n in range(size):
        running_out[a, n, 0] += push[row, n]
        running_out[b, n, 0] += push[row, size + n]


@kernel
def calc_block(constraint, cut, i, j, inverse, cut_work):
    """(1) for the rows of the entries i and j, from the speeds that are on both paths."""
    effort, block, W = cut_work.effort, cut_work.block, cut_work.W
    rows = constraint.row_count[i]
    for row in range(rows):
        for lane in range(6):
            block[row, lane] = 0.0
    here, there = cut.speed_start[i], cut.speed_start[j]
    end, other_end = cut.speed_start[i + 1], cut.speed_start[j + 1]
    # along both paths rows of the tree go down, speeds of a row go up: the same speeds come in the same order
    while here < end and there < other_end:
        k, other = cut.speed[here], cut.speed[there]
        if k == other:
            e, g = effort[here], effort[there]
            for row in range(rows):
                u = e[row] * inverse[k]
                for lane in range(6):
                    block[row, lane] += u * g[lane]
        if k >= other:
            here += 1
        if other >= k:
            there += 1
    first, other_first = constraint.row_start[i], constraint.row_start[j]
    for row in range(rows):
        for lane in range(constraint.row_count[j]):
            W[first + row, other_first + lane] = block[row, lane]
            W[other_first + lane, first + row] = block[row, lane]


@kernel(stage=True, rows="tree.constraint.body_a")
def calc_cut_constraints(
    # tables
    tables,
    # in
    instant,
    # work
    tree_work,
):
    """Violation, rows and right-hand sides of all cuts; angular velocities in world axes must be those of the
    instant."""
    constraint, cut_work = tree_work.constraint, tree_work.cut_work
    view = View(instant.t, instant.x, instant.R, instant.v, tree_work.work.w_world, instant.z)
    calc_constraints(
        constraint, tables.scalar, tables.signal, 0, constraint.body_a.shape[0], view, cut_work, cut_work.stack
    )


@kernel
def add_multipliers(
    # tables
    constraint,
    cut,
    # work
    work,
    cut_work,
):
    """Multipliers of all rows, taken off the efforts by (3), and their forces off the loads of the bodies.

    A push has as many numbers for each body as a load: 6, in the plane 3; angular biases are zero there, and left out.
    """
    push, bias, load, right = cut_work.push, work.bias, work.load, cut_work.right
    size = load.shape[1]
    for i in range(constraint.body_a.shape[0]):
        a, b = constraint.body_a[i], constraint.body_b[i]
        first, rows = constraint.row_start[i], constraint.row_count[i]
        for row in range(first, first + rows):
            value = -cut_work.gamma[row]
            for j in range(bias.shape[1]):
                value += push[row, j] * bias[a, j] + push[row, size + j] * bias[b, j]
            right[row] = value
        for place in range(cut.speed_start[i], cut.speed_start[i + 1]):  # (2)
            k = cut.speed[place]
            u = work.effort[k] * work.inverse[k]
            for lane in range(rows):
                right[first + lane] += cut_work.effort[place, lane] * u
    solve_multipliers(constraint, cut, right, work, cut_work)
    for i in range(constraint.body_a.shape[0]):
        a, b = constraint.body_a[i], constraint.body_b[i]
        for row in range(constraint.row_start[i], constraint.row_start[i] + constraint.row_count[i]):
            for j in range(size):
                load[a, j] -= cut_work.multiplier[row] * push[row, j]
                load[b, j] -= cut_work.multiplier[row] * push[row, size + j]
    cut_work.ready[0] = 1


@kernel
def solve_multipliers(
    # tables
    constraint,
    cut,
    # in
    right,
    # work
    work,
    cut_work,
):
    """lambda of W lambda = right, and (3)."""
    multiplier = cut_work.multiplier
    for c in range(cut.cluster_start.shape[0] - 1):
        solve_semidefinite(
            cut.cluster_start[c],
            cut.cluster_start[c + 1],
            cut_work.rank[c],
            cut_work.K,
            cut_work.normal,
            cut_work.pivot,
            right,
            multiplier,
            cut_work.rest,
        )
    for i in range(constraint.body_a.shape[0]):
        first = constraint.row_start[i]
        for place in range(cut.speed_start[i], cut.speed_start[i + 1]):
            value = 0.0
            for lane in range(constraint.row_count[i]):
                value += multiplier[first + lane] * cut_work.effort[place, lane]
            work.effort[cut.speed[place]] -= value
