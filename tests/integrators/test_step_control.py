"""Step control by the energy balance: unit behaviour, and mechanisms that become stiffer while they move."""

import math

import numpy as np
import pytest

import grouser as gr
from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.errors import SolveError
from grouser.integrators.declarations import INTEGRATORS, MOVED_LATE
from grouser.record.observe import Energies
from grouser.step_control import MOST_NOTCHES, NOTCH, PATIENCE, StepControl

QUIET = Energies(*np.zeros(len(Energies._fields)))._replace(kinetic=1.0, potential=2.0)


def make_energies(**changes):
    return QUIET._replace(**changes)


def make_control(fixed=False):
    return StepControl(1e-3, 0.01, 10.0, fixed=fixed)


def test_a_balanced_frame_keeps_its_step():
    control = make_control()
    assert control.accepts(make_energies(), make_energies(kinetic=1.5, potential=1.5), 0.01)
    assert control.substeps == 10
    assert control.smallest == 1e-3


@pytest.mark.parametrize("after", [None, make_energies(kinetic=1.5, residual=0.1)])
def test_a_frame_that_diverges_or_does_not_add_up_is_repeated_with_a_smaller_step(after):
    control = make_control()
    assert not control.accepts(make_energies(), after, 0.01)
    assert control.step == 0.01 / math.ceil(10 / NOTCH)
    assert control.unbalanced is None


def test_the_step_grows_again_after_quiet_frames_but_not_beyond_the_first():
    control = make_control()
    assert not control.accepts(make_energies(), None, 0.01)
    for _ in range(3 * PATIENCE):
        assert control.accepts(make_energies(), make_energies(), 0.01)
    assert control.substeps == 10
    assert control.smallest < 1e-3


def test_a_fixed_step_is_left_alone_and_told():
    control = make_control(fixed=True)
    assert control.accepts(make_energies(), make_energies(residual=0.5), 0.07)
    assert control.substeps == 10
    assert control.unbalanced == 0.07


def test_leapfrog_frames_may_be_open_by_more_and_are_not_told_one_by_one():
    declared = INTEGRATORS["leapfrog"]
    for opened, is_accepted in ((0.5, True), (1.5, False)):
        control = StepControl(1e-3, 0.01, 10.0, fixed=False, imbalance=declared.imbalance, balanced=False)
        after = make_energies(kinetic=1.5, potential=1.5, residual=opened * MOVED_LATE)
        assert control.accepts(make_energies(), after, 0.01) is is_accepted
    fixed = StepControl(1e-3, 0.01, 10.0, fixed=True, imbalance=declared.imbalance, balanced=declared.is_balanced)
    assert fixed.accepts(make_energies(), make_energies(residual=0.5), 0.07)
    assert fixed.unbalanced is None


@pytest.mark.parametrize("preset", ["recursive", "constrained"])
def test_links_that_carry_much_do_not_tremble(preset):
    """A link of an M113 at rest carries 7 % of its weight, of which the stable step knows 2 %: in leapfrog steps of
    that length the friction of its foot turns it round in every step, and was booked with 390 W."""
    model = apply_scenario(load_vehicle("m113"), load_scenario("straight"))
    result = gr.simulate(model, preset=preset, duration=2.0, strict=True)
    assert result.summary["energy_residual"] < 0.006
    assert result.summary["step"] < 0.8 * result.summary["stable_step"]
    driven = result["energy.work_motions"][-1]
    assert result["energy.dissipated_friction"][result.time < 1.0].max() < 0.01 * driven


def test_it_gives_up_in_the_end():
    control = make_control()
    assert sum(not control.accepts(make_energies(), None, 0.01) for _ in range(100)) == MOST_NOTCHES


def make_four_bar():
    """Crank 0.5 m, coupler 1.5 m, rocker 1.2 m on a base of 2 m: the crank goes round, the joints change their load."""
    crank, base = np.array([0.0, 0.0, 0.5]), np.array([2.0, 0.0, 0.0])
    way = np.linalg.norm(base - crank)
    along = (1.5**2 - 1.2**2 + way**2) / (2 * way)
    forward = (base - crank) / way
    top = crank + along * forward + math.sqrt(1.5**2 - along**2) * np.array([-forward[2], 0.0, forward[0]])
    builder = gr.ModelBuilder("four bar")
    points = [np.zeros(3), crank, top, base]
    for i, name in enumerate(("crank", "coupler", "rocker")):
        middle, arm = 0.5 * (points[i] + points[i + 1]), points[i + 1] - points[i]
        length, angle = np.linalg.norm(arm), -math.atan2(arm[2], arm[0])
        mass = 2.0 * length
        moment = mass * length**2 / 12
        turned = (math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0)
        builder.add_body(name, mass, (1e-3 * mass, moment, moment), position=middle, orientation=turned)
    bodies = ["world", "crank", "coupler", "rocker", "world"]
    for i, point in enumerate(points):
        builder.add_joint(f"pin{i}", "revolute", bodies[i], bodies[i + 1], point=point, axis=(0, 1, 0))
    builder.add_motion("drive", "pin0", speed="-2*pi*min(t, 1)")
    return builder.build()


def test_a_four_bar_whose_first_step_is_too_long_on_the_way_is_carried_through():
    result = gr.simulate(make_four_bar(), duration=3.0)
    assert result.summary["status"] == "done"
    assert result.summary["step"] < result.summary["stable_step"]
    assert result.summary["energy_residual"] < 0.005
    assert result.summary["events"] == []
    assert np.allclose(result.time, np.linspace(0.0, 3.0, 301), atol=1e-12)


def test_the_users_own_step_is_not_changed():
    with pytest.raises(SolveError, match="diverged at"):
        gr.simulate(make_four_bar(), duration=3.0, step=1.45e-4)
