"""Thick beams in implicit steps: a ring of bodies turns by many degrees a step, and its beams know it."""

import math

import numpy as np
import pytest

import grouser as gr
from grouser.presets import find_preset

COUNT, RADIUS, SPIN, STEP = 12, 0.25, 20.0, 1e-3
"""Bodies on a circle [m], their angular velocity [rad/s], and a step in which they turn by more than a degree [s]."""
MASS, STRETCH = 2.0, 8.5e7
"""Mass of a body [kg], stiffness of the beams between them in stretch [N]."""


def make_ring() -> gr.Model:
    """Bodies that turn as a wheel does, with short webs between them as those of a band."""
    builder = gr.ModelBuilder("ring", gravity=(0.0, 0.0, 0.0))
    angle = 2.0 * math.pi / COUNT
    places = [(RADIUS * math.cos(angle * i), RADIUS * math.sin(angle * i), 0.0) for i in range(COUNT)]
    ends, bonded = [], {}
    for i, (x, y, z) in enumerate(places):
        builder.add_body(
            f"lug{i}", MASS, (0.01, 0.01, 0.01), position=(x, y, z), angular_velocity=(0.0, 0.0, SPIN),
            velocity=(-SPIN * y, SPIN * x, 0.0),
        )  # fmt: skip
        k = (i + 1) % COUNT
        share = [tuple((1.0 - s) * p + s * q for p, q in zip(places[i], places[k], strict=True)) for s in (0.3, 0.7)]
        ends.append(tuple(share))
        bonded |= {f"start{i}": f"lug{i}", f"end{i}": f"lug{k}"}
    area = STRETCH / 2.0e9
    builder.add_mesh(
        "webs", "lines", element="beam_thick", ends=ends, bonded=bonded,
        material={"type": "linear", "young": 2.0e9, "poisson": 0.3, "density": 1.0},
        section={"area": area, "iy": 1e-8, "iz": 1e-8, "j": 2e-8},
    )  # fmt: skip
    builder.set_main_body("lug0")
    return builder.build()


@pytest.mark.parametrize("integrator", ["implicit-euler", "sdirk"])
def test_a_ring_that_turns_pulls_by_its_centrifugal_force(integrator: str) -> None:
    """m w^2 r = 2 T sin(pi/n). Straight lines in place of circles would make it 100 times as large in Euler steps."""
    preset = find_preset("implicit").with_integrator(integrator)
    step = {"step": STEP} if integrator == "implicit-euler" else {}
    result = gr.simulate(make_ring(), duration=0.1, preset=preset, settle=False, output_interval=1e-3, **step)
    pull = MASS * SPIN**2 * RADIUS / (2.0 * math.sin(math.pi / COUNT))
    force, _ = result.block("beam_thick/force", [f"webs.beam_thick.{i}" for i in range(COUNT)])
    assert np.mean(force[50:]) == pytest.approx(pull, rel=0.02)
    speed = np.linalg.norm(result["lug0.velocity"][-1])
    assert speed == pytest.approx(SPIN * RADIUS, rel=0.01)
