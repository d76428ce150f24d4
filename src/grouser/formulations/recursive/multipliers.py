"""The small dense systems of the multipliers of cuts, a cluster each: (1) to (3) of `cuts.py`, in space and in the
plane."""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.semidefinite import calc_semidefinite_factor, solve_semidefinite


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


@kernel
def add_efforts(
    # tables
    constraint,
    cut,
    # work
    work,
    cut_work,
):
    """Add the sum of (2) to the right-hand side."""
    for i in range(constraint.body_a.shape[0]):
        first = constraint.row_start[i]
        for place in range(cut.speed_start[i], cut.speed_start[i + 1]):
            k = cut.speed[place]
            u = work.effort[k] * work.inverse[k]
            for lane in range(constraint.row_count[i]):
                cut_work.right[first + lane] += cut_work.effort[place, lane] * u


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
