"""The small dense systems of the multipliers of cuts, a cluster each: (1) and (3) of `cuts.py`, in space and in the
plane."""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.semidefinite import calc_semidefinite_factor, solve_semidefinite


@kernel
def calc_multiplier_factors(
    # tables
    cut,
    # in
    inverse,
    # work
    cut_work,
):
    """(1) with its factors, from the efforts of all rows."""
    W = cut_work.W
    for c in range(cut.cluster_start.shape[0] - 1):
        first, last = cut.cluster_start[c], cut.cluster_start[c + 1]
        for i in range(first, last):
            for j in range(first, i + 1):
                e, g = cut_work.effort[i], cut_work.effort[j]
                value = 0.0
                for k in range(inverse.shape[0]):
                    value += e[k] * g[k] * inverse[k]
                W[i, j] = value
                W[j, i] = value
        cut_work.rank[c] = calc_semidefinite_factor(
            first, last, W, cut_work.mobility, cut_work.K, cut_work.normal, cut_work.pivot, cut_work.rest
        )


@kernel
def solve_multipliers(
    # tables
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
    for i in range(multiplier.shape[0]):
        e = cut_work.effort[i]
        for k in range(work.effort.shape[0]):
            work.effort[k] -= multiplier[i] * e[k]
