"""A block slides, brakes and stays: asperity friction stops a body after Coulomb's distance and then holds it.

The block starts at 3 m/s on ground that rises by 10 %. The grade alone would pull it back down, but the friction
coefficient of 0.4 is larger than the grade: after it has stopped it must not creep.

Run with:  python examples/sliding_block.py
"""

from __future__ import annotations

import math

import numpy as np

import grouser as gr

SPEED, MU, GRADE = 3.0, 0.4, 0.1
CREEP = 1.0e-6
"""Largest shift while it stands [m]."""


def make_block() -> gr.Model:
    """A block of 10 kg on four feet that slides up a slope."""
    angle = math.atan(GRADE)
    normal = np.array([-math.sin(angle), 0.0, math.cos(angle)])
    uphill = np.array([math.cos(angle), 0.0, math.sin(angle)])
    builder = gr.ModelBuilder("sliding block")
    builder.add_body(
        "block",
        10.0,
        (0.2, 0.2, 0.3),
        position=0.0995 * normal,
        orientation=(math.cos(angle / 2), 0.0, -math.sin(angle / 2), 0.0),
        velocity=SPEED * uphill,
    )
    feet = [(x, y, -0.1) for x in (-0.2, 0.2) for y in (-0.2, 0.2)]
    builder.add_shape("feet", "points", "block", group="feet", positions=feet)
    friction = {"model": "asperity", "mu": MU, "velocity": 1e-3, "stiffness": 1e5}
    builder.add_contact("ground", "feet", "terrain", stiffness=5e4, damping=500.0, friction=friction)
    builder.set_terrain({"type": "plane", "normal": normal})
    return builder.build()


def main() -> None:
    """Simulate, and compare distance and standstill."""
    result = gr.simulate(make_block(), duration=6.0, step=5e-4)
    position = result["block.position"]
    way = np.linalg.norm(position - position[0], axis=1)
    angle = math.atan(GRADE)
    expected = SPEED**2 / (2.0 * 9.81 * (math.sin(angle) + MU * math.cos(angle)))
    standing = np.ptp(way[result.time > 3.0])
    print(f"braking distance {way[-1]:.4f} m, Coulomb {expected:.4f} m; creep in 3 s {standing:.1e} m")
    assert abs(way[-1] / expected - 1.0) < 5e-3, way[-1]
    assert standing < CREEP, standing
    assert abs(result["ground.normal"][-1] - 10.0 * 9.81 * math.cos(angle)) < 0.01, result["ground.normal"][-1]


if __name__ == "__main__":
    main()
