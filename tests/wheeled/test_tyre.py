"""Tyres: characteristics at the loads for which they are given, relaxation, standstill, energy."""

import numpy as np
import pytest
from tyre_rig import HEAVY, LOAD, TYRE, calc_steady, make_rig

from grouser.errors import ModelError
from grouser.integrators.solvers import make_integrator
from grouser.model.builder import ModelBuilder
from grouser.simulate import prepare, simulate

STEADY = 2e-4
"""Relative: what is left of the transient, and of the speed at which slip is counted at a standstill."""
X, Y = TYRE["longitudinal"], TYRE["lateral"]


def get_slip(axis, slip):
    return {"sx": slip} if axis == "longitudinal" else {"sy": slip}


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("axis", ["longitudinal", "lateral"])
def test_slope_peak_and_sliding_force_at_both_loads(axis, at):
    curve, load = TYRE[axis], LOAD * (1 + at)
    channel = f"{axis}_force"
    small = 1e-3
    y = small / curve["peak_slip"][at]
    bent = 1.0 + y * (y + curve["slope"][at] * curve["peak_slip"][at] / curve["peak"][at] - 2.0)
    force = calc_steady(channel, load=load, **get_slip(axis, small))
    assert force == pytest.approx(curve["slope"][at] * small / bent, rel=2e-3)
    peak = calc_steady(channel, load=load, **get_slip(axis, curve["peak_slip"][at]))
    assert peak == pytest.approx(curve["peak"][at], rel=STEADY)
    for side in (0.97, 1.03):  # it is a maximum
        assert calc_steady(channel, load=load, **get_slip(axis, side * curve["peak_slip"][at])) < peak
    for slip in (curve["sliding_slip"][at], 1.2 * curve["sliding_slip"][at]):
        force = calc_steady(channel, load=load, **get_slip(axis, -slip))
        assert force == pytest.approx(-curve["sliding"][at], rel=STEADY)


def test_combined_slip_lies_between_the_pure_ones():
    sx, sy = 0.6 * X["peak_slip"][0], 0.6 * Y["peak_slip"][0]
    fx = calc_steady("longitudinal_force", sx=sx, sy=sy)
    fy = calc_steady("lateral_force", sx=sx, sy=sy)
    assert 0.0 < fx < calc_steady("longitudinal_force", sx=sx)
    assert 0.0 < fy < calc_steady("lateral_force", sy=sy)
    assert np.hypot(fx / X["peak"][0], fy / Y["peak"][0]) < 1.01


def test_friction_of_the_terrain_scales_peak_and_its_slip_but_not_the_slope():
    peak = calc_steady("lateral_force", sy=0.5 * Y["peak_slip"][0], friction=0.5)
    assert peak == pytest.approx(0.5 * Y["peak"][0], rel=STEADY)
    assert calc_steady("lateral_force", sy=1e-3, friction=0.5) == pytest.approx(
        calc_steady("lateral_force", sy=1e-3), rel=0.01
    )


def test_relaxation_takes_the_slope_over_the_stiffness():
    """After one relaxation length of way, a small lateral slip has 1 - 1/e of its force."""
    length, speed = Y["slope"][0] / Y["stiffness"], 2.0
    model = make_rig(sy=1e-3, rolling=speed)
    result = simulate(
        model, duration=length / speed, step=1e-3, output_interval=length / speed, settle=False, preset="penalty"
    )
    share = result["tyre.lateral_force"][-1] / calc_steady("lateral_force", sy=1e-3, rolling=speed, duration=2.0)
    # the damping of the tread makes it slower by damping * speed/slope, here 6 %
    slower = 1.0 + Y["damping"] * speed / Y["slope"][0]
    first = Y["damping"] * speed / (Y["slope"][0] * slower)
    assert share == pytest.approx(1.0 - (1.0 - first) * np.exp(-1.0 / slower), abs=0.01)


def test_aligning_torque_turns_the_wheel_back_by_trail_times_force():
    slip = 1e-3
    length = 2.0 * np.sqrt(TYRE["radius"] * LOAD / TYRE["stiffness"])
    force, torque = (calc_steady(name, sy=slip) for name in ("lateral_force", "aligning_torque"))
    assert torque == pytest.approx(-force * length * TYRE["trail"]["share"][0], rel=0.01)
    assert calc_steady("aligning_torque", sy=1.1 * TYRE["trail"]["end_slip"][0]) == 0.0


def test_camber_gives_the_force_of_the_equivalent_slip():
    """A sixth of the contact length times the spin about the normal, to the side that the wheel leans to."""
    camber = 0.05
    slip = calc_steady("slip_angle", camber=camber)
    assert slip == pytest.approx(0.0, abs=1e-4)
    length = 2.0 * np.sqrt(TYRE["radius"] * LOAD / TYRE["stiffness"])
    radius = TYRE["radius"] - 0.625 * LOAD / TYRE["stiffness"]
    force = calc_steady("lateral_force", camber=camber)
    expected = calc_steady("lateral_force", sy=-length / 6.0 * np.sin(camber) / radius)
    assert force == pytest.approx(expected, rel=0.02)
    assert force < 0.0  # the left end of the axis is up: the wheel leans to the right


def test_vertical_law_is_progressive_and_never_pulls():
    assert calc_steady("vertical_force", load=LOAD) == pytest.approx(LOAD, rel=1e-4)
    d = LOAD / TYRE["stiffness"]
    assert calc_steady("vertical_force", progression=1e6) == pytest.approx(LOAD + 1e6 * d**2, rel=1e-3)
    model = make_rig(rolling=0.0)
    wheel = model.bodies["wheel"].model_copy(update={"velocity": (0.0, 0.0, 3.0)})
    lifted = simulate(
        model.with_changes(bodies={"wheel": wheel}), duration=0.02, step=1e-3, settle=False, preset="penalty"
    )
    assert lifted["tyre.vertical_force"].min() == 0.0


def make_block(angle, mass=800.0):
    """A wheel that cannot turn, on a plane inclined by an angle."""
    builder = ModelBuilder("block")
    up = np.array([np.sin(angle), 0.0, np.cos(angle)])
    # the plane falls towards +x
    centre = (TYRE["radius"] - mass * 9.81 * np.cos(angle) / TYRE["stiffness"]) * up
    builder.add_body(
        "wheel", mass, (5e8, 5e8, 5e8), position=centre, orientation=(np.cos(angle / 2), 0, np.sin(angle / 2), 0)
    )
    builder.add_tyre("tyre", "wheel", **TYRE)
    builder.set_terrain({"type": "plane", "normal": up.tolist()})
    return builder.build()


def test_a_locked_wheel_stays_on_a_slope():
    result = simulate(make_block(0.2), duration=10.0, output_interval=0.1, settle=False, preset="penalty")
    speed = np.linalg.norm(result["wheel.velocity"], axis=1)
    assert speed[-1] < 2e-5
    force = result["tyre.longitudinal_force"][-1]
    assert force == pytest.approx(-800.0 * 9.81 * np.sin(0.2), rel=1e-3)
    assert np.ptp(result["tyre.longitudinal_force"][-10:]) < 1e-3 * abs(force)  # no jitter


def make_thrown(terrain):
    builder = ModelBuilder("thrown")
    builder.add_body(
        "wheel",
        400.0,
        (30.0, 40.0, 30.0),
        position=(0.0, 0.0, 0.46),
        orientation=(np.cos(0.03), np.sin(0.03), 0.0, 0.0),
        velocity=(6.0, 0.6, 0.0),
        angular_velocity=(0.1, 11.0, 0.2),
    )
    builder.add_tyre("tyre", "wheel", **{**TYRE, "rolling_resistance": 0.015})
    builder.set_terrain(terrain)
    builder.set_main_body("wheel")
    return builder.build()


WAVES = [[0.02 * np.sin(0.9 * i) * np.cos(0.5 * j) for j in range(9)] for i in range(40)]
GROUNDS = {
    "plane": {"type": "plane"},
    "slope": {"type": "plane", "normal": [-0.1, 0.05, 1.0]},
    "grid": {"type": "grid", "origin": [-2.0, -2.0], "spacing": [0.4, 0.5], "heights": WAVES},
    "profile": {"type": "profile", "points": [[-5.0, 0.0], [2.0, 0.0], [2.5, 0.05], [9.0, 0.0]]},
}


@pytest.mark.parametrize("ground", GROUNDS)
def test_energy_balance_closes_on_every_ground(ground):
    result = simulate(
        make_thrown(GROUNDS[ground]), duration=1.0, step=1e-4, output_interval=0.02, settle=False, preset="penalty"
    )
    moved = result["energy.kinetic"][0]
    tolerance = 1e-6 if ground in ("plane", "slope") else 2e-4  # slopes jump at the edges of a grid
    assert np.abs(result["energy.residual"]).max() < tolerance * moved
    if ground in ("plane", "slope"):  # nothing is given back
        assert np.diff(result["energy.dissipated_friction"]).min() > -1e-6 * moved
        assert np.diff(result["energy.dissipated_contacts"]).min() > -1e-6 * moved


def test_deflection_rate_is_that_of_the_deflection():
    """On a grid too, with the plane under the footprint that moves along: the damping force shows the rate."""
    model = make_thrown(GROUNDS["grid"])
    compiled, _ = prepare(model, "penalty")
    solver, state = make_integrator(compiled, "explicit", "trapezoidal"), compiled.initial
    solver.advance(state, 50, 1e-4)
    before = solver.work.tyre_value[0, 7]
    vertical, deflection = [], []
    for _ in range(2):
        solver.advance(state, 1, 1e-6)
        vertical.append(solver.work.tyre_value[0, 2])
        deflection.append(solver.work.tyre_value[0, 7])
    rate = (deflection[1] - before) / 2e-6
    damping = vertical[0] - TYRE["stiffness"] * deflection[0]
    assert damping == pytest.approx(TYRE["damping"] * rate, rel=1e-4)


def test_blocks_are_the_slopes_that_an_implicit_step_needs():
    """An implicit run of the same wheel is close to the explicit one."""
    model = make_thrown(GROUNDS["plane"])
    runs = [
        simulate(model, preset=p, duration=0.3, step=s, settle=False)
        for p, s in (("penalty", 1e-4), ("implicit", 2e-4))
    ]
    for name in ("wheel.position", "wheel.velocity"):
        assert runs[1][name][-1] == pytest.approx(runs[0][name][-1], abs=6e-3)


def test_stable_step_knows_the_tyre():
    model = make_thrown(GROUNDS["plane"])
    stiff = model.with_changes(forces={"tyre": model.forces["tyre"].model_copy(update={"stiffness": 4.1e8})})
    assert prepare(stiff, "penalty")[1].step < 0.1 * prepare(model, "penalty")[1].step
    assert prepare(stiff, "penalty")[1].step == pytest.approx(0.95 * 2.0 / np.sqrt(4.1e8 / 400.0), rel=0.05)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stiffness": -1.0}, "stiffness: is -1.0 .*greater than 0"),
        ({"longitudinal": {**X, "peak_slip": (0.7, 0.7)}}, "the peak comes before sliding"),
        ({"lateral": {**Y, "sliding": (6600.0, 12500.0)}}, "at most its peak"),
        ({"lateral": {**Y, "slope": (63376.0, 50000.0)}}, "must lie between 1 and 4 times"),
        ({"lateral": {**Y, "damping": 10.0}}, "so that the tread relaxes"),
        ({"trail": {**TYRE["trail"], "zero_slip": (1.1, 1.1)}}, "is not below end_slip"),
        ({"radius_share": (0.4, 1.4)}, "shares are at most 1"),
    ],
)
def test_impossible_tyres_are_refused(changes, message):
    with pytest.raises(ModelError, match=message):
        make_rig(**changes) if "stiffness" not in changes else _make_with(changes)


def _make_with(changes):
    builder = ModelBuilder("bad")
    builder.add_body("wheel", HEAVY, (HEAVY, HEAVY, HEAVY))
    builder.add_tyre("tyre", "wheel", **{**TYRE, **changes})
    return builder.build()
