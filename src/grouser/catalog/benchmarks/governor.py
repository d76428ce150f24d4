"""Stiff fly-ball governor of the IFToMM library of multibody benchmarks, problem A05.

A shaft of 1 m turns about z with two rods of 1 m at its top, each with 5 kg at its end; spring-dampers of 8e5 N/m and
4e4 N s/m lead from the middles of the rods to a slider on the shaft. All bodies are bars of 3000 kg/m^3. It starts with
the springs relaxed, the rods 30 degrees below the horizontal, and the whole turning at 2 pi rad/s.

Both rods move alike, so there are three freedoms: the angle b of the rods below the horizontal, the height s of the
slider, and the turning W, which follows from the moment of momentum. With J(b) the moment of inertia of a rod about z,
H about its hinge, m g r its weight times lever, F the force of a spring and l its length:

    W (I + 2 J) = constant,  H b'' = W^2 J'/2 + m g r cos b - F dl/db,  M s'' = -M g - 2 F dl/ds,  F = k (l - l0) + c l'

solved here by an implicit Runge-Kutta method (Radau) to 1e-10: the reference.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from grouser.catalog.benchmarks.benchmark import Array, Benchmark, Quantity, Way, make_ways
from grouser.compile.realization import Penalty
from grouser.model.builder import ModelBuilder
from grouser.model.model import Model
from grouser.model.rotation import matrix_to_quaternion
from grouser.result.result import Result

LENGTH, WIDTH, DENSITY = 1.0, 0.01, 3000.0
SLIDER = 0.1
BALL = 5.0
OFFSET = 0.05
"""Distance of the hinges, and of the springs' ends on the slider, from the shaft's axis [m]."""
STIFFNESS, DAMPING, FREE_LENGTH = 8e5, 4e4, 0.5
ANGLE, HEIGHT, SPEED = np.pi / 6.0, 0.5, 2.0 * np.pi
GRAVITY = 9.81
BAR = DENSITY * LENGTH * WIDTH**2
BLOCK = DENSITY * SLIDER**3
DURATION = 0.5
"""[s]"""


def solve_reference() -> Array:
    """Angle b, height s and turning W at the end."""
    section = BAR * WIDTH**2 / 12.0

    def calc_turning_inertia(b: float) -> tuple[float, float]:
        rod = BAR * (OFFSET**2 + OFFSET * LENGTH * np.cos(b) + (LENGTH * np.cos(b)) ** 2 / 3.0)
        value = rod + section * (1.0 + np.sin(b) ** 2) + BALL * (OFFSET + LENGTH * np.cos(b)) ** 2
        slope = -BAR * np.sin(b) * (OFFSET * LENGTH + 2.0 * LENGTH**2 * np.cos(b) / 3.0)
        slope += 2.0 * section * np.sin(b) * np.cos(b)
        return value, slope - 2.0 * BALL * (OFFSET + LENGTH * np.cos(b)) * LENGTH * np.sin(b)

    own = 2.0 * section + BLOCK * SLIDER**2 / 6.0
    momentum = SPEED * (own + 2.0 * calc_turning_inertia(ANGLE)[0])
    hinge_inertia = BAR * LENGTH**2 / 3.0 + section + BALL * LENGTH**2
    lever = BAR * LENGTH / 2.0 + BALL * LENGTH

    def calc_rates(_: float, y: Array) -> list[float]:
        b, b_rate, s, s_rate = y
        J, slope = calc_turning_inertia(b)
        W = momentum / (own + 2.0 * J)
        across, up = 0.5 * LENGTH * np.cos(b), LENGTH - 0.5 * LENGTH * np.sin(b) - s
        length = np.hypot(across, up)
        by_b = 0.5 * LENGTH * (-across * np.sin(b) - up * np.cos(b)) / length
        by_s = -up / length
        F = STIFFNESS * (length - FREE_LENGTH) + DAMPING * (by_b * b_rate + by_s * s_rate)
        b_acc = (0.5 * W**2 * slope + GRAVITY * lever * np.cos(b) - F * by_b) / hinge_inertia
        return [b_rate, b_acc, s_rate, -GRAVITY - 2.0 * F * by_s / BLOCK]

    end = solve_ivp(calc_rates, (0.0, DURATION), [ANGLE, 0.0, HEIGHT, 0.0], method="Radau", rtol=1e-10, atol=1e-12)
    b, _, s, _ = end.y[:, -1]
    return np.array([b, s, momentum / (own + 2.0 * calc_turning_inertia(b)[0])])


def make_governor() -> Model:
    """The governor at its start."""
    builder = ModelBuilder("governor", gravity=(0.0, 0.0, -GRAVITY))
    long, short = BAR * (LENGTH**2 + WIDTH**2) / 12.0, BAR * WIDTH**2 / 6.0
    spin = (0.0, 0.0, SPEED)
    builder.add_body("shaft", BAR, (long, long, short), position=(0.0, 0.0, LENGTH / 2.0), angular_velocity=spin)
    builder.add_body("slider", BLOCK, [BLOCK * SLIDER**2 / 6.0] * 3, position=(0.0, 0.0, HEIGHT), angular_velocity=spin)
    builder.add_joint("bearing", "revolute", "world", "shaft", point=(0.0, 0.0, 0.0))
    builder.add_joint("guide", "prismatic", "shaft", "slider", point=(0.0, 0.0, HEIGHT))
    # rod with its ball: x along it from the hinge
    mass = BAR + BALL
    centre = (BAR * LENGTH / 2.0 + BALL * LENGTH) / mass
    across = long + BAR * (LENGTH / 2.0 - centre) ** 2 + BALL * (LENGTH - centre) ** 2
    for name, side in (("right", 1.0), ("left", -1.0)):
        x = np.array([side * np.cos(ANGLE), 0.0, -np.sin(ANGLE)])
        y = np.array([0.0, side, 0.0])
        axes = np.column_stack([x, y, np.cross(x, y)])
        hinge = np.array([side * OFFSET, 0.0, LENGTH])
        position = hinge + centre * x
        builder.add_body(name, mass, (short, across, across), position=position,
                         orientation=matrix_to_quaternion(axes), velocity=np.cross(spin, position),
                         angular_velocity=axes.T @ spin)  # fmt: skip
        builder.add_joint(f"{name}-hinge", "revolute", "shaft", name, point=hinge, axis=y)
        builder.add_spring(f"{name}-spring", "slider", name, point_a=(side * OFFSET, 0.0, HEIGHT),
                           point_b=hinge + 0.5 * LENGTH * x, stiffness=STIFFNESS, damping=DAMPING,
                           free=FREE_LENGTH)  # fmt: skip
    return builder.build()


def calc_place(result: Result) -> Array:
    """Angle of the rods, height of the slider and turning at the end."""
    angle = np.arcsin(-result.calc_rotations(["right"])[-1, 0, 2, 0])
    return np.array([angle, result["slider.position"][-1, 2], result["shaft.angular_velocity"][-1, 2]])


GOVERNOR = Benchmark(
    "governor",
    "Stiff fly-ball governor",
    "A turning shaft with two rods that carry balls, held to a slider by springs of 8e5 N/m and dampers of 4e4 N s/m: "
    "rates of 3e4 1/s beside a motion of some seconds.",
    "IFToMM library of multibody benchmarks, problem A05 (Gonzalez et al. 2006). Reference: the equations of its three "
    "freedoms, by Radau to 1e-10.",
    make_governor,
    DURATION,
    (Quantity("angle of the rods", "rad"), Quantity("height of the slider", "m"), Quantity("turning", "rad/s")),
    solve_reference,
    calc_place,
    make_ways(
        # 20 us: the dampers set a bound of some 50 us; second order (measured: 3e-9)
        Way("augmented", 1e-7, 25_000),
        Way("recursive", 1e-7, 25_000),
        Way("embedded", 1e-7, 25_000),
        # measured: 2e-10
        Way("augmented", 1e-8, integrator="adams", tolerance=1e-8),
        Way("recursive", 1e-8, integrator="adams", tolerance=1e-8),
        Way("embedded", 1e-8, integrator="adams", tolerance=1e-8),
        # the thin shaft sets the step (measured: 2e-6)
        Way("explicit", 1e-5, 600_000, Penalty(k=1e9, c=1e3, arm=0.01)),
    ),
)
