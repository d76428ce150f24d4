"""The rubber robot as the paper on flexible tracked vehicles drives it: figures 4 to 8, and what the run costs.

    python bench/rubber_robot.py [--duration 2] [--out rubber-robot.png] [--integrator sdirk] [--tolerance 0.01]

Figures: place of the chassis (4), its speed (5), x and z of a point of the band that starts on top of the idler (6, 7),
and its way round the chassis (8). Printed are processor time over simulated time, and the energy residual.
"""

from __future__ import annotations

import argparse
import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import grouser as gr
from grouser.catalog.vehicles import load_vehicle, make_vehicle
from grouser.presets import find_default

POINT = "band.0.position"
"""The pin on top of the idler."""


def run(
    duration: float, integrator: str | None, tolerance: float | None, step: float | None
) -> tuple[gr.Result, float]:
    """The drive, and its processor time over the simulated time."""
    model = make_vehicle(load_vehicle("rubber-robot"))
    preset = find_default(model).with_integrator(integrator, tolerance)
    gr.simulate(model, duration=1e-3, output_interval=1e-3, preset=preset, settle=False)  # compiles
    start = time.process_time()
    result = gr.simulate(model, duration=duration, output_interval=0.005, preset=preset, step=step, settle=False)
    return result, (time.process_time() - start) / duration


def draw(result: gr.Result, path: str) -> None:
    """Figures 4 to 8 on one page."""
    t, chassis, speed, point = (result.time, result["chassis.position"], result["chassis.velocity"], result[POINT])
    figure, axes = plt.subplots(3, 2, figsize=(11, 10), layout="constrained")
    for k, name in enumerate("XYZ"):
        axes[0, 0].plot(t, chassis[:, k], label=name)
    axes[0, 0].legend()
    axes[0, 1].plot(t, speed[:, 0])
    axes[1, 0].plot(t, point[:, 0])
    axes[1, 1].plot(t, point[:, 2])
    w, x, y, z = result["chassis.orientation"].T
    pitch = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    ahead, up = (point - chassis)[:, 0], (point - chassis)[:, 2]
    around = np.cos(pitch) * ahead - np.sin(pitch) * up, np.sin(pitch) * ahead + np.cos(pitch) * up
    axes[2, 0].plot(*around)
    axes[2, 0].set_aspect("equal")
    axes[2, 1].plot(t, result["ground.normal"] / 1e3)
    titles = ("4: chassis", "5: its speed", "6: X of a point of the band", "7: its Z", "8: its way round the chassis")
    units = ("m", "m/s", "m", "m", "m", "kN")
    for axis, title, unit in zip(axes.ravel(), (*titles, "force on the ground"), units, strict=True):
        axis.set_title(title, fontsize=10)
        axis.set_ylabel(unit)
        axis.grid(alpha=0.3)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Run, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--duration", type=float, default=2.0)
    parser.add_argument("--out", default="rubber-robot.png")
    parser.add_argument("--integrator", help="by default that of the vehicle, at its tolerance")
    parser.add_argument("--tolerance", type=float)
    parser.add_argument("--step", type=float)
    words = parser.parse_args()
    result, cost = run(words.duration, words.integrator, words.tolerance, words.step)
    summary = result.summary
    print(
        f"{result.header['integrator']}: {cost:.2f} s of processor time a second, {summary['evaluations']} evaluations"
    )
    print(
        f"energy residual {100.0 * summary['energy_residual']:.3g} %, {result['chassis.position'][-1, 0]:.2f} m driven"
    )
    draw(result, words.out)


if __name__ == "__main__":
    main()
