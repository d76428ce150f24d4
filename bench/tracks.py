"""Cost of driving a tracked vehicle: real-time factor, time a step, and how it grows with the number of links.

    python bench/tracks.py                          all of it, ten minutes
    python bench/tracks.py --quick                  shorter runs
    python bench/tracks.py --presets implicit,penalty

One core (nothing here uses more), after compiling. The machine's noise is shown by the spread of the repeats.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence

import numpy as np
from convergence import TRACK_PRESETS

from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.tracked.build import make_tracked_vehicle
from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.vehicles import load_vehicle
from grouser.compile.state import copy_state
from grouser.integrators.solvers import make_integrator
from grouser.presets import find_preset
from grouser.simulate import prepare, settle, simulate

REPEATS = 5


def measure_driving(vehicle: str, preset: str, duration: float) -> None:
    """Real-time factor of scenario `straight`, writing results included."""
    model = apply_scenario(load_vehicle(vehicle), load_scenario("straight"))
    start = settle(model, threads=1)
    simulate(model, preset=preset, duration=0.02, initial=start, threads=1)  # compiles
    summary = simulate(model, preset=preset, duration=duration, initial=start, threads=1).summary
    micro = 1e6 * summary["wall_time"] / summary["steps"]
    print(
        f"{vehicle:12s} {preset:12s} real-time factor {summary['real_time_factor']:5.2f}   "
        f"step {1e3 * summary['step']:.4f} ms   {micro:6.1f} us a step   way {summary['distance']:.3f} m   "
        f"mean tension {1e-3 * summary['mean_link_tension']:.2f} kN   ({duration:g} s driven)"
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
    count = max(2, 1 + math.floor(length / spacing + 1e-9))
    spacing = length / (count - 1)
    # a short hull has small wheels that stand on the same ground
    radius = min(base.road_wheels.radius, 0.47 * spacing)
    height = first[1] - base.road_wheels.radius + radius
    centres = [(first[0] - spacing * i, height) for i in range(count)]
    middle = 0.5 * (centres[0][0] + centres[-1][0])
    return base.with_changes(
        chassis={"com": (middle, 0.0, base.chassis.com[2])},
        idler={"centre": (x - shift, z)},
        road_wheels={"centres": centres, "radius": radius},
        shocks={"stations": list(range(1, count + 1))},
        links={"count": links},
    )


def measure_step(links: int, preset: str, steps: int) -> tuple[float, float]:
    """CPU time of one step [us]: median and spread of the repeats, from the routed state."""
    compiled, stable = prepare(make_tracked_vehicle(make_long_vehicle(links)), preset)
    chosen = find_preset(preset)
    solver = make_integrator(compiled, chosen.formulation, chosen.integrator)
    solver.advance(copy_state(compiled.initial), 0, 0.5 * stable.step)  # compiles
    times = []
    for _ in range(REPEATS):
        state = copy_state(compiled.initial)
        began = time.thread_time()
        solver.advance(state, steps, 0.5 * stable.step)
        times.append(1e6 * (time.thread_time() - began) / steps)
    return float(np.median(times)), float(np.ptp(times))


def measure_growth(preset: str, steps: int, counts: Sequence[int] = (32, 64, 128, 256)) -> None:
    """Cost of a step for numbers of links a side, and the fitted exponent."""
    costs = []
    for links in counts:
        cost, spread = measure_step(links, preset, steps)
        costs.append(cost)
        print(f"{preset:12s} {links:4d} links a side  {cost:7.1f} us a step (spread {spread:.1f})")
    last = fit_exponent(counts[-2:], costs[-2:])
    print(f"{preset:12s} cost grows as links^{fit_exponent(counts, costs):.2f} (last doubling: {last:.2f})")


def fit_exponent(counts: Sequence[int], costs: Sequence[float]) -> float:
    """Exponent n of the law cost = c count^n that fits best."""
    return float(np.polyfit(np.log(counts), np.log(costs), 1)[0])


def main() -> None:
    """Print all measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="shorter runs")
    parser.add_argument("--presets", default=",".join(TRACK_PRESETS), help="names, separated by commas")
    options = parser.parse_args()
    duration, steps = (2.0, 100) if options.quick else (10.0, 500)
    presets = options.presets.split(",")
    for vehicle in ("m113-paper", "m113"):
        for preset in presets:
            measure_driving(vehicle, preset, duration)
    for preset in presets:
        measure_growth(preset, steps)


if __name__ == "__main__":
    main()
