"""`rk4`: its amplitude loss, and the default step that follows from its bounds of stability."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.compile.state import copy_state
from grouser.compile.stiffness import SAFETY
from grouser.formulations.status import DIVERGED, DONE
from grouser.integrators.solvers import make_integrator
from grouser.model.builder import ModelBuilder
from grouser.presets import find_preset
from grouser.simulate import prepare

PRESET = replace(find_preset("penalty"), integrator="rk4")


def make_oscillator(omega, gamma, position=0.1, velocity=0.0):
    """A mass on a spring and a damper along X."""
    builder = ModelBuilder("oscillator", gravity=(0.0, 0.0, 0.0))
    builder.add_body("mass", 1.0, (1.0, 1.0, 1.0), velocity=(velocity, 0.0, 0.0))
    builder.add_joint("guide", "free", "world", "mass", point=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    builder.add_joint_spring("law", "guide", "translation", stiffness=omega**2, damping=gamma, free=-position)
    return builder.build()


def run(model, step_count, step):
    compiled, _ = prepare(model, PRESET)
    state = copy_state(compiled.initial)
    status, _ = make_integrator(compiled, "explicit", "rk4").advance(state, step_count, step)
    return status, state


@pytest.mark.parametrize("x", [0.2, 1.0, 2.0])
def test_undamped_oscillator_loses_exactly_the_methods_own_amplitude(x):
    """With x = omega dt one step has the determinant 1 - x^6/72 + x^8/576: an amplitude falls by 1 - x^6/144."""
    omega, steps = 10.0, 40
    columns = []
    for position, velocity in ((1.0, 0.0), (0.0, omega)):
        status, state = run(make_oscillator(omega, 0.0, position, velocity), steps, x / omega)
        assert status == DONE
        columns.append([state.x[1, 0] + position, state.v[1, 0] / omega])
    expected = (1.0 - x**6 / 72.0 + x**8 / 576.0) ** steps
    assert np.linalg.det(np.array(columns)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("omega", "gamma", "bound"), [(100.0, 0.0, 2.828 / 100.0), (0.0, 100.0, 2.785 / 100.0)])
def test_default_step_follows_the_bounds_of_stability(omega, gamma, bound):
    """Just below the bound a mode stays, just above it grows; the default step is `SAFETY` times it."""
    model = make_oscillator(omega, gamma, velocity=1.0)
    _, stable = prepare(model, PRESET)
    assert stable.step == pytest.approx(SAFETY * bound, rel=1e-3)
    for factor, expected in ((0.995, DONE), (1.03, DIVERGED)):
        status, _ = run(model, 20_000, factor * bound)
        assert status == expected


@pytest.mark.parametrize("ratio", [0.1, 0.5, 1.0, 3.0])
def test_step_of_a_mode_with_both_is_on_the_safe_side(ratio):
    omega = 100.0
    model = make_oscillator(omega, 2.0 * ratio * omega, velocity=1.0)
    _, stable = prepare(model, PRESET)
    assert run(model, 5_000, stable.step / SAFETY)[0] == DONE
    assert run(model, 5_000, 3.0 * stable.step)[0] == DIVERGED
