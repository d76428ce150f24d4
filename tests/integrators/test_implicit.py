"""Implicit integrators of second order: closed forms of their damping, stiff joints far beyond the explicit bound."""

from dataclasses import replace

import numpy as np
import pytest
from smooth_models import Run, calc_distance
from test_contact_steps import make_block
from test_contact_steps import run as run_block
from test_rk4 import make_oscillator

import grouser as gr
from grouser.compile.realization import Penalty
from grouser.compile.state import copy_state
from grouser.errors import ModelError, UnsupportedError
from grouser.formulations.status import DONE
from grouser.integrators.solvers import make_integrator
from grouser.presets import find_preset
from grouser.simulate import prepare

PRESET = find_preset("implicit")
SECOND_ORDER = ("implicit-extrapolated", "generalised-alpha")


def run(model, preset, step_count, step):
    compiled, _ = prepare(model, preset)
    solver = make_integrator(compiled, "explicit", preset.integrator, spectral_radius=preset.spectral_radius)
    state = copy_state(compiled.initial)
    assert solver.advance(state, step_count, step) == (DONE, "")
    return state


def calc_steps_matrix(preset, x, step_count, *, amplitude=1.0, omega=10.0):
    """Matrix of so many steps of an undamped oscillator with omega h = x, on (position, velocity/omega)."""
    columns = []
    for position, velocity in ((amplitude, 0.0), (0.0, amplitude * omega)):
        state = run(make_oscillator(omega, 0.0, position, velocity), preset, step_count, x / omega)
        columns.append([state.x[1, 0] + position, state.v[1, 0] / omega])
    return np.array(columns).T / amplitude


@pytest.mark.parametrize("x", [0.1, 0.5, 2.0])
def test_sdirk_steps_multiply_a_mode_by_their_closed_form(x):
    """(1 + (1 - 2 c) s)/(1 - c s)^2 with s = i x, c = 1 - sqrt(1/2); linear stages end with their first correction."""
    compiled, _ = prepare(make_oscillator(10.0, 0.0, 1.0, 0.0), PRESET)
    solver, state = make_integrator(compiled, "explicit", "sdirk", has_step=True), copy_state(compiled.initial)
    assert solver.advance(state, 20, x / 10.0) == (DONE, "")
    c = 1.0 - np.sqrt(0.5)
    factor = ((1.0 + (1.0 - 2.0 * c) * 1j * x) / (1.0 - c * 1j * x) ** 2) ** 20
    assert [state.x[1, 0] + 1.0, state.v[1, 0] / 10.0] == pytest.approx([factor.real, -factor.imag], abs=1e-9)


def test_what_sdirk_steps_damp_is_booked_to_the_last_digit():
    """The energy balance of an oscillator with a damper closes at any step, where stages are solved to the end."""
    preset = replace(PRESET, tolerance=1e-9)
    result = gr.simulate(
        make_oscillator(10.0, 0.3, 1.0, 0.0), preset=preset, step=0.05, output_interval=0.1, duration=2.0, settle=False
    )
    assert result["energy.dissipated_numerically"][-1] > 0.01 * result["energy.dissipated_forces"][-1] > 0.0
    assert np.abs(result["energy.residual"]).max() < 1e-9 * result["energy.dissipated_forces"][-1]


def test_what_implicit_euler_steps_damp_is_booked_to_the_last_digit():
    preset = replace(PRESET, integrator="implicit-euler")
    result = gr.simulate(
        make_oscillator(10.0, 0.3, 1.0, 0.0), preset=preset, step=0.05, output_interval=0.1, duration=2.0, settle=False
    )
    assert result["energy.dissipated_numerically"][-1] > 0.1 * result["energy.dissipated_forces"][-1] > 0.0
    assert np.abs(result["energy.residual"]).max() < 1e-9 * result["energy.dissipated_forces"][-1]


@pytest.mark.parametrize("x", [0.1, 0.5, 2.0])
def test_extrapolated_steps_multiply_a_mode_by_their_closed_form(x):
    """2/(1 - s/2)^2 - 1/(1 - s) with s = i x."""
    matrix = calc_steps_matrix(replace(PRESET, integrator="implicit-extrapolated"), x, 20)
    factor = (2.0 / (1.0 - 0.5j * x) ** 2 - 1.0 / (1.0 - 1j * x)) ** 20
    expected = [[factor.real, factor.imag], [-factor.imag, factor.real]]
    assert matrix == pytest.approx(np.array(expected), abs=1e-12)


def calc_alpha_matrix(rho, x):
    """One step of generalised-alpha on (q, h v, h^2 a, h^2 dv/dt), with dv/dt = -omega^2 q."""
    m, f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma = 0.5 + f - m
    beta = 0.25 * (gamma + 0.5) ** 2
    new = [[1, 0, -beta, 0], [0, 1, -gamma, 0], [0, 0, 1 - m, f - 1], [x * x, 0, 0, 1]]
    old = [[1, 1, 0.5 - beta, 0], [0, 1, 1 - gamma, 0], [0, 0, -m, f], [0, 0, 0, 0]]
    return np.linalg.solve(np.array(new, dtype=float), np.array(old, dtype=float))


def calc_alpha_end(rho, x, step_count):
    """What (position, velocity/omega) of an oscillator become, from a = dv/dt."""
    start = np.array([[1.0, 0.0, -x * x, -x * x], [0.0, x, 0.0, 0.0]]).T
    end = np.linalg.matrix_power(calc_alpha_matrix(rho, x), step_count) @ start
    return np.array([end[0], end[1] / x])


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("x", [0.1, 1.0])
def test_generalised_alpha_multiplies_a_mode_by_its_closed_form(x, rho):
    preset = replace(PRESET, integrator="generalised-alpha", spectral_radius=rho)
    assert calc_steps_matrix(preset, x, 20) == pytest.approx(calc_alpha_end(rho, x, 20), abs=1e-9)


@pytest.mark.parametrize("rho", [0.5, 0.8, 0.9])
def test_spectral_radius_is_what_a_step_leaves_of_a_very_fast_mode(rho):
    """Three eigenvalues meet in -rho at infinity, where the root of third order makes the limit a slow one."""
    preset, x = replace(PRESET, integrator="generalised-alpha", spectral_radius=rho), 1e3
    assert np.abs(np.linalg.eigvals(calc_alpha_matrix(rho, 1e3 * x))).max() == pytest.approx(rho, rel=1e-3)
    matrix = calc_steps_matrix(preset, x, 10, amplitude=1e-6, omega=1e5)
    assert matrix == pytest.approx(calc_alpha_end(rho, x, 10), abs=1e-4)
    assert np.abs(matrix[0]).max() > 1e-2


def make_pendulum():
    """A rod of 1 m on a pin."""
    builder = gr.ModelBuilder("pendulum")
    builder.add_body("rod", 1.0, (0.01, 1.0 / 12.0, 1.0 / 12.0), position=(-0.5, 0.0, 0.0))
    builder.add_joint("pin", "revolute", "world", "rod", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    return builder.build()


@pytest.mark.parametrize("integrator", SECOND_ORDER)
def test_a_stiff_pin_sets_no_bound_on_the_step_and_costs_no_order(integrator):
    """Undamped at 1e9 N/m: 1 ms is 30 times the stable step. The slow motion converges with second order."""
    stiff = PRESET.with_realization("*", Penalty(k=1e9, c=0.0, arm=0.1))
    preset = replace(stiff, integrator=integrator)
    _, stable = prepare(make_pendulum(), replace(stiff, integrator="trapezoidal"))
    assert 30.0 * stable.step < 1e-3
    ideal, _ = prepare(make_pendulum(), "recursive")
    reference = copy_state(ideal.initial)
    make_integrator(ideal, "recursive", "adams", 1e-11).advance(reference, 1, 1.0)
    errors = []
    for count in (250, 500, 1000):
        end = run(make_pendulum(), preset, count, 1.0 / count)
        assert np.linalg.norm(end.x[1]) == pytest.approx(0.5, abs=4e-7)
        errors.append(calc_distance(end, reference))
    assert errors[1] < 2e-4
    assert errors[0] / errors[1] > 3.0
    assert errors[1] / errors[2] > 2.5


def test_a_redundant_loop_of_ideal_joints_stays_closed():
    """Order: `test_order.py`. Here the gap of the last pin, which the rows of the others imply."""
    run = Run("augmented", "loop", "implicit-extrapolated")
    end = run.find_end(0.5, 200)
    assert run.solver.find_redundant_count() == 3
    table = run.compiled.tables.constraint
    for k in range(len(table.body_a)):
        a, b = table.body_a[k], table.body_b[k]
        gap = end.x[b] + end.R[b] @ table.p_b[k] - end.x[a] - end.R[a] @ table.p_a[k]
        assert np.abs(gap).max() < 1e-11


@pytest.mark.parametrize("integrator", SECOND_ORDER)
def test_frames_do_not_change_the_motion(integrator):
    """Pseudo-accelerations live on across frames."""
    whole = Run("explicit", "double", integrator).find_end(0.2, 100)
    parts = Run("explicit", "double", integrator).find_end(0.2, 10, frames=10)
    assert calc_distance(whole, parts) < 1e-10


@pytest.mark.parametrize("integrator", SECOND_ORDER)
def test_a_block_that_falls_on_the_ground(integrator):
    """Feet meet the ground with a jump of the force, hop, and slide to where `adams` finds them."""
    model = make_block("tanh", height=0.05, speed=1.0)
    reference, _ = run_block(model, "adams", 0.4)
    end, solver = run_block(model, integrator, 0.4, 4000)
    assert solver.counts.evaluations < 6 * 4000
    assert calc_distance(end, reference) < 5e-3
    assert end.ledger.sum() == pytest.approx(reference.ledger.sum(), rel=2e-2)


@pytest.mark.parametrize("integrator", SECOND_ORDER)
def test_an_m113_agrees_with_linearly_implicit_euler_steps(integrator):
    """0.3 s in which it drops onto its tracks by some 40 mm."""
    vehicle = gr.vehicles.m113()
    heights = []
    for name in ("implicit-euler", integrator):
        result = gr.simulate(
            vehicle, preset="implicit", integrator=name, duration=0.3, step=1e-3, output_interval=0.1, settle=False
        )
        heights.append(result["chassis.position.z"])
    assert abs(heights[0][-1] - heights[0][0]) > 0.01
    assert heights[1] == pytest.approx(heights[0], abs=1e-3)


@pytest.mark.parametrize("step", [2.5e-3, 5e-3])
def test_corrections_that_go_round_between_jumps_come_to_an_end(step):
    """An M113 that drops onto its tracks in long steps: many contacts close and open within one of them."""
    preset = replace(gr.presets.PRESETS["implicit"], integrator="generalised-alpha")
    result = gr.simulate(gr.vehicles.m113(), preset=preset, duration=0.15, step=step, settle=False)
    assert result.status == "done"


@pytest.mark.parametrize(
    ("integrator", "preset", "alternative"),
    [
        ("implicit-extrapolated", "recursive", "explicit or augmented"),
        ("generalised-alpha", "recursive", "rk4"),
        ("implicit-euler", "recursive", "explicit or augmented"),
        ("sdirk", "constrained", "implicit-extrapolated"),
        ("generalised-alpha", "constrained", "implicit-extrapolated"),
        ("leapfrog", "embedded", "explicit or augmented or recursive"),
    ],
)
def test_other_formulations_are_refused_by_name(integrator, preset, alternative):
    with pytest.raises(UnsupportedError, match=rf"{integrator!r}.*preset {preset!r}.*{alternative}"):
        gr.simulate(make_pendulum(), preset=preset, integrator=integrator, duration=0.1)


def test_a_spectral_radius_out_of_range_is_refused():
    with pytest.raises(ModelError, match=r"'implicit': spectral_radius = 1\.5.*between 0 and 1"):
        gr.simulate(make_pendulum(), preset=replace(PRESET, spectral_radius=1.5), duration=0.1)
