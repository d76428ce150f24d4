"""N four-bars in a row: reference, redundant rows, energy, and cost that is linear in N."""

import time
from dataclasses import replace

import pytest
from mechanism import IDEAL_FORMULATIONS, Mechanism

from grouser.catalog.benchmarks.benchmark import calc_energy_change
from grouser.catalog.benchmarks.windows import REFERENCE, WINDOWS_2, WINDOWS_40, make_windows, solve_top

ENERGY = 1e-6
"""Share of the energy of 40 windows (81 kg by about 1 m) that may be lost in the first swing, steps of 1 ms."""


def test_equation_of_the_angle_gives_the_published_reference():
    assert solve_top(2) == pytest.approx(REFERENCE, abs=1e-10)


@pytest.mark.parametrize("formulation", IDEAL_FORMULATIONS)
def test_a_tolerance_takes_few_steps(formulation):
    """A tenth of those of the trapezoidal rule, which is no more accurate."""
    result = WINDOWS_2.run(f"{formulation}, adams")
    assert result.summary["steps"] < 0.1 * WINDOWS_2.ways[formulation].step_count
    assert WINDOWS_2.ways[f"{formulation}, adams"].accuracy <= WINDOWS_2.ways[formulation].accuracy


def test_rows_that_parallel_axes_make_redundant():
    """Three a window: a loop of parallel axes needs two of its five."""
    for formulation in IDEAL_FORMULATIONS:
        assert Mechanism(make_windows(2), formulation).solver.find_redundant_count() == 6


def test_forty_windows_keep_their_energy():
    result = replace(WINDOWS_40, duration=0.5).run("augmented", step_count=500)
    assert result.calc_rotations(["post0"])[-1, 0, 2, 2] < 0.8  # more than 37 degrees
    assert calc_energy_change(result) < ENERGY * 81.0 * 9.81


def test_cost_is_linear():
    """Four times the windows take four times as long, not sixteen; the least of three, because machines are busy."""
    times = []
    for count in (10, 40):
        mechanism = Mechanism(make_windows(count), "augmented")
        takes = []
        for _ in range(3):
            begin = time.perf_counter()
            mechanism.advance(50, 1e-3)
            takes.append(time.perf_counter() - begin)
        times.append(min(takes))
    assert times[1] / times[0] < 8.0
