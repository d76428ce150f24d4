"""Published benchmarks: a file each, and a registry over which tests and the accuracy page go."""

from __future__ import annotations

from grouser.catalog.benchmarks.benchmark import Benchmark, Quantity, Way
from grouser.catalog.benchmarks.bricard import BRICARD
from grouser.catalog.benchmarks.governor import GOVERNOR
from grouser.catalog.benchmarks.pendulum import PENDULUM
from grouser.catalog.benchmarks.slider_crank import SLIDER_CRANK
from grouser.catalog.benchmarks.squeezer import SQUEEZER
from grouser.catalog.benchmarks.windows import WINDOWS_2, WINDOWS_40

__all__ = ["BENCHMARKS", "Benchmark", "Quantity", "Way"]

BENCHMARKS: dict[str, Benchmark] = {
    one.name: one for one in (PENDULUM, WINDOWS_2, WINDOWS_40, SQUEEZER, GOVERNOR, BRICARD, SLIDER_CRANK)
}
