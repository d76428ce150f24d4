"""A slider-crank whose rod of bricks bends by its own inertia: joints inside bricks, frames on a mesh, a picture.

Run with:  python examples/flexible_slider_crank.py
"""

from __future__ import annotations

import numpy as np

import grouser as gr

CRANK, ROD, SIDE = 0.15, 0.3, 0.006
"""Radius of the crank, length and side of the rod [m]."""
SPEED = 100.0
"""Speed of the crank [rad/s]."""
ALUMINIUM = {"type": "linear", "young": 7e10, "poisson": 0.3, "density": 2700.0}


def make_model() -> gr.Model:
    """The crank turns at a given speed; rod and slider start with the velocities that it gives them."""
    builder = gr.ModelBuilder("slider-crank", gravity=(0.0, 0.0, 0.0))
    z = (0.0, 0.0, 1.0)
    builder.add_body("crank", 500.0, (5.0, 5.0, 5.0), angular_velocity=(0.0, 0.0, SPEED))
    builder.add_body("slider", 0.02, (1e-5, 1e-5, 1e-5), position=(CRANK + ROD, 0.0, 0.0))
    builder.add_mesh(
        "rod",
        "block",
        sides=(ROD, SIDE, SIDE),
        origin=(0.0, -0.5 * SIDE, -0.5 * SIDE),
        counts=(12, 1, 1),
        position=(CRANK, 0.0, 0.0),
        velocity=(0.0, CRANK * SPEED, 0.0),
        angular_velocity=(0.0, 0.0, -CRANK * SPEED / ROD),
        material=ALUMINIUM,
    )
    builder.add_joint("main", "revolute", "world", "crank", axis=z)
    builder.add_joint("big_end", "revolute", "crank", "rod@x0", point=(CRANK, 0.0, 0.0), axis=z)
    builder.add_joint("small_end", "revolute", "slider", "rod@x1", point=(CRANK + ROD, 0.0, 0.0), axis=z)
    builder.add_joint("guide", "prismatic", "world", "slider", axis=(1.0, 0.0, 0.0))
    builder.add_motion("drive", "main", speed=SPEED)
    builder.add_sensor("middle", "rod", "position", point=(CRANK + 0.5 * ROD, 0.0, 0.0))
    return builder.build()


def main() -> None:
    """One turn of the crank: how far the rod bends in the middle, and what the pins carry."""
    result = gr.simulate(make_model(), preset="implicit", duration=2.0 * np.pi / SPEED, output_interval=5e-4)
    start, end = result["rod@x0.position"], result["rod@x1.position"]
    bent = 1e3 * np.linalg.norm(result["middle.value"] - 0.5 * (start + end), axis=1)
    pull = np.linalg.norm(result["small_end.force"], axis=1)
    print(f"the rod bends by {bent.max():.2f} mm; the small end carries up to {pull.max():.0f} N")
    assert abs(bent.max() - 1.4) < 0.1
    assert result.summary["energy_residual"] < 1e-3


if __name__ == "__main__":
    main()
