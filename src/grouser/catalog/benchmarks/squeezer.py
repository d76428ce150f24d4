"""Andrews' squeezing mechanism: seven bodies in a plane, three loops, driven by a constant torque.

Data: W. Schiehlen (ed.), Multibody Systems Handbook, Springer 1990, pp. 10-14; E. Hairer, G. Wanner, Solving Ordinary
Differential Equations II, VII.7 (some prints give B.x with the wrong sign; it is -0.03635 m). Reference after 0.03 s:
Test Set for IVP Solvers, problem Andrews. Angles there are relative to the next body in the chain for Theta, Phi and
Omega; here the angle of each body to the world is compared, which is their sum.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grouser.catalog.benchmarks.benchmark import Array, Benchmark, Quantity, Way, make_ways
from grouser.compile.realization import Penalty
from grouser.model.builder import ModelBuilder
from grouser.model.model import Model
from grouser.result.result import Result

A, B, C = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273]), np.array([0.014, 0.072])
D, DA, E, EA, RR, RA = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
SS, SA, SB, SC, SD = 0.035, 0.01874, 0.01043, 0.018, 0.02
TA, TB, U, UA, UB, ZF, ZT, FA = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
MASS = {"K1": 0.04325, "K2": 0.00365, "K3": 0.02373, "K4": 0.00706, "K5": 0.07050, "K6": 0.00706, "K7": 0.05498}
INERTIA = {
    "K1": 2.194e-6,
    "K2": 4.410e-7,
    "K3": 5.255e-6,
    "K4": 5.667e-7,
    "K5": 1.169e-5,
    "K6": 5.667e-7,
    "K7": 1.912e-5,
}
TORQUE, STIFFNESS, FREE_LENGTH = 0.033, 4530.0, 0.07785
DURATION = 0.03

START = {
    "beta": -0.0617138900142764496,
    "Theta": 0.0,
    "gamma": 0.455279819163070380,
    "Phi": 0.222668390165885885,
    "delta": 0.487364979543842550,
    "Omega": -0.222668390165885885,
    "epsilon": 1.23054744454982119,
}
REFERENCE = {
    "beta": 15.81077119629904,
    "Theta": -15.75637105984298,
    "gamma": 0.04082224013073101,
    "Phi": -0.5347301163226948,
    "delta": 0.5244099658805304,
    "Omega": 0.5347301163226948,
    "epsilon": 1.048080741042263,
}


def find_angles(q: Mapping[str, float]) -> dict[str, float]:
    """Angle of each body to the world, from the angles of the test set."""
    return {
        "K1": q["beta"],
        "K2": q["beta"] + q["Theta"],
        "K3": q["gamma"],
        "K4": q["Phi"] + q["delta"],
        "K5": q["delta"],
        "K6": q["Omega"] + q["epsilon"],
        "K7": q["epsilon"],
    }


def turn(angle: float, x: float, y: float) -> Array:
    """A vector (x, y) of a body, in the world."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * x - s * y, s * x + c * y])


def make_squeezer() -> Model:
    """The mechanism in the plane of x and y."""
    angle = find_angles(START)
    O = np.zeros(2)  # noqa: E741
    P = turn(angle["K1"], RR, 0.0)
    F = P - turn(angle["K2"], D, 0.0)
    G = A + turn(angle["K5"], ZT, 0.0)  # between K4 and K5
    H = A + turn(angle["K7"], 0.0, -U)  # between K6 and K7
    # Without gravity, of a body that turns about a fixed point only the distance of its centre of mass counts.
    centre = {
        "K1": O + turn(angle["K1"], RA, 0.0),
        "K2": P - turn(angle["K2"], DA, 0.0),
        "K3": B + turn(angle["K3"], SB, -SA),
        "K4": G + turn(angle["K4"], 0.0, -(E - EA)),
        "K5": A + turn(angle["K5"], TA, TB),
        "K6": H + turn(angle["K6"], ZF - FA, 0.0),
        "K7": A + turn(angle["K7"], UB, -UA),
    }
    builder = ModelBuilder("squeezer", gravity=(0.0, 0.0, 0.0))
    for name, point in centre.items():
        builder.add_body(name, MASS[name], [INERTIA[name]] * 3, position=(*point, 0.0))
    joints = [("O", "world", "K1", O), ("P", "K1", "K2", P), ("B", "world", "K3", B), ("F3", "K2", "K3", F),
              ("A5", "world", "K5", A), ("G", "K5", "K4", G), ("F4", "K2", "K4", F),
              ("A7", "world", "K7", A), ("H", "K7", "K6", H), ("F6", "K2", "K6", F)]  # fmt: skip
    for name, a, b, point in joints:
        builder.add_joint(name, "revolute", a, b, point=(*point, 0.0))
    builder.add_force("drive", "K1", torque=(0.0, 0.0, TORQUE))
    hook = B + turn(angle["K3"], SD, -SC)
    builder.add_spring("spring", "world", "K3", point_a=(*C, 0.0), point_b=(*hook, 0.0),
                       stiffness=STIFFNESS, free=FREE_LENGTH)  # fmt: skip
    return builder.build()


def calc_angles(result: Result) -> Array:
    """Angles of all bodies to the world at the end, turns counted."""
    rotation = result.calc_rotations(list(MASS))
    turned = np.unwrap(np.arctan2(rotation[:, :, 1, 0], rotation[:, :, 0, 0]), axis=0)[-1]
    return np.array(list(find_angles(START).values())) + turned


SQUEEZER = Benchmark(
    "squeezer",
    "Andrews' squeezing mechanism",
    "Seven bodies in a plane, three loops, driven by a constant torque against a spring; the crank makes two and a "
    "half turns in 0.03 s. Compared are the angles of all bodies to the world.",
    "Schiehlen 1990, pp. 10-14; Hairer and Wanner 1996, VII.7. Reference: Test Set for IVP Solvers, problem Andrews "
    "(Mazzia and Magherini 2008).",
    make_squeezer,
    DURATION,
    tuple(Quantity(f"angle of {name}", "rad") for name in MASS),
    lambda: np.array(list(find_angles(REFERENCE).values())),
    calc_angles,
    make_ways(
        # 1.25 us, second order (measured: up to 5e-6)
        Way("augmented", 1e-5, 24_000),
        Way("recursive", 1e-5, 24_000),
        Way("embedded", 1e-5, 24_000),
        # measured: 1e-8; the digits of the reference end at 5e-9
        Way("augmented", 1e-7, integrator="adams", tolerance=1e-10),
        Way("recursive", 1e-7, integrator="adams", tolerance=1e-10),
        Way("embedded", 1e-7, integrator="adams", tolerance=1e-10),
        # angles of some hundredths of a radian feel the play of the joints: 5.8e-6 at 1e12 N/m, a tenth of it at 1e13.
        # That is no stiffness for steps that it limits; 0.5 us of second order (measured: 1.5e-6)
        Way("explicit", 1e-5, 60_000, Penalty(k=1e13, c=1e4, arm=0.01), "generalised-alpha"),
    ),
    frame_count=300,  # 0.1 rad apart, so that turns can be counted
)
