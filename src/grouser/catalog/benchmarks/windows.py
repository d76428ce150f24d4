"""N four-bars in a row of the IFToMM library of multibody benchmarks, problem A02.

N + 1 upright bars on the ground are joined at their tops by N horizontal bars, like windows; all are slender rods of
1 m and 1 kg. They start upright with 1 m/s at the tops. Whenever all bars lie in a line, the mechanism has freedoms
that it has nowhere else, and the rows of the joints lose rank there: N = 2 passes ten such positions in 10 s.

All posts turn alike, by an angle a from the upright, and the tops only shift: one freedom, with

    ((N + 1)/3 + N) a'' = ((N + 1)/2 + N) g sin a,

which is solved to 1e-12 for the reference of any N; that of N = 2 is published.

Joints with a stiffness k let the bars fold a little in line. With u the fold, W the rate at which bars pass the line
at t = 0, m an inertia, c the damping of the joints and f the load by which bars would part if nothing joined them,

    m u'' + c (W t)^2 u' + k (W t)^2 u = f

so that bars are free for a time of about T = (m/(k W^2))^(1/4). The motion loses the energy that folding takes up, f^2
T^2/m. With little damping it loses more: the vibration that is left takes up energy while it becomes stiffer. Damping
acts within T if c is about k T, which is far above critical where bars are not in line. Measured with N = 2: errors
fall as k^-0.5 with c = k T, and as k^-0.42 with a fixed share of critical damping.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.integrate import solve_ivp

from grouser.catalog.benchmarks.benchmark import Array, Benchmark, Quantity, Way, calc_energy_change, make_ways
from grouser.compile.realization import Penalty
from grouser.model.builder import ModelBuilder
from grouser.model.model import Model
from grouser.result.result import Result

REFERENCE = np.array([0.3284581115, 0.9445185382])
"""Top of the first bar (x, up) after 10 s for N = 2 [m]."""
SPEED = 1.0
"""Of the tops at the start [m/s]."""
GRAVITY = 9.81
DURATION = 10.0
Y = (0.0, 1.0, 0.0)
PINS = Penalty(k=1e14, c=1e10, arm=0.01)
"""Joints of `explicit`: c = k T, with T = 0.1 ms at 6 rad/s. A longer arm has no use in a plane, and does harm: with
0.1 m the damping of tilts, by the rounding of axes, slows the turning (3e-5)."""


def make_windows(count: int) -> Model:
    """The mechanism at its start."""
    builder = ModelBuilder("windows")
    upright, level = (1.0 / 12.0, 1.0 / 12.0, 1e-4), (1e-4, 1.0 / 12.0, 1.0 / 12.0)
    for i in range(count + 1):
        builder.add_body(f"post{i}", 1.0, upright, position=(i, 0.0, 0.5), velocity=(0.5 * SPEED, 0.0, 0.0),
                         angular_velocity=(0.0, SPEED, 0.0))  # fmt: skip
        builder.add_joint(f"foot{i}", "revolute", "world", f"post{i}", point=(i, 0.0, 0.0), axis=Y)
    for i in range(count):
        builder.add_body(f"top{i}", 1.0, level, position=(i + 0.5, 0.0, 1.0), velocity=(SPEED, 0.0, 0.0))
        builder.add_joint(f"left{i}", "revolute", f"post{i}", f"top{i}", point=(i, 0.0, 1.0), axis=Y)
        builder.add_joint(f"right{i}", "revolute", f"top{i}", f"post{i + 1}", point=(i + 1, 0.0, 1.0), axis=Y)
    return builder.build()


def solve_top(count: int) -> Array:
    """Top of the first bar (x, up) after 10 s, from the equation of its angle."""
    pull = GRAVITY * ((count + 1) / 2.0 + count) / ((count + 1) / 3.0 + count)
    found = solve_ivp(
        lambda _, y: [y[1], pull * np.sin(y[0])], (0.0, DURATION), [0.0, SPEED], "DOP853", rtol=1e-12, atol=1e-12
    )
    angle = found.y[0, -1]
    return np.array([np.sin(angle), np.cos(angle)])


def calc_top(result: Result) -> Array:
    """Top of the first bar (x, up) at the end."""
    rotation = result.calc_rotations(["post0"])[-1, 0]
    return (result["post0.position"][-1] + rotation @ np.array([0.0, 0.0, 0.5]))[[0, 2]]


def calc_top_and_energy(result: Result) -> Array:
    """Top of the first bar (x, up) at the end, and the largest change of energy."""
    return np.array([*calc_top(result), calc_energy_change(result)])


TOP = (Quantity("top of the first bar, x", "m", 1.0), Quantity("top of the first bar, up", "m", 1.0))
SOURCE = "IFToMM library of multibody benchmarks, problem A02 (Gonzalez et al. 2006)."

WINDOWS_2 = Benchmark(
    "windows-2",
    "N four-bars, N = 2",
    "Two windows of slender bars of 1 m and 1 kg topple from the upright at 1 m/s. They pass ten positions in which "
    "all bars lie in a line and the rows of the joints lose rank.",
    SOURCE,
    partial(make_windows, 2),
    DURATION,
    TOP,
    lambda: REFERENCE,
    calc_top,
    make_ways(
        # `embedded` does not support it: in line, no speeds of the loop determine the others
        # 0.25 ms, second order (measured: 3e-6)
        Way("augmented", 1e-5, 40_000),
        Way("recursive", 1e-5, 40_000),
        # measured: up to 2e-6. Where rows lose rank, accelerations have few digits left: a tighter tolerance asks for
        # more than there are.
        Way("augmented", 1e-5, integrator="adams", tolerance=1e-9),
        Way("recursive", 1e-5, integrator="adams", tolerance=1e-9),
        # joints that give way let bars fold a little in the positions in line (measured: 1.6e-6; 5.2e-4 at 1e9 N/m)
        Way("explicit", 1e-5, 80_000, PINS, "generalised-alpha"),
    ),
)
WINDOWS_40 = Benchmark(
    "windows-40",
    "N four-bars, N = 40",
    "The same with forty windows: 81 bars in the place of 5, and 120 rows that parallel axes make redundant. All posts "
    "turn alike, so the reference is that of an equation with one freedom. Energy must be kept, and the cost of a step "
    "should grow no faster than the number of bars.",
    SOURCE + " Reference: the equation of the angle of the posts, to 1e-12.",
    partial(make_windows, 40),
    DURATION,
    (*TOP, Quantity("largest change of energy", "J", 81.0 * GRAVITY)),
    lambda: np.array([*solve_top(40), 0.0]),
    calc_top_and_energy,
    make_ways(
        # 0.25 ms
        Way("augmented", 1e-5, 40_000),
        # measured: 5.6e-6 and 1.2e-7; `augmented` stays between 2e-6 and 7e-6 from 5e-8 to 1e-10. All loops hang
        # together in `recursive`, and small steps of equal length are dear.
        Way("augmented", 1e-5, integrator="adams", tolerance=1e-8),
        Way("recursive", 1e-5, integrator="adams", tolerance=1e-9),
        # 0.25 ms (measured: 1.9e-6)
        Way("explicit", 1e-5, 40_000, PINS, "generalised-alpha"),
    ),
    frame_count=100,
)
