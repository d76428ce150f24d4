"""Spatial slider-crank mechanism: E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, 1989, 12.2,
and the IFToMM library of multibody benchmarks.

A crank of 0.08 m turns about x through A = (0, 0.1, 0.12) m; a rod of 0.3 m leads from its end B by a spherical joint
to a slider C on the x axis, to which a universal joint holds it. It starts with B above A at 6 rad/s, under gravity.

The mechanism has one freedom, the angle of the crank, so the time it takes is an integral over that angle: with T =
M(theta)/2 theta'^2 and V(theta), energy gives theta' = sqrt(2 (E - V)/M), t = integral of d theta/theta'. That is the
reference here, from the closed form of the motion, evaluated without the package.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

from grouser.catalog.benchmarks.benchmark import Array, Benchmark, Quantity, Way, make_ways
from grouser.compile.realization import Penalty
from grouser.model.builder import ModelBuilder
from grouser.model.model import Model
from grouser.model.rotation import matrix_to_quaternion
from grouser.result.result import Result

A = np.array([0.0, 0.1, 0.12])
CRANK, ROD = 0.08, 0.3
MASS_CRANK, MASS_ROD, MASS_SLIDER = 0.12, 0.5, 2.0
INERTIA_CRANK, INERTIA_ROD, INERTIA_SLIDER = (1e-4, 1e-5, 1e-4), (4e-4, 4e-3, 4e-3), (1e-4, 1e-4, 1e-4)
SPEED = 6.0
GRAVITY = 9.81
DURATION = 2.0


def find_place(theta: float) -> tuple[Array, Array, Array]:
    """Ends B, C of the rod and its axes: x along it, y at right angles to the slider's x axis and to x."""
    b = A + CRANK * np.array([0.0, -np.sin(theta), np.cos(theta)])
    c = np.array([np.sqrt(ROD**2 - b[1] ** 2 - b[2] ** 2), 0.0, 0.0])
    x = (c - b) / ROD
    y = np.cross([1.0, 0.0, 0.0], x)
    y /= np.linalg.norm(y)
    return b, c, np.column_stack([x, y, np.cross(x, y)])


def calc_slopes(theta: float) -> tuple[Array, Array, Array]:
    """Velocities of the rod's middle and of C, and angular velocity of the rod in its axes, for a crank at 1 rad/s."""
    h = 1e-4
    # central differences of fourth order: some 1e-12 of truth
    points = [find_place(theta + k * h) for k in (-2, -1, 1, 2)]
    weights = np.array([1.0, -8.0, 8.0, -1.0]) / (12.0 * h)
    middle = sum(w * 0.5 * (p[0] + p[1]) for w, p in zip(weights, points, strict=True))
    slider = sum(w * p[1] for w, p in zip(weights, points, strict=True))
    turning = find_place(theta)[2].T @ sum(w * p[2] for w, p in zip(weights, points, strict=True))
    return middle, slider, np.array([turning[2, 1], turning[0, 2], turning[1, 0]])


def calc_effective_inertia(theta: float) -> float:
    """M(theta)."""
    middle, slider, w = calc_slopes(theta)
    rod = MASS_ROD * middle @ middle + np.dot(INERTIA_ROD, w**2)
    return INERTIA_CRANK[0] + rod + MASS_SLIDER * slider @ slider


def calc_rate(theta: float) -> float:
    """theta' at an angle."""

    def calc_potential(angle: float) -> float:
        return MASS_ROD * GRAVITY * 0.5 * find_place(angle)[0][2]

    energy = 0.5 * calc_effective_inertia(0.0) * SPEED**2 + calc_potential(0.0)
    return np.sqrt(2.0 * (energy - calc_potential(theta)) / calc_effective_inertia(theta))


def calc_time(first: float, last: float) -> float:
    """Time from an angle of the crank to another."""
    return quad(lambda angle: 1.0 / calc_rate(angle), first, last, epsrel=1e-10, limit=200)[0]


def find_angle(time: float) -> float:
    """Angle of the crank at a time."""
    turn = 2.0 * np.pi
    turns, rest = divmod(time, calc_time(0.0, turn))
    return turns * turn + brentq(lambda angle: calc_time(0.0, angle) - rest, 0.0, turn, xtol=1e-10)


def make_slider_crank() -> Model:
    """The mechanism at its start. Centre of mass of the crank at A, as the benchmark has it."""
    b, c, axes = find_place(0.0)
    middle, slider, w = calc_slopes(0.0)
    builder = ModelBuilder("slider-crank", gravity=(0.0, 0.0, -GRAVITY))
    builder.add_body("crank", MASS_CRANK, INERTIA_CRANK, position=A, angular_velocity=(SPEED, 0.0, 0.0))
    builder.add_body("rod", MASS_ROD, INERTIA_ROD, position=0.5 * (b + c), orientation=matrix_to_quaternion(axes),
                     velocity=SPEED * middle, angular_velocity=SPEED * w)  # fmt: skip
    builder.add_body("slider", MASS_SLIDER, INERTIA_SLIDER, position=c, velocity=SPEED * slider)
    builder.add_joint("A", "revolute", "world", "crank", point=A, axis=(1.0, 0.0, 0.0))
    builder.add_joint("B", "spherical", "crank", "rod", point=b)
    # y of the frames is y of the rod, x of the frames is x of the slider
    builder.add_joint("C", "universal", "slider", "rod", point=c, x_axis=(1.0, 0.0, 0.0),
                      axis=np.cross([1.0, 0.0, 0.0], axes[:, 1]))  # fmt: skip
    builder.add_joint("D", "prismatic", "world", "slider", point=c, axis=(1.0, 0.0, 0.0))
    return builder.build()


def solve_reference() -> Array:
    """Angle of the crank and position of the slider at the end."""
    angle = find_angle(DURATION)
    return np.array([angle, find_place(angle)[1][0]])


def calc_place(result: Result) -> Array:
    """Angle of the crank, turns counted, and position of the slider at the end."""
    rotation = result.calc_rotations(["crank"])[:, 0]
    angle = np.unwrap(np.arctan2(rotation[:, 2, 1], rotation[:, 1, 1]))[-1]
    return np.array([angle, result["slider.position"][-1, 0]])


SLIDER_CRANK = Benchmark(
    "slider-crank",
    "Spatial slider-crank",
    "A crank about the x axis drives a slider along it through a rod with a spherical and a universal joint; it turns "
    "freely under gravity from 6 rad/s.",
    "Haug 1989, 12.2, and the IFToMM library of multibody benchmarks (Gonzalez et al. 2006). Reference: the time that "
    "the crank takes, an integral over its angle, to 1e-10.",
    make_slider_crank,
    DURATION,
    (Quantity("angle of the crank", "rad"), Quantity("position of the slider", "m")),
    solve_reference,
    calc_place,
    make_ways(
        # 0.1 ms, second order
        Way("augmented", 1e-5, 20_000),
        Way("recursive", 1e-5, 20_000),
        Way("embedded", 1e-5, 20_000),
        # measured: 8e-10
        Way("augmented", 1e-8, integrator="adams", tolerance=1e-10),
        Way("recursive", 1e-8, integrator="adams", tolerance=1e-10),
        Way("embedded", 1e-8, integrator="adams", tolerance=1e-10),
        # the rod of 0.3 m is longer by the play of its joints: 1.9e-5 at 1e9 N/m, and as 1/k (measured: 4.8e-6)
        Way("explicit", 1e-5, 2_600_000, Penalty(k=4e9, c=6e2, arm=0.03)),
        # steps that no stiffness limits: 0.05 ms (measured: 6e-7)
        Way("explicit", 1e-5, 40_000, Penalty(k=1e11, c=3e3, arm=0.03), "generalised-alpha"),
    ),
    frame_count=100,
)
