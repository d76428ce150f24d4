"""Every published benchmark by every formulation that supports it."""

from __future__ import annotations

import pytest

from grouser.catalog.benchmarks import BENCHMARKS
from grouser.errors import UnsupportedError
from grouser.formulations.tree_options import FORMULATIONS

DEAR = {("windows-40", "augmented")}
"""Benchmarks and their ways that take more than 15 s."""
CASES = [
    pytest.param(name, way, marks=[pytest.mark.slow] if (name, way) in DEAR else [], id=f"{name}, {way}")
    for name, benchmark in BENCHMARKS.items()
    for way in benchmark.ways
]


@pytest.mark.parametrize(("name", "way"), CASES)
def test_values_at_the_end(name, way):
    """Every quantity agrees with its reference to what the way declares."""
    benchmark = BENCHMARKS[name]
    values = benchmark.calc_values(benchmark.run(way))
    assert benchmark.calc_errors(values).max() < benchmark.ways[way].accuracy, values


@pytest.mark.parametrize("step_count", [30_000, 100_000, 160_000])
def test_windows_converge_wherever_the_steps_come_to_lie(step_count):
    """With these, steps come within 1e-4 rad of positions in line, where rows of the cuts are nearly redundant."""
    benchmark = BENCHMARKS["windows-2"]
    values = benchmark.calc_values(benchmark.run("recursive", step_count=step_count))
    assert benchmark.calc_errors(values).max() < 1e-6, values


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_formulation_solves_it(name):
    """Four-bars in a line have freedoms that they have nowhere else: `embedded` does not support them."""
    left_out = {"embedded"} if name.startswith("windows") else set()
    assert {way.formulation for way in BENCHMARKS[name].ways.values()} == set(FORMULATIONS) - left_out


@pytest.mark.parametrize("name", BENCHMARKS)
def test_errors_are_shares_of_the_scale(name):
    """A value that is off by a tenth of its scale has an error of a tenth."""
    benchmark = BENCHMARKS[name]
    scales = [q.scale or abs(r) for q, r in zip(benchmark.quantities, benchmark.reference, strict=True)]
    values = benchmark.reference + [0.1 * scale for scale in scales]
    assert benchmark.calc_errors(values) == pytest.approx(0.1)


def test_a_way_that_is_none():
    with pytest.raises(UnsupportedError, match=r"benchmark 'pendulum': .*'recursiv'.*recursive"):
        BENCHMARKS["pendulum"].run("recursiv")
