"""A rope of trusses on a drum that turns under it: how it slips, and how it holds."""

from __future__ import annotations

import math

import numpy as np

import grouser as gr

DRUM, THICKNESS = 0.2, 0.01
"""Radius of the drum and of the rope [m]."""
REACH = DRUM + THICKNESS
STEP = 8e-6
"""Explicit steps [s], in which the rope is stable. The step for impacts is a fortieth, and nothing falls here."""
COUNT, ENDS, FREE = 40, 4, 0.1
"""Elements on the half of the drum and on each free end, and the length of a free end [m]."""
MU, YOUNG, STRAIN = 0.3, 2e7, 0.02
"""Coefficient of friction, modulus of the rope [Pa], and strain at which it lies on the drum."""


def make_rope(speed):
    """A rope over half of a drum, in the x-z plane and under tension, with both ends held."""
    builder = gr.ModelBuilder("rope", gravity=(0.0, 0.0, 0.0))
    arc = [(REACH * math.cos(a), 0.0, REACH * math.sin(a)) for a in np.linspace(math.pi, 0.0, COUNT + 1)]
    heights = np.linspace(-FREE, 0.0, ENDS + 1)[:-1]
    left, right = ([(side * REACH, 0.0, height) for height in heights] for side in (-1.0, 1.0))
    builder.add_mesh(
        "rope",
        "line",
        element="truss",
        points=[*left, *arc, *right[::-1]],
        section={"circle": 2.0 * THICKNESS},
        material={"type": "linear", "young": YOUNG, "poisson": 0.3, "density": 300.0, "damping": 1e-4},
        pre_strain=-STRAIN,
        fixed=["start", "end"],
    )
    builder.add_body("drum", 50.0, (1.0, 1.0, 1.0))
    builder.add_joint("axle", "revolute", "world", "drum", axis=(0.0, 1.0, 0.0))
    builder.add_motion("drive", "axle", speed=speed)
    builder.add_shape("drum", "sphere", "drum", group="drum", radius=DRUM)
    for i in range(COUNT + 2 * ENDS + 1):
        builder.add_shape(f"bead{i}", "sphere", f"rope.{i}", group="rope", radius=THICKNESS)
    friction = {"model": "asperity", "mu": MU, "velocity": 0.05, "stiffness": 2e4}
    builder.add_contact("grip", "rope", "drum", stiffness=2e5, damping=20.0, friction=friction)
    return builder.build()


def test_a_rope_that_slips_pulls_as_euler_and_eytelwein_say():
    """The drum turns towards the right: the pulls of both ends have the ratio exp(mu pi)."""
    result = gr.simulate(make_rope([(0.0, 0.0), (0.05, 5.0), (1.0, 5.0)]), preset="penalty", step=STEP, duration=0.4)
    late = result.time > 0.2
    light, heavy = (result[f"rope.truss.{i}.force"][late] for i in (COUNT + ENDS, ENDS - 1))
    assert light.min() > 20.0
    np.testing.assert_allclose(heavy / light, math.exp(MU * math.pi), rtol=0.02)
    assert result.summary["energy_residual"] < 1e-3


def test_a_rope_that_sticks_holds_its_pulls():
    """The drum turns by 2 mrad and stops: the ends differ by less than friction can hold, and nothing creeps."""
    turn = gr.simulate(
        make_rope([(0.0, 0.0), (0.05, 0.04), (0.1, 0.0), (2.0, 0.0)]), preset="penalty", step=STEP, duration=0.8
    )
    late = turn.time > 0.5
    light, heavy = (turn[f"rope.truss.{i}.force"] for i in (COUNT + ENDS, ENDS - 1))
    assert 1.05 < heavy[-1] / light[-1] < 0.9 * math.exp(MU * math.pi)
    assert np.ptp(heavy[late] / light[late]) < 1e-4  # free ends still ring a little
    for i in range(ENDS + 1, ENDS + COUNT):
        assert np.ptp(turn[f"rope.{i}.position"][late], axis=0).max() < 1e-6


def test_a_rope_slips_alike_in_implicit_steps():
    """Contacts of points take part in the matrix through what carries them."""
    result = gr.simulate(make_rope([(0.0, 0.0), (0.05, 5.0), (1.0, 5.0)]), preset="implicit", duration=0.3)
    late = result.time > 0.2
    light, heavy = (result[f"rope.truss.{i}.force"][late] for i in (COUNT + ENDS, ENDS - 1))
    np.testing.assert_allclose(heavy / light, math.exp(MU * math.pi), rtol=0.02)
    assert result.summary["energy_residual"] < 5e-3
