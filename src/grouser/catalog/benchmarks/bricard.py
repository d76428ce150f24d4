"""Bricard's mechanism of the IFToMM library of multibody benchmarks, problem A04.

Five rods of 1 m and 1 kg with a square section of 0.1 m and six revolute joints run along edges of a cube; gravity acts
along -y. By count of rows it has no freedom, and it has one: a row of the loop is redundant in every position. The
reference is the energy, which must be kept.
"""

from __future__ import annotations

import numpy as np

from grouser.catalog.benchmarks.benchmark import Array, Benchmark, Quantity, Way, calc_energy_change, make_ways
from grouser.compile.realization import Penalty
from grouser.model.builder import ModelBuilder
from grouser.model.model import Model
from grouser.result.result import Result

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
AXES = "yzxyzx"
"""Axes of the joints at the corners, along edges of the cube at the start."""
SECTION = 0.1
GRAVITY = 9.81


def make_bricard() -> Model:
    """The mechanism at its start, at rest."""
    builder = ModelBuilder("Bricard", gravity=(0.0, -9.81, 0.0))
    for i in range(5):
        along = CORNERS[i + 1] - CORNERS[i]
        moments = ((1.0 + SECTION**2) - (1.0 - SECTION**2) * np.abs(along)) / 12.0
        builder.add_body(f"rod{i}", 1.0, moments, position=0.5 * (CORNERS[i] + CORNERS[i + 1]))
    names = ["world", *(f"rod{i}" for i in range(5)), "world"]
    for i in range(6):
        axis = np.eye(3)["xyz".index(AXES[i])]
        builder.add_joint(f"pin{i}", "revolute", names[i], names[i + 1], point=CORNERS[i], axis=axis)
    return builder.build()


def calc_energy(result: Result) -> Array:
    """Largest change of energy."""
    return np.array([calc_energy_change(result)])


BRICARD = Benchmark(
    "bricard",
    "Bricard's mechanism",
    "Five rods along edges of a cube, six revolute joints, gravity: by count of rows it has no freedom, and it has "
    "one, because a row of the loop is redundant in every position. Energy must be kept; errors are a share of the "
    "energy that is turned around, that of 5 kg by 1 m.",
    "IFToMM library of multibody benchmarks, problem A04 (Gonzalez et al. 2006).",
    make_bricard,
    10.0,
    (Quantity("largest change of energy", "J", 5.0 * GRAVITY),),
    lambda: np.zeros(1),
    calc_energy,
    make_ways(
        # what 0.5 ms allow
        Way("augmented", 1e-6, 20_000),
        Way("recursive", 1e-6, 20_000),
        # 0.125 ms: one joint alone tells the others where to be (measured: 3.2e-6 with 0.5 ms)
        Way("embedded", 1e-6, 80_000),
        # measured: 5e-11
        Way("augmented", 1e-8, integrator="adams", tolerance=1e-9),
        Way("recursive", 1e-8, integrator="adams", tolerance=1e-9),
        Way("embedded", 1e-8, integrator="adams", tolerance=1e-9),
        # what goes into the joints while the load comes onto them (measured: 7e-6)
        Way("explicit", 1e-5, 400_000, Penalty(k=1e8, c=3e2, arm=0.1)),
    ),
    frame_count=100,
)
