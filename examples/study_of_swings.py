"""A study: the speed of a falling rod over its mass, by several runs at once, against its energy.

Run with:  python examples/study_of_swings.py
"""

from __future__ import annotations

import math
from pathlib import Path

import grouser as gr

TOLERANCE = 1.0e-4
"""Of the speed: a share."""
MODEL = """\
grouser: 1
kind: model
name: rod
bodies:
  rod: {mass: 2, inertia: [0.17, 0.17, 0.001], position: [0.5, 0, 0]}
joints:
  hinge:
    type: revolute
    frame_a: {body: world, orientation: [1, -1, 0, 0]}
    frame_b: {body: rod, position: [-0.5, 0, 0], orientation: [1, -1, 0, 0]}
"""
STUDY = """\
grouser: 1
kind: study
name: swings of a rod
base: {vehicle: rod.yaml, preset: recursive, duration: 0.3}
factors:
  mass: {path: bodies.rod.mass, low: 0.5, high: 8, levels: 4, logarithmic: true}
responses:
  speed: {take: at, of: "sqrt([rod.velocity.x]^2 + [rod.velocity.z]^2)", time: 0.3}
  height: {take: at, of: rod.position.z, time: 0.3}
"""


def main() -> None:
    """Make four runs and compare each with the conservation of energy."""
    Path("rod.yaml").write_text(MODEL, encoding="utf-8")
    Path("swings.yaml").write_text(STUDY, encoding="utf-8")
    outcome = gr.run_study(gr.load_study("swings.yaml"), "swings.study", workers=1, say=print)
    for row in outcome.rows.values():
        # m g h = (m + I / r^2) v^2 / 2 about the hinge, r = 0.5 m
        mass, fallen = row["mass"], -row["height"]
        expected = math.sqrt(2.0 * mass * 9.81 * fallen / (mass + 0.17 / 0.5**2))
        print(f"{mass:5.3f} kg: {row['speed']:.5f} m/s, by the energy {expected:.5f} m/s")
        assert abs(row["speed"] / expected - 1.0) < TOLERANCE, (row["speed"], expected)
    assert len(outcome.to_pandas()) == 4


if __name__ == "__main__":
    main()
