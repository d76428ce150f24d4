"""Planar pendulum of the IFToMM library of multibody benchmarks, problem A01.

A point mass of 1 kg on a massless bar of 1 m falls from (-1, 0) at rest, g = 9.81 m/s^2. A rigid body with moment of
inertia I about its centre of mass at distance d from the hinge has the same equation of motion if

    (I + m d^2) / (m d) = 1 m,

and its centre of oscillation, 1 m from the hinge, moves as the point mass does: no small inertia is needed.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from grouser.catalog.benchmarks.benchmark import Array, Benchmark, Quantity, Way, make_ways
from grouser.compile.realization import Penalty
from grouser.model.builder import ModelBuilder
from grouser.model.model import Model
from grouser.result.result import Result

REFERENCE = np.array([-0.27508746, -0.96141921])
"""Position (x, up) after 10 s [m]; its digits agree with the elliptic integral."""
PERIOD = 2.36784195
"""[s]"""
LENGTH = 1.0
"""Of the bar [m]."""


def make_pendulum(inertia: float = 0.16) -> Model:
    """A body with an inertia [kg m^2] at the distance at which it swings as a point mass at 1 m."""
    builder = ModelBuilder("pendulum")
    distance = 0.5 * (1.0 + sqrt(1.0 - 4.0 * inertia))
    builder.add_body("bob", 1.0, (inertia, inertia, inertia), position=(-1.0, 0.0, 0.0), com=(1.0 - distance, 0.0, 0.0))
    builder.add_joint("hinge", "revolute", "world", "bob", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    return builder.build()


def calc_position(result: Result) -> Array:
    """Position (x, up) of the centre of oscillation, which is the origin of the body, at the end."""
    return result["bob.position"][-1, [0, 2]]


PENDULUM = Benchmark(
    "pendulum",
    "Planar pendulum",
    "A point mass of 1 kg on a bar of 1 m falls from the horizontal and swings for 10 s.",
    "IFToMM library of multibody benchmarks, problem A01 (Gonzalez et al. 2006).",
    make_pendulum,
    10.0,
    (Quantity("position x", "m", LENGTH), Quantity("position up", "m", LENGTH)),
    lambda: REFERENCE,
    calc_position,
    make_ways(
        # 0.25 ms, second order
        Way("augmented", 1e-5, 40_000),
        Way("recursive", 1e-5, 40_000),
        Way("embedded", 1e-5, 40_000),
        # measured: 5e-9
        Way("augmented", 1e-8, integrator="adams", tolerance=1e-10),
        Way("recursive", 1e-8, integrator="adams", tolerance=1e-10),
        Way("embedded", 1e-8, integrator="adams", tolerance=1e-10),
        # a hinge of 1e8 N/m gives way by 0.3 um under three times the weight: as much as the accuracy allows
        Way("explicit", 1e-5, 200_000, Penalty(k=1e8, c=1e3, arm=1.0)),
    ),
)
