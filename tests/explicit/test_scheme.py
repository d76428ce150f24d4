"""The time scheme: order, conservation, its own amplitude loss, rotation."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from grouser.compile.realization import Penalty
from grouser.compile.stiffness import SAFETY
from grouser.errors import IncompatibleError, ModelError, SolveError, UnsupportedError
from grouser.formulations.status import DIVERGED, DONE
from grouser.integrators.solvers import make_integrator
from grouser.model.builder import ModelBuilder
from grouser.presets import find_preset
from grouser.simulate import prepare, settle, simulate

TUMBLING = (3.0, 0.2, 1.0)
INERTIA = (1.0, 2.0, 2.6)


def run(model, dt, steps, preset="penalty"):
    compiled, _ = prepare(model, preset)
    state, solver = compiled.initial, make_integrator(compiled, "explicit", "trapezoidal")
    status, _ = solver.advance(state, steps, dt)
    assert status == DONE
    return state, solver.work


def make_free_body(velocity=(0.0, 0.0, 0.0)):
    builder = ModelBuilder("free body", gravity=(0.0, 0.0, 0.0))
    builder.add_body("body", 2.0, INERTIA, angular_velocity=TUMBLING, velocity=velocity)
    return builder.build()


def make_oscillator(omega, position=0.1, velocity=0.0):
    """A mass on a spring along X; the joint itself leaves everything free."""
    builder = ModelBuilder("oscillator", gravity=(0.0, 0.0, 0.0))
    builder.add_body("mass", 1.0, (1.0, 1.0, 1.0), velocity=(velocity, 0.0, 0.0))
    builder.add_joint("guide", "free", "world", "mass", point=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    builder.add_joint_spring("spring", "guide", "translation", stiffness=omega**2, free=-position)
    return builder.build()


def calc_momentum(state):
    inertia = np.diag(INERTIA)
    return state.R[1] @ inertia @ state.w[1], 0.5 * state.w[1] @ inertia @ state.w[1]


def test_tumbling_body_keeps_energy_and_angular_momentum():
    model = make_free_body()
    start = np.diag(INERTIA) @ TUMBLING
    state, _ = run(model, 1e-4, 100_000)
    momentum, energy = calc_momentum(state)
    assert np.linalg.norm(momentum - start) / np.linalg.norm(start) < 1e-7
    assert abs(energy / (0.5 * np.dot(TUMBLING, start)) - 1.0) < 1e-7


def test_tumbling_body_converges_with_second_order():
    model = make_free_body()
    reference, _ = run(model, 1e-4, 20_000)
    errors = []
    for dt in (8e-3, 4e-3, 2e-3):
        state, _ = run(model, dt, round(2.0 / dt))
        errors.append(np.linalg.norm(state.R[1] - reference.R[1]))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders == pytest.approx([2.0, 2.0], abs=0.1)


@pytest.mark.parametrize("x", [0.1, 0.5, 1.0])
def test_undamped_oscillator_loses_exactly_the_schemes_own_amplitude(x):
    """With x = omega dt the determinant of one step of the two-pass scheme is 1 - x^4/8, so an amplitude falls by
    1 - x^4/16 + ... per step. Two runs from independent states give the determinant of many steps."""
    omega, steps = 10.0, 50
    columns = []
    for position, velocity in ((1.0, 0.0), (0.0, omega)):
        state, _ = run(make_oscillator(omega, position, velocity), x / omega, steps)
        columns.append([state.x[1, 0] + position, state.v[1, 0] / omega])
    assert np.linalg.det(np.array(columns)) == pytest.approx((1.0 - x**4 / 8.0) ** steps, rel=1e-10)


def test_rotation_stays_orthonormal_over_a_million_steps():
    state, _ = run(make_free_body(), 1e-3, 1_000_000)
    assert np.abs(state.R[1] @ state.R[1].T - np.eye(3)).max() < 1e-10


def test_stable_step_is_sharp():
    """Just below the bound an oscillator stays bounded, just above it grows."""
    model = make_oscillator(100.0)
    _, stable = prepare(model)
    bound = stable.step / SAFETY
    assert bound == pytest.approx(2.0 / 100.0, rel=1e-6)
    compiled, _ = prepare(model)
    for factor, expected in ((0.999, DONE), (1.05, DIVERGED)):
        state, solver = prepare(model)[0].initial, make_integrator(compiled, "explicit", "trapezoidal")
        status, _ = solver.advance(state, 5000, factor * bound)
        assert status == expected


def make_point_pendulum():
    """A bob whose inertia about the pivot is that of a point mass to 1e-4."""
    builder = ModelBuilder("pendulum")
    builder.add_body("bob", 1.0, (1e-4, 1e-4, 1e-4), position=(-1.0, 0.0, 0.0))
    builder.add_joint("pivot", "revolute", "world", "bob", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    return builder.build()


def test_pendulum_by_penalty_converges_to_the_closed_form():
    """Against the ideal pendulum (1 + 1e-4) L theta'' = -g sin(theta), released at rest from the horizontal."""
    ideal = solve_ivp(
        lambda _, y: [y[1], -9.81 / (1.0 + 1e-4) * np.sin(y[0])], (0, 1.0), [-np.pi / 2, 0.0], rtol=1e-11, atol=1e-12
    ).y[0, -1]
    errors = []
    for k in (1e4, 1e5, 1e6):
        preset = find_preset("penalty").with_realization("*", Penalty(k=k, c=10.0, arm=0.01))
        state, _ = run(make_point_pendulum(), 1e-5, 100_000, preset)
        errors.append(abs(np.arctan2(state.x[1, 0], -state.x[1, 2]) - ideal))
    assert errors[0] > 5 * errors[1] > 25 * errors[2]
    assert errors[2] < 1e-4


def test_stable_step_holds_for_modes_that_have_both_stiffness_and_damping():
    """Seven springs, seven dampers and one mode with both, which limits the step although it is extreme in neither."""
    builder = ModelBuilder("many", gravity=(0.0, 0.0, 0.0))
    laws = [(1.0e6 * (1 + 0.01 * i), 0.0) for i in range(7)] + [(0.0, 1.0e3 * (1 + 0.01 * i)) for i in range(7)]
    for i, (k, c) in enumerate([*laws, (0.9e6, 0.9e3)]):
        builder.add_body(f"mass{i}", 1.0, (1.0, 1.0, 1.0), position=(0.0, float(i), 0.0))
        builder.add_joint(f"guide{i}", "free", "world", f"mass{i}", point=(0.0, float(i), 0.0), axis=(1.0, 0.0, 0.0))
        builder.add_joint_spring(f"law{i}", f"guide{i}", "translation", stiffness=k, damping=c, free=0.1)
    _, stable = prepare(builder.build())
    omega, gamma = np.sqrt(0.9e6), 0.9e3
    assert stable.step / SAFETY == pytest.approx(4.0 / (np.sqrt(4 * omega**2 + gamma**2) + gamma), rel=1e-3)


def test_damped_oscillator_is_stable_up_to_the_bound():
    omega, zeta = 100.0, 0.5
    builder = ModelBuilder("damped", gravity=(0.0, 0.0, 0.0))
    builder.add_body("mass", 1.0, (1.0, 1.0, 1.0))
    builder.add_joint("guide", "free", "world", "mass", point=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    builder.add_joint_spring("law", "guide", "translation", stiffness=omega**2, damping=2 * zeta * omega, free=0.1)
    compiled, stable = prepare(builder.build())
    bound = 2.0 / omega * (np.sqrt(1.0 + zeta**2) - zeta)
    assert stable.step / SAFETY == pytest.approx(bound, rel=1e-3)
    for factor, expected in ((0.995, DONE), (1.02, DIVERGED)):
        state, solver = prepare(builder.build())[0].initial, make_integrator(compiled, "explicit", "trapezoidal")
        status, _ = solver.advance(state, 20_000, factor * bound)
        assert status == expected


def test_a_state_that_is_no_number_stops_the_run():
    model = make_free_body()
    start = prepare(model)[0].initial
    start.w[1, 1] = np.nan
    with pytest.raises(SolveError, match=r"diverged at 0 s at body 'body'"):
        simulate(model, duration=0.2, initial=start)


def test_a_signal_that_is_no_number_is_refused_before_the_run():
    builder = ModelBuilder("nan", gravity=(0.0, 0.0, 0.0))
    builder.add_body("body", 1.0, (1.0, 1.0, 1.0))
    builder.add_force("twist", "body", torque=("sqrt(0.05 - t)", 0.0, 0.0))
    with pytest.raises(ModelError, match=r"'sqrt\(0.05 - t\)' is nan at t = 0\.05"):
        simulate(builder.build(), duration=0.2)


def test_a_state_of_another_model_is_refused():
    with pytest.raises(IncompatibleError, match="2 nodes and does not fit this model with 1"):
        simulate(make_free_body(), duration=0.1, initial=settle(make_resting_bodies()))


def test_settling_from_a_state_of_rest_stays_there():
    model = make_resting_bodies()
    moved = settle(model)
    moved.x[1, 0] = 0.25
    again = settle(model, initial=moved)
    np.testing.assert_array_equal(again.x, moved.x)
    assert again.time[0] == 0.0
    with pytest.raises(IncompatibleError, match="2 nodes and does not fit this model with 1"):
        settle(make_free_body(), initial=moved)


def make_resting_bodies():
    builder = ModelBuilder("resting", gravity=(0.0, 0.0, 0.0))
    builder.add_body("body", 1.0, (1.0, 1.0, 1.0))
    builder.add_body("second", 1.0, (1.0, 1.0, 1.0))
    return builder.build()


def test_duration_is_kept_where_the_interval_does_not_divide_it():
    result = simulate(make_free_body(), duration=1.0, output_interval=0.3)
    assert result.time[-1] == pytest.approx(1.0)
    assert np.diff(result.time) == pytest.approx(0.25)


def test_presets_are_checked_against_the_model():
    model = make_point_pendulum()
    with pytest.raises(UnsupportedError, match=r"joint group 'jonts'.*'joints'"):
        simulate(model, preset=find_preset("penalty").with_realization("jonts", Penalty()), duration=0.1)
    with pytest.raises(UnsupportedError, match=r"formulation 'recursiv'.*'recursive'"):
        simulate(model, preset=replace(find_preset("penalty"), formulation="recursiv"), duration=0.1)
    with pytest.raises(UnsupportedError, match=r"integrator 'oiler'.*'euler'"):
        simulate(model, preset=replace(find_preset("penalty"), integrator="oiler"), duration=0.1)
