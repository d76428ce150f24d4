"""Sessions: steps from Python are those of a run, and a snapshot brings back all that decides what follows."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import grouser as gr
from grouser.compile.state import State
from grouser.errors import IncompatibleError, ModelError, ResultError, SolveError
from grouser.integrators.declarations import INTEGRATORS
from grouser.model.model import Model
from grouser.presets import PRESETS


def make_cart(*, is_driven: bool = True) -> Model:
    """A ball that is pushed over the ground and bounces, with a pendulum on a hinge that a drive turns."""
    builder = gr.ModelBuilder("cart")
    builder.add_body("ball", 2.0, (0.01, 0.01, 0.01), position=(0.0, 0.0, 0.12), velocity=(1.0, 0.0, 0.0))
    builder.add_body("rod", 0.5, (0.01, 0.01, 0.001), position=(0.3, 0.0, 0.5))
    builder.add_joint("hinge", "revolute", "world", "rod", point=(0.0, 0.0, 0.5), axis=(0.0, 1.0, 0.0))
    builder.add_shape("tread", "sphere", "ball", group="tread", radius=0.1)
    builder.add_contact("ground", "tread", "terrain", stiffness=1.0e5, damping=50.0, friction={"mu": 0.5})
    builder.set_terrain({"type": "plane"})
    if is_driven:
        builder.add_actuator("drive", "hinge", control="speed", target={"input": "speed", "rate": 20.0}, p=2.0)
        builder.add_force("pusher", "ball", force=({"input": "push", "min": -5.0, "max": 5.0}, 0.0, 0.0))
    return builder.build()


METHODS = [
    pytest.param(preset.name, integrator, id=f"{preset.name}-{integrator}")
    for preset in PRESETS.values()
    for integrator, declared in INTEGRATORS.items()
    if preset.formulation in declared.formulations and (preset.integrator == integrator or preset.name == "penalty")
]
"""Every preset with its integrator, and every integrator."""


def drive(session: gr.Session) -> list[bytes]:
    """What is to be seen in some steps with other inputs."""
    seen = []
    for i in range(6):
        session.inputs["speed"] = 4.0 * math.sin(i)
        session.inputs["push"] = 3.0 * (-1) ** i
        session.step(0.02)
        observed = session.observe()
        seen.append(np.concatenate([np.atleast_1d(observed[name]) for name in observed]).tobytes())
    return [*seen, b"".join(array.tobytes() for array in session.state)]


@pytest.mark.parametrize(("preset", "integrator"), METHODS)
def test_the_same_follows_from_a_snapshot(preset, integrator):
    with gr.Session(make_cart(), preset=preset, integrator=integrator) as session:
        drive(session)
        snapshot = session.snapshot()
        first = drive(session)
        session.step(0.013)
        session.restore(snapshot)
        assert session.time == snapshot.time == pytest.approx(0.12)
        assert drive(session) == first
        with gr.Session(make_cart(), preset=preset, integrator=integrator) as other:
            other.restore(snapshot)
            assert drive(other) == first


@pytest.fixture(scope="module")
def tank() -> tuple[Model, State]:
    """An M113 whose sprockets follow inputs, and its state of rest."""
    drives = {side: {"input": f"{side}_speed", "rate": 10.0} for side in ("left", "right")}
    model = gr.vehicles.m113(drives=drives)
    return model, gr.settle(model)


@pytest.mark.parametrize("preset", ["implicit", "penalty", "recursive"])
def test_a_second_of_driving_is_the_same_again(tank, preset):
    model, start = tank

    def drive_off(session: gr.Session) -> list[bytes]:
        seen = []
        for i in range(50):
            session.inputs["left_speed"] = 0.1 * i
            session.inputs["right_speed"] = 5.0 - 0.05 * i
            session.step(0.02)
            seen.append(session.observe()["chassis.position"].tobytes())
        return [*seen, *(array.tobytes() for array in session.state)]

    with gr.Session(model, preset=preset, initial=start) as session:
        session.inputs["right_speed"] = 4.0
        session.step(0.1)
        snapshot = session.snapshot()
        first = drive_off(session)
        assert session.time == pytest.approx(1.1)
        session.restore(snapshot)
        assert drive_off(session) == first


@pytest.mark.parametrize(("preset", "integrator"), METHODS)
def test_steps_are_those_of_a_run(preset, integrator):
    model = make_cart(is_driven=False)
    with (
        gr.simulate(model, preset=preset, integrator=integrator, duration=0.2, output_interval=0.02) as result,
        gr.Session(model, preset=preset, integrator=integrator, output_interval=0.02, duration=0.2) as session,
    ):
        for i, time in enumerate(result.time):
            assert session.time == time
            seen = session.observe()
            assert set(seen) == set(result.channels)
            for name in seen:
                np.testing.assert_array_equal(seen[name], result[name][i], err_msg=name)
            if i < len(result.time) - 1:
                session.step()


def test_a_long_step_is_many_short_ones():
    states = []
    for steps in ([0.1], [0.01] * 10):
        with gr.Session(make_cart()) as session:
            for dt in steps:
                session.step(dt)
            states.append(session.state)
    for one, other in zip(*states, strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_input_follows_its_rate_and_its_limits():
    with gr.Session(make_cart()) as session:
        assert dict(session.inputs) == {"speed": 0.0, "push": 0.0}
        session.inputs["speed"], session.inputs["push"] = 1.0, 7.0
        assert session.inputs["speed"] == 0.0
        assert session.inputs["push"] == 5.0
        session.step(0.02)
        assert session.inputs["speed"] == pytest.approx(0.4)  # 20 a second
        session.step(0.08)
        assert session.inputs["speed"] == session.observe()["speed.value"] == 1.0


def test_an_input_acts_at_once():
    with gr.Session(make_cart(), preset="penalty") as session:
        session.step(0.02)
        session.inputs["push"] = 5.0
        before = session.observe()["ball.velocity.x"]
        session.step(0.01)
        assert session.observe()["ball.velocity.x"] - before == pytest.approx(5.0 / 2.0 * 0.01, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("sped", 1.0, "did you mean 'speed'"),
        ("speed", math.nan, "finite number"),
        ("speed", -math.inf, "finite number"),
        ("speed", "fast", "give a number"),
    ],
)
def test_what_no_input_takes_is_refused(name, value, words):
    with gr.Session(make_cart()) as session, pytest.raises(ModelError, match=words):
        session.inputs[name] = value


def test_an_unknown_channel_is_answered_with_near_names():
    with gr.Session(make_cart()) as session:
        seen = session.observe()
        assert seen["ball.position"].shape == (3,)
        assert seen["ball.position.z"] == seen["ball.position"][2]
        assert "ball.positon" not in seen
        assert seen.get("ball.positon") is None
        with pytest.raises(ResultError, match=r"ball\.position"):
            seen["ball.positon"]


def test_a_snapshot_of_another_session_is_refused():
    session = gr.Session(make_cart())
    for other, words in (
        (gr.Session(make_cart(is_driven=False)), "does not fit"),
        (gr.Session(make_cart(), integrator="adams"), "another integrator"),
    ):
        with pytest.raises(IncompatibleError, match=words):
            other.restore(session.snapshot())
    with pytest.raises(ModelError, match=r"Session\.snapshot"):
        session.restore(None)  # type: ignore[arg-type]


def test_a_session_that_failed_goes_on_from_a_snapshot():
    preset = replace(PRESETS["penalty"], integrator="euler")
    with gr.Session(make_cart(), preset=preset, step=0.01) as session:
        snapshot = session.snapshot()
        with pytest.raises(SolveError, match="diverged"):
            session.step(1.0)
        with pytest.raises(ModelError, match="cannot go on"):
            session.step()
        session.restore(snapshot)
        assert session.time == 0.0
        session.step()


def test_a_closed_session_says_so():
    with gr.Session(make_cart()) as session:
        session.step()
    assert session.observe().time == 0.01
    with pytest.raises(ModelError, match="closed"):
        session.step()
    for dt in (0.0, -1.0, math.nan):
        with gr.Session(make_cart()) as session, pytest.raises(ModelError, match="dt = "):
            session.step(dt)
