"""Carried rows: points on bodies and markers on points, against the same models without them."""

from __future__ import annotations

import numpy as np
import pytest

import grouser as gr
from grouser.errors import ModelError
from grouser.presets import find_preset

STIFFNESS, DAMPING = 400.0, 3.0
WAYS = (
    ("penalty", "trapezoidal"),
    ("penalty", "leapfrog"),
    ("penalty", "rk4"),
    ("implicit", "sdirk"),
    ("implicit", "implicit-euler"),
    ("implicit", "implicit-extrapolated"),
    ("implicit", "generalised-alpha"),
)


def make_swing(*, is_carried: bool) -> gr.Model:
    """A block that hangs on two ropes: trusses on points that it carries, or springs on the block itself."""
    builder = gr.ModelBuilder("swing")
    builder.add_body(
        "block",
        2.0,
        (0.02, 0.03, 0.04),
        com=(0.02, -0.01, 0.03),
        position=(0.1, 0.0, -0.6),
        angular_velocity=(0.3, 1, 2),
    )
    for name, side in (("left", -0.2), ("right", 0.25)):
        low, high = (0.1 + side, 0.03, -0.5), (2.0 * side, 0.0, 0.0)
        length = float(np.linalg.norm(np.subtract(high, low)))
        if is_carried:
            builder.add_point(f"{name}.low", low, body="block")
            builder.add_point(f"{name}.high", high)
            builder.add_truss(
                name, f"{name}.high", f"{name}.low", modulus=STIFFNESS * length, area=1.0, damping=DAMPING * length
            )
        else:
            builder.add_spring(name, "world", "block", point_a=high, point_b=low, stiffness=STIFFNESS, damping=DAMPING)
    return builder.build()


def make_string(*, is_marked: bool) -> gr.Model:
    """Three beads between fixed points: springs on the beads, or trusses between them."""
    builder = gr.ModelBuilder("string")
    places = [np.array([0.2 * i, 0.02 * i * (4 - i), 0.0]) for i in range(5)]
    for i, place in enumerate(places):
        builder.add_point(f"p{i}", place, mass=None if i in (0, 4) else 0.1 + 0.02 * i)
    for i in range(4):
        length = float(np.linalg.norm(places[i + 1] - places[i]))
        ends = {"point_a": places[i], "point_b": places[i + 1]}
        if is_marked:
            builder.add_spring(f"s{i}", f"p{i}", f"p{i + 1}", **ends, stiffness=STIFFNESS, damping=DAMPING)
        else:
            builder.add_truss(
                f"s{i}", f"p{i}", f"p{i + 1}", modulus=STIFFNESS * length, area=1.0, damping=DAMPING * length
            )
    return builder.build()


def find_way(way):
    return find_preset(way[0]).with_integrator(way[1])


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[1])
def test_a_point_on_a_body_is_as_good_as_the_body(way):
    fixed = {} if way[1] == "sdirk" else {"step": 1e-3}
    carried, plain = (
        gr.simulate(make_swing(is_carried=c), duration=0.5, preset=find_way(way), **fixed) for c in (True, False)
    )
    # trusses that are pulled have the slope across them, which springs leave out
    tolerance = 1e-9 if way[0] == "penalty" else 5e-3
    moved = np.abs(plain["block.position"] - plain["block.position"][0]).max()
    assert np.abs(carried["block.position"] - plain["block.position"]).max() < tolerance * moved
    assert carried.summary["energy_residual"] < 0.01


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[1])
def test_a_spring_on_points_is_as_good_as_a_truss(way):
    # springs leave out the slope across them, which first-order steps feel
    fixed = {} if way[1] == "sdirk" else {"step": 2e-4}
    marked, plain = (
        gr.simulate(make_string(is_marked=m), duration=0.5, preset=find_way(way), **fixed) for m in (True, False)
    )
    tolerance = 1e-9 if way[0] == "penalty" else 1e-2
    moved = np.abs(plain["p2.position"] - plain["p2.position"][0]).max()
    assert np.abs(marked["p2.position"] - plain["p2.position"]).max() < tolerance * moved
    np.testing.assert_allclose(
        -marked["s1.force"][-1], plain["s1.force"][-1], atol=1e-6 if way[0] == "penalty" else 0.5
    )


def test_a_sensor_and_a_force_on_a_point():
    builder = gr.ModelBuilder("pushed", gravity=(0.0, 0.0, 0.0))
    builder.add_point("p", (1.0, 2.0, 3.0), mass=2.0)
    builder.add_force("push", "p", force=(4.0, 0.0, 0.0), point=(1.0, 2.0, 3.0))
    for quantity in ("position", "velocity", "acceleration"):
        builder.add_sensor(quantity, "p", quantity, point=(1.0, 2.0, 3.0))
    result = gr.simulate(builder.build(), duration=1.0, preset="penalty")
    np.testing.assert_allclose(result["acceleration.value"][-1], (2.0, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(result["velocity.value"][-1], (2.0, 0.0, 0.0), rtol=1e-9)
    np.testing.assert_allclose(result["position.value"][-1], (2.0, 2.0, 3.0), rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"points": {"p": {"body": "bloc"}}}, "unknown body 'bloc'"),
        ({"points": {"p": {"body": "block", "fixed": True}}}, "leave out one of both"),
        ({"points": {"p": {"body": "block", "velocity": (1, 0, 0)}}}, "carried by 'block'; leave out one"),
        ({"forces": {"push": {"type": "applied", "frame": {"body": "p"}, "torque": (1, 0, 0)}}}, "which does not turn"),
        ({"sensors": {"s": {"frame": {"body": "p", "position": (1, 0, 0)}, "quantity": "position"}}}, "has no axes"),
        ({"joints": {"j": {"type": "revolute", "frame_a": {}, "frame_b": {"body": "p"}}}}, "holds rotations"),
    ],
)
def test_what_points_cannot_do_is_refused(change, message):
    data = {
        "name": "bad",
        "bodies": {"block": {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}},
        "points": {"p": {"mass": 1.0}},
    }
    with pytest.raises(ModelError, match=message):
        gr.Model.model_validate({**data, **change})
