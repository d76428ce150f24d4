"""Semidefinite systems against numpy's pseudo-inverse."""

import numpy as np
import pytest

from grouser.kernels._jit import kernel
from grouser.kernels.semidefinite import calc_semidefinite_factor, solve_semidefinite


@kernel(entry=True)
def solve(first, last, W, size, b, K_out, normal_out, pivot_out, z_out, work_work):
    """Factor and solve; returns the rank."""
    rank = calc_semidefinite_factor(first, last, W, size, K_out, normal_out, pivot_out, work_work)
    solve_semidefinite(first, last, rank, K_out, normal_out, pivot_out, b, z_out, work_work)
    return rank


def solve_block(W, b, first, last, size=1e-3):
    m = len(b)
    z = np.full(m, np.nan)
    K, normal, scratch = np.full((m, m), np.nan), np.full((m, m), np.nan), np.full(m, np.nan)
    rank = solve(first, last, W, np.full(m, size), b, K, normal, np.zeros(m, dtype=np.int32), z, scratch)
    return rank, z


@pytest.mark.parametrize(("size", "rank"), [(1, 1), (5, 5), (5, 2), (12, 7), (3, 0)])
def test_solution_of_least_length(size, rank):
    """Rows of very different units, in the middle of a larger system that must not be looked at."""
    rng = np.random.default_rng(size)
    first, last = 2, 2 + size
    factor = np.diag(10.0 ** rng.uniform(-1, 1, size)) @ rng.normal(size=(size, rank))
    W, b = np.full((size + 4, size + 4), np.nan), np.full(size + 4, np.nan)
    W[first:last, first:last] = factor @ factor.T
    b[first:last] = factor @ rng.normal(size=rank)
    found, z = solve_block(W, b, first, last)
    assert found == rank
    expected = np.linalg.pinv(factor @ factor.T, rcond=1e-12, hermitian=True) @ b[first:last]
    assert z[first:last] == pytest.approx(expected, rel=1e-7, abs=1e-9 * np.abs(expected).max(initial=1.0))


def test_a_nearly_dependent_row_counts_as_redundant():
    """Directions 1e-6 apart are one, directions 1e-3 apart are two."""
    for angle, rank in ((1e-6, 1), (1e-3, 2)):
        factor = np.array([[1.0, 0.0], [1.0, angle]])
        assert solve_block(factor @ factor.T, np.ones(2), 0, 2)[0] == rank


def test_a_row_that_hardly_moves_is_redundant_by_itself():
    W = np.diag([1.0, 1e-12])
    assert solve_block(W, np.ones(2), 0, 2, size=1.0)[0] == 1
    assert solve_block(W, np.ones(2), 0, 2, size=1e-6)[0] == 2
