"""Tracks with elastic links, and the rubber robot: processor time a simulated second, on one core.

    python bench/elastic_links.py                m113 and m113-paper beside rigid links, growth, explicit, robot
    python bench/elastic_links.py --quick        a trial: fractions of a second from the design position

Vehicles are settled first and driven off straight. Growth is the time of a step over the number of elements; explicit
steps are few, as their cost by second follows from the stable step.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import grouser as gr
from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle, make_vehicle
from grouser.model.model import Model
from grouser.prepare import prepare
from grouser.presets import TRACK_PINS, Preset, find_preset

RAMP = [(0.0, 0.0), (0.3, 0.0), (1.8, 10.0)]
"""Speed of both sprockets over time [s, rad/s]."""
BOUNDS = {"m113": 3.0, "rubber-robot": 5.0}
"""Largest real-time factors."""
FEW = 200
"""Explicit steps that are measured."""


def load(vehicle: str) -> Model:
    """A vehicle on the plane that drives off."""
    model = apply_scenario(load_vehicle(vehicle), load_scenario("straight"))
    drives = {name: motion.model_copy(update={"value": RAMP}) for name, motion in model.motions.items()}
    return model.model_copy(update={"motions": drives})


def say_bound(name: str, factor: float) -> str:
    """Whether a factor holds its bound."""
    if name not in BOUNDS:
        return ""
    return f", at most {BOUNDS[name]:g}: {'holds' if factor <= BOUNDS[name] else 'DOES NOT HOLD'}"


def run(
    label: str, model: Model, preset: str | Preset | None, duration: float, *, settle: bool, bound: str = ""
) -> gr.Result:
    """Run once to compile and once to measure, and print."""
    gr.simulate(model, preset=preset, duration=0.01, output_interval=0.01, settle=False)
    result = gr.simulate(model, preset=preset, duration=duration, output_interval=0.01, settle=settle)
    summary = result.summary
    factor = summary["cpu_time"] / duration
    print(
        f"{label:32} {factor:7.2f} s a second, {1e3 * summary['cpu_time'] / summary['steps']:6.2f} ms a step, "
        f"{summary['steps']} steps, residual {100 * summary['energy_residual']:.2g} %{say_bound(bound, factor)}",
        flush=True,
    )
    return result


def compare(vehicle: str, duration: float, *, settle: bool) -> None:
    """Elastic links beside rigid ones."""
    model = load(vehicle)
    runs = {
        name: run(f"{vehicle}, {name}", model, name, duration, settle=settle, bound=vehicle if name == "ancf" else "")
        for name in ("implicit", "ancf")
    }
    for channel in ("position", "velocity"):
        rigid, elastic = (result[f"chassis.{channel}"][:, 0] for result in runs.values())
        gap = np.abs(elastic - rigid).max() / np.abs(rigid).max()
        print(f"{'':32} forward {channel} differs by {100 * gap:.2f} % of the largest", flush=True)


def show_growth(duration: float) -> None:
    """Time of a step for one and more elements a link."""
    model = load("m113")
    for elements in (1, 2, 4):
        preset = find_preset("ancf").with_realization(TRACK_PINS, gr.ElasticLinks(elements=elements))
        result = run(f"m113, {elements} elements a link", model, preset, duration, settle=False)
        count = len(result.list_items("ancf_beam/force"))
        summary = result.summary
        print(f"{'':32} {1e6 * summary['cpu_time'] / summary['steps'] / count:.1f} us a step and element", flush=True)


def show_explicit() -> None:
    """What explicit steps would cost."""
    model = load("m113")
    preset = find_preset("ancf").with_integrator("trapezoidal")
    _, stable = prepare(model, preset)
    gr.simulate(model, preset=preset, duration=FEW * stable.step, output_interval=FEW * stable.step, settle=False)
    began = time.process_time()
    count = 5 * FEW
    gr.simulate(model, preset=preset, duration=count * stable.step, output_interval=count * stable.step, settle=False)
    cost = (time.process_time() - began) / count
    print(f"{'m113, ancf, explicit':32} {cost / stable.step:7.1f} s a second by steps of {1e6 * stable.step:.2f} us")


def main() -> None:
    """Print all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="short and not settled: a trial, not a measurement")
    options = parser.parse_args()
    settle, duration = not options.quick, 0.05 if options.quick else 3.0
    for vehicle in ("m113", "m113-paper"):
        compare(vehicle, duration, settle=settle)
    show_growth(0.02 if options.quick else 0.3)
    show_explicit()
    robot = make_vehicle(load_vehicle("rubber-robot"))
    run("rubber-robot", robot, None, 0.02 if options.quick else 2.0, settle=False, bound="rubber-robot")


if __name__ == "__main__":
    main()
