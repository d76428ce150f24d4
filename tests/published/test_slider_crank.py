"""Spatial slider-crank mechanism: E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, 1989, 12.2,
and the IFToMM library of multibody benchmarks.

A crank of 0.08 m turns about x through A = (0, 0.1, 0.12) m; a rod of 0.3 m leads from its end B by a spherical joint
to a slider C on the x axis, to which a universal joint holds it. It starts with B above A at 6 rad/s, under gravity.

The mechanism has one freedom, the angle of the crank, so the time it takes is an integral over that angle: with T =
M(theta)/2 theta'^2 and V(theta), energy gives theta' = sqrt(2 (E - V)/M), t = integral of d theta/theta'. That is the
reference here, from the closed form of the motion, evaluated without the package.
"""

import numpy as np
import pytest
from advance_model import IDEAL_FORMULATIONS, Mechanism, extrapolate
from scipy.integrate import quad
from scipy.optimize import brentq

from grouser.model.builder import ModelBuilder
from grouser.model.rotation import matrix_to_quaternion

A = np.array([0.0, 0.1, 0.12])
CRANK, ROD = 0.08, 0.3
MASS_CRANK, MASS_ROD, MASS_SLIDER = 0.12, 0.5, 2.0
INERTIA_CRANK, INERTIA_ROD, INERTIA_SLIDER = (1e-4, 1e-5, 1e-4), (4e-4, 4e-3, 4e-3), (1e-4, 1e-4, 1e-4)
SPEED = 6.0
GRAVITY = 9.81
DURATION = 2.0
STEPS = 20_000
ACCURACY = 1e-5
"""Share of the angle, and of the position of the slider, that runs with steps of 0.1 ms may be off, second order."""
ACCURACY_EXTRAPOLATED = 2e-6
"""The same for Richardson's extrapolation from steps of 0.2 and 0.1 ms."""


def find_place(theta):
    """Ends B, C of the rod and its axes: x along it, y at right angles to the slider's x axis and to x."""
    b = A + CRANK * np.array([0.0, -np.sin(theta), np.cos(theta)])
    c = np.array([np.sqrt(ROD**2 - b[1] ** 2 - b[2] ** 2), 0.0, 0.0])
    x = (c - b) / ROD
    y = np.cross([1.0, 0.0, 0.0], x)
    y /= np.linalg.norm(y)
    return b, c, np.column_stack([x, y, np.cross(x, y)])


def calc_slopes(theta):
    """Velocities of the rod's middle and of C, and angular velocity of the rod in its axes, for a crank at 1 rad/s."""
    h = 1e-4
    # central differences of fourth order: some 1e-12 of truth
    points = [find_place(theta + k * h) for k in (-2, -1, 1, 2)]
    weights = np.array([1.0, -8.0, 8.0, -1.0]) / (12.0 * h)
    middle = sum(w * 0.5 * (p[0] + p[1]) for w, p in zip(weights, points, strict=True))
    slider = sum(w * p[1] for w, p in zip(weights, points, strict=True))
    turning = find_place(theta)[2].T @ sum(w * p[2] for w, p in zip(weights, points, strict=True))
    return middle, slider, np.array([turning[2, 1], turning[0, 2], turning[1, 0]])


def calc_effective_inertia(theta):
    """M(theta)."""
    middle, slider, w = calc_slopes(theta)
    rod = MASS_ROD * middle @ middle + np.dot(INERTIA_ROD, w**2)
    return INERTIA_CRANK[0] + rod + MASS_SLIDER * slider @ slider


def calc_rate(theta):
    """theta' at an angle."""

    def calc_potential(angle):
        return MASS_ROD * GRAVITY * 0.5 * find_place(angle)[0][2]

    energy = 0.5 * calc_effective_inertia(0.0) * SPEED**2 + calc_potential(0.0)
    return np.sqrt(2.0 * (energy - calc_potential(theta)) / calc_effective_inertia(theta))


def calc_time(first, last):
    """Time from an angle of the crank to another."""
    return quad(lambda angle: 1.0 / calc_rate(angle), first, last, epsrel=1e-10, limit=200)[0]


def find_angle(time):
    """Angle of the crank at a time."""
    turn = 2.0 * np.pi
    turns, rest = divmod(time, calc_time(0.0, turn))
    return turns * turn + brentq(lambda angle: calc_time(0.0, angle) - rest, 0.0, turn, xtol=1e-10)


def make_slider_crank():
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


@pytest.fixture(scope="module")
def reference():
    """Angle of the crank and position of the slider at the end."""
    angle = find_angle(DURATION)
    return np.array([angle, find_place(angle)[1][0]])


def run(mechanism, step_count):
    """Angle of the crank, turns counted, and position of the slider."""
    state = mechanism.start()
    frames = [0.0]
    for _ in range(100):
        mechanism.advance(state, step_count // 100, DURATION / step_count)
        frames.append(np.arctan2(state.R[0, 2, 1], state.R[0, 1, 1]))
    return np.array([np.unwrap(frames)[-1], state.x[2, 0]])


@pytest.mark.parametrize("formulation", IDEAL_FORMULATIONS)
def test_angle_and_slider(formulation, reference):
    mechanism = Mechanism(make_slider_crank(), formulation)
    coarse, fine = run(mechanism, STEPS // 2), run(mechanism, STEPS)
    assert fine == pytest.approx(reference, rel=ACCURACY)
    assert extrapolate(coarse, fine) == pytest.approx(reference, rel=ACCURACY_EXTRAPOLATED)
    assert mechanism.solver.find_redundant_count() == 0
