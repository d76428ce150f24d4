"""N four-bars in a row of the IFToMM library of multibody benchmarks (problem A02, M. Gonzalez et al. 2006).

N + 1 upright bars on the ground are joined at their tops by N horizontal bars, like windows; all are slender rods of
1 m and 1 kg. They start upright with 1 m/s at the tops. Whenever all bars lie in a line, the mechanism has freedoms
that it has nowhere else, and the rows of the joints lose rank there: it passes ten such positions in 10 s.
"""

import time

import numpy as np
import pytest
from advance_model import IDEAL_FORMULATIONS, Mechanism

from grouser.model.builder import ModelBuilder

REFERENCE = np.array([0.3284581115, 0.9445185382])
"""Top of the first bar (x, up) after 10 s for N = 2 [m]."""
SPEED = 1.0
DURATION, STEPS = 10.0, 40_000
ACCURACY = 1e-5
"""Share of the length of a bar that a run with steps of 0.25 ms may be off, second order (measured: 3e-6)."""
TOLERANCE = 1e-9
"""Relative tolerance of `adams` (measured: off by 2e-6). Where rows lose rank, accelerations have few digits left: a
tighter one asks for more than there are."""
ENERGY = 1e-6
"""Share of the energy of 40 windows (81 kg by about 1 m) that may be lost in the first swing, steps of 1 ms."""
Y = (0.0, 1.0, 0.0)
LOST = pytest.mark.xfail(reason="where loops have a freedom more, independent coordinates do not tell branches apart")
WAYS = [pytest.param(name, marks=LOST if name == "embedded" else ()) for name in IDEAL_FORMULATIONS]


def make_windows(count):
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


@pytest.mark.parametrize("formulation", WAYS)
def test_top_of_the_first_bar(formulation):
    mechanism = Mechanism(make_windows(2), formulation)
    state = mechanism.run(DURATION, STEPS)
    top = mechanism.find_point(state, "post0", (0.0, 0.0, 0.5))[[0, 2]]
    assert top == pytest.approx(REFERENCE, abs=ACCURACY)


@pytest.mark.parametrize("formulation", WAYS)
def test_top_of_the_first_bar_to_a_tolerance(formulation):
    mechanism = Mechanism(make_windows(2), formulation, integrator="adams", tolerance=TOLERANCE)
    state = mechanism.run(DURATION, 1)
    top = mechanism.find_point(state, "post0", (0.0, 0.0, 0.5))[[0, 2]]
    assert top == pytest.approx(REFERENCE, abs=ACCURACY)
    assert mechanism.solver.counts.steps < 0.1 * STEPS


def test_rows_that_parallel_axes_make_redundant():
    """Three a window: a loop of parallel axes needs two of its five."""
    for formulation in IDEAL_FORMULATIONS:
        mechanism = Mechanism(make_windows(2), formulation)
        mechanism.start()
        assert mechanism.solver.find_redundant_count() == 6


def test_forty_windows_keep_their_energy():
    mechanism = Mechanism(make_windows(40), "augmented")
    state = mechanism.start()
    before = mechanism.calc_energy(state)
    mechanism.advance(state, 500, 1e-3)
    assert state.R[0, 2, 2] < 0.8  # more than 37 degrees
    assert mechanism.calc_energy(state) == pytest.approx(before, abs=ENERGY * 81.0 * 9.81)


def test_cost_is_linear():
    """Four times the windows take four times as long, not sixteen; the least of three, because machines are busy."""
    times = []
    for count in (10, 40):
        mechanism = Mechanism(make_windows(count), "augmented")
        state = mechanism.start()
        takes = []
        for _ in range(3):
            begin = time.perf_counter()
            mechanism.advance(state, 50, 1e-3)
            takes.append(time.perf_counter() - begin)
        times.append(min(takes))
    assert times[1] / times[0] < 8.0
