"""A rubber beam that is clamped at one end falls under its weight: of bricks, and of thick beams, by explicit and by
implicit steps. Both elements find the same motion.

Run with:  python examples/flexible_beam.py
"""

from __future__ import annotations

import numpy as np

import grouser as gr
from grouser.mesh.make import make_mesh_data

LENGTH, WIDTH, HEIGHT = 0.5, 0.02, 0.04
RUBBER = {"type": "linear", "young": 2.0e7, "poisson": 0.0, "density": 1200.0}


def make_bricks() -> gr.Model:
    """Ten bricks in a row."""
    builder = gr.ModelBuilder("bricks")
    corner = (0.0, -0.5 * WIDTH, -0.5 * HEIGHT)
    sides, counts = (LENGTH, WIDTH, HEIGHT), (10, 1, 1)
    builder.add_mesh("beam", "block", origin=corner, sides=sides, counts=counts, material=RUBBER, fixed=["x0"])
    return builder.build()


def make_beams() -> gr.Model:
    """Ten thick beams in a row."""
    builder = gr.ModelBuilder("beams")
    section = {"rectangle": (WIDTH, HEIGHT)}
    ends = {"start": (0.0, 0.0, 0.0), "end": (LENGTH, 0.0, 0.0)}
    builder.add_mesh(
        "beam", "line", **ends, count=10, element="beam_thick", section=section, material=RUBBER, fixed=["start"]
    )
    return builder.build()


def main() -> None:
    """Compare how deep the free end falls."""
    lowest = {}
    for preset in ("penalty", "implicit"):
        model = make_bricks()
        bricks = gr.simulate(model, duration=0.3, preset=preset)
        end = make_mesh_data(model.meshes["beam"]).node_sets["x1"]
        tip = np.mean([bricks[f"beam.{i}.position"][:, 2] for i in end], axis=0)
        beams = gr.simulate(make_beams(), duration=0.3, preset=preset)
        lowest[preset] = tip.min(), beams["beam.10.position"][:, 2].min()
        print(f"{preset}: the end falls by {-1e3 * lowest[preset][0]:.1f} mm of bricks, ", end="")
        print(f"{-1e3 * lowest[preset][1]:.1f} mm of beams; energy residual {bricks.summary['energy_residual']:.1e}")
    values = np.array(list(lowest.values()))
    assert np.ptp(values) < 0.02 * np.abs(values).max()


if __name__ == "__main__":
    main()
