"""Loops three ways: cost and drift of a HMMWV with every body free, as a tree with cuts, and with embedded loops.

    python bench/wheels.py                       cost, side by side in one run
    python bench/wheels.py --drift               loops over 60 s, with a figure in docs/images
    python bench/wheels.py --scenario step-steer

One core (nothing here uses more), after compiling; the least of several repeats, because the machine's noise only adds.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.compile.state import copy_state
from grouser.formulations.tree_options import TreeOptions
from grouser.integrators.solvers import make_integrator
from grouser.model.model import Model
from grouser.output.plots import save_figure
from grouser.presets import find_preset
from grouser.result.violation import JointRows
from grouser.simulate import prepare, settle, simulate

WAYS = {"constrained": "every body free (FA)", "recursive": "tree with cuts (TA)", "embedded": "embedded loops (CE)"}
STEP = 1e-3
"""Of all three [s]."""
TOLERANCE = 1e-4
"""Relative, of the run by `adams`."""
REPEATS = 3
FIGURE = Path(__file__).resolve().parent.parent / "docs" / "images" / "drift.svg"


def measure_costs(model: Model, duration: float) -> None:
    """Real-time factors with the same steps, and of embedded loops to a tolerance, writing results included."""
    start = settle(model)
    cases = {
        f"{way}, {STEP:g} s": (find_preset(name).with_integrator("trapezoidal"), STEP) for name, way in WAYS.items()
    }
    adams = find_preset("embedded").with_integrator("adams", TOLERANCE)
    cases[f"{WAYS['embedded']}, adams {TOLERANCE:g}"] = (adams, None)
    least = dict.fromkeys(cases, np.inf)
    places, evaluations = {}, {}
    for _ in range(REPEATS + 1):  # the first compiles
        for name, (preset, step) in cases.items():
            options = {} if step is None else {"step": step}
            result = simulate(model, preset=preset, duration=duration, initial=start, **options)
            least[name] = min(least[name], result.summary["real_time_factor"])
            evaluations[name] = result.summary["evaluations"]
            places[name] = result[f"{result.main_body}.position"][-1]
    first = next(iter(cases))
    for name in cases:
        off, micro = np.linalg.norm(places[name] - places[first]), 1e6 * duration * least[name] / evaluations[name]
        print(
            f"{name:35s} real-time factor {least[name]:.4f}   {least[first] / least[name]:5.2f} times as fast   "
            f"{micro:6.1f} us an evaluation   {1e3 * off:.3f} mm from the first"
        )


def measure_drift(model: Model, duration: float) -> None:
    """Largest gap of any joint over time: embedded loops, and a tree with cuts that are not closed after every step."""
    compiled, _ = prepare(model, find_preset("embedded"))
    rows, start = JointRows(model), settle(model)
    figure = Figure(figsize=(7.0, 3.5), layout="constrained")
    axes = figure.subplots()
    for name, label in (("recursive", "tree with cuts, not projected"), ("embedded", "embedded loops")):
        preset, options = find_preset(name), TreeOptions(projected=name == "embedded")
        solver = make_integrator(compiled, preset.formulation, preset.integrator, options=options)
        state, gaps = copy_state(start), []
        times = np.arange(1.0, duration + 0.5)
        for _ in times:
            solver.advance(state, round(1.0 / STEP), STEP)
            gaps.append(rows.calc_gap(state.x, state.R))
        axes.semilogy(times, gaps, label=label)
        print(f"{label:32s} largest gap of a joint in {duration:g} s: {max(gaps):.2e} m or rad")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("largest gap of a joint [m, rad]")
    axes.legend()
    save_figure(figure, FIGURE)
    print(f"wrote {FIGURE.name}")


def main(words: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Loops three ways: cost and drift of a HMMWV.")
    parser.add_argument("--scenario", default="constant-radius", help="default: constant-radius, on level ground")
    parser.add_argument("--duration", type=float, default=10.0, help="simulated time of a run [s]; default 10")
    parser.add_argument("--drift", action="store_true", help="loops over 60 s instead of cost")
    options = parser.parse_args(words)
    model = apply_scenario(load_vehicle("hmmwv"), load_scenario(options.scenario))
    if options.drift:
        measure_drift(model, 60.0)
    else:
        measure_costs(model, options.duration)


if __name__ == "__main__":
    main()
