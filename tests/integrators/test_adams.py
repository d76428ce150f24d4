"""Coefficients of `adams`: with equal steps the classical ones, with unequal steps exact for polynomials."""

import numpy as np
import pytest

from grouser.integrators.adams import MOST_ORDER, calc_coefficients

BASHFORTH = [1.0, 1 / 2, 5 / 12, 3 / 8, 251 / 720, 95 / 288]
"""Of backward differences in the formula of Adams and Bashforth (Hairer, Norsett, Wanner I, table III.1.1)."""


def find_coefficients(order, step, steps_before):
    """b_0 to b_k and g_0 to g_(k+1); `steps_before` with the last first."""
    length = np.zeros(MOST_ORDER + 2)
    length[: len(steps_before)] = steps_before
    beta, g, c = (np.zeros(MOST_ORDER + 4) for _ in range(3))
    calc_coefficients.py_func(order, step, length, beta, g, c)
    return beta, g


def test_equal_steps_have_the_coefficients_of_bashforth():
    beta, g = find_coefficients(5, 0.1, [0.1] * 6)
    assert g[:6] == pytest.approx(BASHFORTH)
    assert beta[:6] == pytest.approx(1.0)


@pytest.mark.parametrize("order", range(1, MOST_ORDER + 1))
def test_polynomials_are_integrated_exactly_over_unequal_steps(order):
    """f = t^m: the predictor of order k up to m = k - 1, the corrector up to m = k; not further."""
    rng = np.random.default_rng(order)
    steps = rng.uniform(0.05, 0.1, order + 2)
    times = np.concatenate([[0.3], 0.3 + np.cumsum(steps)])
    last = len(times) - 2  # t_n; the step to come is the last one
    for power in range(order + 2):
        f = times**power
        # differences Phi by their recursion, from point to point
        phi = [f[0]]
        for n in range(last + 1):
            beta, g = find_coefficients(min(n, order), steps[n], steps[:n][::-1])
            star = [b * p for b, p in zip(beta, phi, strict=False)]
            before, phi = phi, [f[n + 1]]
            for j in range(min(len(before), order + 1)):
                phi.append(phi[j] - star[j])
        h = steps[last]
        predicted = h * sum(g[j] * star[j] for j in range(order))
        corrected = predicted + h * g[order] * phi[order]
        exact = (times[-1] ** (power + 1) - times[-2] ** (power + 1)) / (power + 1)
        assert (abs(predicted - exact) < 1e-12 * abs(exact)) == (power < order)
        assert (abs(corrected - exact) < 1e-12 * abs(exact)) == (power <= order)
