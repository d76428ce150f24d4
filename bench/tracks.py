"""Cost of driving a tracked vehicle: real-time factor, time a step, and how it grows with the number of links.

    python bench/tracks.py            all of it, a few minutes
    python bench/tracks.py --quick    shorter runs

One core (nothing here uses more), after compiling. The machine's noise is shown by the spread of the repeats.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.tracked.build import make_tracked_vehicle
from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.vehicles import load_vehicle
from grouser.compile.state import copy_state
from grouser.formulations.explicit.advance import solve_steps
from grouser.formulations.explicit.workspace import make_workspace
from grouser.simulate import prepare, settle, simulate

REPEATS = 5


def measure_driving(vehicle: str, preset: str, duration: float) -> None:
    """Real-time factor of scenario `straight`, writing results included."""
    model = apply_scenario(load_vehicle(vehicle), load_scenario("straight"))
    start = settle(model, preset=preset)
    summary = simulate(model, preset=preset, duration=duration, initial=start).summary
    micro = 1e6 * summary["wall_time"] / summary["steps"]
    print(
        f"{vehicle:12s} {preset:8s} real-time factor {summary['real_time_factor']:5.2f}   "
        f"step {1e3 * summary['step']:.4f} ms   {micro:6.1f} us a step   ({duration:g} s driven)"
    )


def make_long_vehicle(links: int) -> TrackedVehicle:
    """The paper's M113 with its hull stretched or shrunk until it carries `links` links a side."""
    base = load_vehicle("m113-paper")
    assert isinstance(base, TrackedVehicle)
    shift = 0.5 * (links - base.links.count) * base.links.pitch
    x, z = base.idler.centre
    first, last = base.road_wheels.centres[0], base.road_wheels.centres[-1]
    spacing = (first[0] - last[0]) / (len(base.road_wheels.centres) - 1)
    length = first[0] - last[0] + shift
    count = max(2, 1 + round(length / spacing))
    centres = [(first[0] - length * i / (count - 1), first[1]) for i in range(count)]
    middle = 0.5 * (centres[0][0] + centres[-1][0])
    return base.with_changes(
        chassis={"com": (middle, 0.0, base.chassis.com[2])},
        idler={"centre": (x - shift, z)},
        road_wheels={"centres": centres},
        links={"count": links},
    )


def measure_step(links: int, preset: str, steps: int) -> tuple[float, float]:
    """Time of one step [us]: median and spread of the repeats, from the routed state."""
    compiled, stable = prepare(make_tracked_vehicle(make_long_vehicle(links)), preset)
    work = make_workspace(compiled)
    times = []
    for _ in range(REPEATS):
        state = copy_state(compiled.initial)
        began = time.perf_counter()
        solve_steps(compiled.tables, steps, 0.5 * stable.step, 0.0, state, work)
        times.append(1e6 * (time.perf_counter() - began) / steps)
    return float(np.median(times)), float(np.ptp(times))


def measure_growth(preset: str, steps: int) -> None:
    """Cost of a step from 32 to 256 links a side, and the fitted exponent."""
    counts = (32, 64, 128, 256)
    costs = []
    for links in counts:
        cost, spread = measure_step(links, preset, steps)
        costs.append(cost)
        print(f"{preset:8s} {links:4d} links a side  {cost:7.1f} us a step (spread {spread:.1f})")
    exponent = np.polyfit(np.log(counts), np.log(costs), 1)[0]
    last = math.log(costs[-1] / costs[-2]) / math.log(2.0)
    print(f"{preset:8s} cost grows as links^{exponent:.2f} (last doubling: {last:.2f})")


def main() -> None:
    """Print all measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="shorter runs")
    quick = parser.parse_args().quick
    duration, steps = (2.0, 300) if quick else (10.0, 2000)
    for vehicle in ("m113-paper", "m113"):
        for preset in ("penalty", "bushing"):
            measure_driving(vehicle, preset, duration)
    for preset in ("penalty", "bushing"):
        measure_growth(preset, steps)


if __name__ == "__main__":
    main()
