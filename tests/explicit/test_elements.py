"""Identities of every force element: energy balance, third law, closed forms."""

import numpy as np
import pytest

from grouser.compile.realization import Bushing, Penalty
from grouser.compile.state import copy_state
from grouser.integrators.solvers import make_integrator
from grouser.model.builder import ModelBuilder
from grouser.presets import find_preset
from grouser.simulate import prepare, simulate

JOINTS = ("fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "distance", "free")
FULL = np.array(
    [
        [900.0, 20.0, 0.0, 5.0, 0.0, 1.0],
        [20.0, 800.0, 10.0, 0.0, 4.0, 0.0],
        [0.0, 10.0, 700.0, 0.0, 0.0, 2.0],
        [5.0, 0.0, 0.0, 60.0, 1.0, 0.0],
        [0.0, 4.0, 0.0, 1.0, 50.0, 3.0],
        [1.0, 0.0, 2.0, 0.0, 3.0, 40.0],
    ]
)


def make_pair(gravity=(0.0, 0.0, 0.0), seed=0):
    """Two bodies in odd attitudes, tumbling."""
    rng = np.random.default_rng(seed)
    builder = ModelBuilder("pair", gravity=gravity)
    for name, x in (("one", 0.0), ("two", 0.4)):
        quaternion = rng.standard_normal(4)
        builder.add_body(
            name,
            rng.uniform(1, 3),
            rng.uniform(0.8, 1.2, 3),
            com=rng.uniform(-0.05, 0.05, 3),
            position=(x, *rng.uniform(-0.1, 0.1, 2)),
            orientation=quaternion / np.linalg.norm(quaternion),
            velocity=rng.uniform(-0.5, 0.5, 3),
            angular_velocity=rng.uniform(-1, 1, 3),
        )
    return builder


def add_joint(builder, kind):
    if kind == "distance":
        builder.add_distance("link", "one", "two", point_a=(0.05, 0.1, 0.0), point_b=(0.3, 0.0, 0.1))
        return
    builder.add_joint("link", kind, "one", "two", point=(0.2, 0.0, 0.0), axis=(0.3, 1.0, 0.2))


def build_element(name):
    builder = make_pair()
    if name == "bushing":
        builder.add_bushing(
            "link", "one", "two", point=(0.2, 0.0, 0.0), stiffness=FULL.tolist(), damping=(0.01 * FULL).tolist()
        )
    elif name == "spring":
        builder.add_spring(
            "link", "one", "two", point_a=(0.1, 0, 0), point_b=(0.3, 0.1, 0), stiffness=500.0, damping=2.0
        )
    elif name == "spring curve":
        curve = [(-0.1, -40.0), (0.0, 0.0), (0.05, 10.0), (0.2, 100.0)]
        builder.add_spring(
            "link", "one", "two", point_a=(0.1, 0, 0), point_b=(0.3, 0.1, 0), stiffness=curve, preload=3.0
        )
    elif name == "stops":
        add_joint(builder, "free")
        builder.add_joint_spring(
            "law",
            "link",
            "rotation",
            stiffness=2.0,
            friction=0.5,
            stops={"lower": -0.1, "upper": 0.1, "stiffness": 300.0, "damping": 1.0},
        )
    else:
        add_joint(builder, name)
    return builder.build()


ELEMENTS = (*JOINTS, "bushing", "spring", "spring curve", "stops")


@pytest.mark.parametrize("name", ELEMENTS)
def test_energy_balance_and_momentum(name):
    """No gravity, nothing from outside: momenta are kept exactly, and the energy balance closes with the step's
    accuracy (here 2e-5 s)."""
    model = build_element(name)
    preset = find_preset("penalty").with_realization("*", Penalty(k=2e4, c=20.0, arm=0.1))
    result = simulate(model, preset=preset, duration=1.0, step=2e-5, output_interval=0.05)
    kinetic = result["energy.kinetic"][0]
    assert np.abs(result["energy.residual"]).max() < 1e-5 * kinetic
    compiled, _ = prepare(model, preset)
    state, solver = compiled.initial, make_integrator(compiled, "explicit", "trapezoidal")
    before = calc_momenta(compiled, state)
    solver.advance(state, 20_000, 5e-5)
    after = calc_momenta(compiled, state)
    assert after[0] == pytest.approx(before[0], abs=1e-9)
    assert after[1] == pytest.approx(before[1], abs=1e-6)


def calc_momenta(compiled, state):
    body = compiled.tables.node
    linear = body.mass @ state.v
    spin = np.einsum("nij,njk,nk->i", state.R, body.inertia, state.w)
    return linear, spin + (body.mass[:, None] * np.cross(state.x, state.v)).sum(axis=0)


@pytest.mark.parametrize("kind", [k for k in JOINTS if k not in ("universal", "distance", "free")])
def test_bushing_and_penalty_hold_the_same_joint(kind):
    """A stiff bushing with the same rows moves like the penalty joint."""
    builder = make_pair(gravity=(0.0, 0.0, -9.81))
    add_joint(builder, kind)
    builder.add_joint("hinge", "spherical", "world", "one", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    model = builder.build()
    k, c, arm = 1e6, 1e3, 0.2
    stiff = (k, k, k, k * arm**2, k * arm**2, k * arm**2)
    damp = (c, c, c, c * arm**2, c * arm**2, c * arm**2)
    base = find_preset("penalty").with_realization("*", Penalty(k=k, c=c, arm=arm))
    soft = base.with_realization("joints", Bushing(stiffness=stiff, damping=damp))
    ends = [
        simulate(model, preset=p, duration=0.3, step=2e-5, output_interval=0.1)["two.position"][-1]
        for p in (base, soft)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=2e-4)


def test_revolute_reaction_of_a_hanging_body_is_its_weight():
    builder = ModelBuilder("hanging")
    builder.add_body("bob", 3.0, (0.1, 0.1, 0.1), position=(0.0, 0.0, -0.5))
    builder.add_joint("pivot", "revolute", "world", "bob", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    result = simulate(builder.build(), duration=1.0, output_interval=0.1)
    force = result["pivot.force"][-1]
    assert np.linalg.norm(force) == pytest.approx(3.0 * 9.81, rel=1e-3)


def test_motion_drives_a_joint_and_its_work_is_counted():
    """A rotor driven to a constant speed: work of the motion = kinetic energy + losses."""
    builder = ModelBuilder("rotor", gravity=(0.0, 0.0, 0.0))
    builder.add_body("rotor", 2.0, (0.2, 0.3, 0.2))
    builder.add_joint("axle", "revolute", "world", "rotor", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    builder.add_motion("drive", "axle", speed=[(0.0, 0.0), (0.5, 10.0)])
    result = simulate(builder.build(), duration=1.0, output_interval=0.05)
    assert result["rotor.angular_velocity"][-1, 1] == pytest.approx(10.0, rel=1e-4)
    assert result["energy.kinetic"][-1] == pytest.approx(0.5 * 0.3 * 100.0, rel=1e-3)
    assert result["energy.work_motions"][-1] == pytest.approx(15.0, rel=1e-3)
    assert abs(result["energy.residual"][-1]) < 1e-3 * 15.0
    effort = np.interp(0.25, result.time, result["drive.effort"])
    assert effort == pytest.approx(0.3 * 20.0, rel=1e-3)


def test_actuator_with_pid_reaches_its_target_and_respects_its_limit():
    builder = ModelBuilder("servo", gravity=(0.0, 0.0, 0.0))
    builder.add_body("rotor", 1.0, (0.1, 0.1, 0.1))
    builder.add_joint("axle", "revolute", "world", "rotor", point=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    builder.add_actuator("servo", "axle", control="position", target="0.5", p=20.0, i=20.0, d=3.0, limit=4.0)
    result = simulate(builder.build(), duration=12.0, output_interval=0.02)
    assert np.abs(result["servo.force"]).max() <= 4.0 + 1e-12
    assert result["axle.coordinate"][-1, 1] == pytest.approx(0.5, abs=2e-3)


def test_applied_force_gives_newtons_second_law():
    builder = ModelBuilder("push", gravity=(0.0, 0.0, 0.0))
    builder.add_body("mass", 4.0, (1.0, 1.0, 1.0))
    builder.add_force("push", "mass", force=("8*t", 0.0, 0.0))
    result = simulate(builder.build(), duration=1.0, output_interval=0.1)
    assert result["mass.velocity"][-1, 0] == pytest.approx(1.0, rel=1e-6)
    assert result["energy.work_forces"][-1] == pytest.approx(2.0, rel=1e-5)


def test_speed_actuator_is_stable_at_the_step_found_for_it():
    """Gain p of a speed control acts on the rate: it limits the step as a damper does."""
    builder = ModelBuilder("servo", gravity=(0.0, 0.0, 0.0))
    builder.add_body("disc", 1.0, (1.0, 1.0, 1.0))
    builder.add_joint("axle", "revolute", "world", "disc", point=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    builder.add_actuator("servo", "axle", control="speed", target=2.0, p=1.0e4)
    result = simulate(builder.build(), duration=0.5, output_interval=0.01)
    assert result["disc.angular_velocity"][-1, 2] == pytest.approx(2.0, rel=1e-3)


def test_motion_given_by_its_speed_starts_where_the_joint_is():
    builder = ModelBuilder("slide", gravity=(0.0, 0.0, 0.0))
    builder.add_body("slider", 1.0, (1.0, 1.0, 1.0))
    builder.add_joint("rail", "prismatic", "world", "slider", point=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    builder.add_motion("drive", "rail", speed=0.0)
    model = builder.build()
    moved = model.bodies["slider"].model_copy(update={"position": (0.15, 0.0, 0.0)})
    result = simulate(model.with_changes(bodies={"slider": moved}), duration=0.1, output_interval=0.01)
    assert result["slider.position"][:, 0] == pytest.approx(0.15, abs=1e-9)


def test_scratch_carries_nothing_from_one_frame_to_the_next():
    """A workspace full of NaN gives the same motion: the state alone is what a restart needs."""
    model = build_element("stops")
    compiled, _ = prepare(model)
    ends = []
    for poison in (False, True):
        state, solver = copy_state(compiled.initial), make_integrator(compiled, "explicit", "trapezoidal")
        for _ in range(3):
            if poison:
                for name, array in solver.work._asdict().items():
                    if isinstance(array, list) or name == "joint_peak":  # the peak is an output that is added to
                        continue
                    if array.dtype == float:
                        array[:] = np.nan
            solver.advance(state, 50, 1e-4)
        ends.append(state)
    for a, b in zip(*ends, strict=True):
        assert np.array_equal(a, b)
