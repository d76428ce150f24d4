"""A rod swings about a hinge: a model in ten lines, and its period against the closed form.

Run with:  python examples/pendulum.py
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ellipk

import grouser as gr

MASS, LENGTH = 2.0, 1.0
TOLERANCE = 1.0e-4
"""Share of the period: the hinge of the preset `penalty` gives way by some micrometres."""


def make_pendulum() -> gr.Model:
    """A uniform rod that starts at rest, level, and turns about one end."""
    builder = gr.ModelBuilder("pendulum")
    moment = MASS * LENGTH**2 / 12.0
    rod = builder.add_body("rod", MASS, (0.001, moment, moment), position=(LENGTH / 2, 0, 0))
    builder.add_joint("hinge", "revolute", "world", rod, point=(0, 0, 0), axis=(0, 1, 0))
    return builder.build()


def find_period(result: gr.Result) -> float:
    """Time between two passages of the lowest point in the same direction [s]."""
    x, time = result["rod.position"][:, 0], result.time
    before = np.flatnonzero((x[:-1] > 0) & (x[1:] <= 0))
    crossing = time[before] + (time[before + 1] - time[before]) * x[before] / (x[before] - x[before + 1])
    return float(np.mean(np.diff(crossing)))


def main() -> None:
    """Simulate five seconds and compare."""
    result = gr.simulate(make_pendulum(), duration=5.0)
    # released from the horizontal: T = 4 K(m) / omega with m = sin^2(45 deg) and omega^2 = 3 g / (2 L) for a rod
    expected = 4.0 * float(ellipk(0.5)) / math.sqrt(1.5 * 9.81 / LENGTH)
    period = find_period(result)
    print(f"period {period:.5f} s, closed form {expected:.5f} s")
    print(f"largest opening of the hinge {result['hinge.deformation'].max():.2e} m")
    assert abs(period / expected - 1.0) < TOLERANCE, period
    assert result.summary["energy_residual"] < 1e-4, result.summary["energy_residual"]


if __name__ == "__main__":
    main()
