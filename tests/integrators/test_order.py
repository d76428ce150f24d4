"""Measured order of every integrator with a fixed step, by every formulation, against `adams` at a tight tolerance."""

from functools import cache

import numpy as np
import pytest
from smooth_models import CASES, Run, calc_distance

from grouser.integrators.declarations import INTEGRATORS

FIXED = [name for name, one in INTEGRATORS.items() if (not one.is_adaptive or one.takes_step) and name != "leapfrog"]
"""The order of `leapfrog` depends on what it steps: `test_leapfrog.py`."""
DURATION = 0.5
STEPS = {1: 1600, 2: 400, 4: 100}
"""Fewest steps, by order: errors of 1e-3 to 1e-7, far from rounding and from a step that is too large."""
NEAR = 0.3
"""How near to the order the ratio of errors of two steps is."""


@cache
def solve_reference(formulation, model):
    return Run(formulation, model, "adams", 1e-13).find_end(DURATION)


@pytest.mark.parametrize(
    ("integrator", "formulation", "model"),
    [(name, *case) for name in FIXED for case in CASES if case[0] in INTEGRATORS[name].formulations],
)
def test_order(integrator, formulation, model):
    order = int(INTEGRATORS[integrator].order)
    reference = solve_reference(formulation, model)
    run = Run(formulation, model, integrator, tolerance=1e-8, has_step=True)
    ends = [run.find_end(DURATION, factor * STEPS[order]) for factor in (1, 2, 4)]
    errors = [calc_distance(end, reference) for end in ends]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=NEAR)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(order, abs=NEAR)


@pytest.mark.parametrize(("formulation", "model"), [case for case in CASES if case[1] != "top"])
def test_energies_are_as_accurate_as_the_motion(formulation, model):
    """The ledger of `rk4` has its order too: powers are quadratures of the same stages."""
    reference = solve_reference(formulation, model).ledger
    assert np.abs(reference).max() > 0.01  # [J]
    run = Run(formulation, model, "rk4")
    errors = [np.abs(run.find_end(DURATION, count).ledger - reference).max() for count in (100, 200)]
    assert errors[0] / errors[1] > 2.0 ** (4 - NEAR)
