"""A calibration: spring curve and damping of a buffer, from the motions of a trolley that runs into it.

Run with:  python examples/calibrate_a_buffer.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import grouser as gr

TOLERANCE = 0.02
"""Of the curve and of the damping: a share."""
DAMPING = 40.0
"""True damping of the buffer [N s/m]."""
MODEL = """\
grouser: 1
kind: model
name: trolley
bodies:
  trolley: {mass: 10, inertia: [1, 1, 1], velocity: [0.8, 0, 0]}
joints:
  rail:
    type: prismatic
    frame_a: {body: world, orientation: [1, 0, 1, 0]}
    frame_b: {body: trolley, orientation: [1, 0, 1, 0]}
forces:
  buffer: {type: joint_spring, joint: rail, coordinate: translation, free: 0, stiffness: 1500, damping: 15}
"""
CALIBRATION = """\
grouser: 1
kind: calibration
name: buffer
base: {vehicle: trolley.yaml, preset: recursive, duration: 2}
reading: {time: time, unit: mm, angles: {way: rail.coordinate.translation}}
runs:
  quick: {file: quick.csv}
  slow: {file: slow.csv, set: ["bodies.trolley.velocity=[0.5, 0, 0]"], held_out: true}
unknowns:
  spring: {path: forces.buffer.stiffness, odd: true, knots: [0.03, 0.06, 0.1], over: [buffer.coordinate]}
  damping: {type: number, path: forces.buffer.damping, low: 0, high: 200}
fit: {tolerance: 0.01}
"""


def calc_force(x: np.ndarray) -> np.ndarray:
    """True force of the spring [N]: it gets stiffer."""
    return 1000.0 * x + 1.0e5 * x**3


def measure(speed: float, path: Path) -> None:
    """A run of the true buffer, sampled at 200 Hz by a sensor with noise."""
    model = gr.load_model("trolley.yaml")
    x = np.linspace(-0.2, 0.2, 81)
    law = {"stiffness": list(zip(x.tolist(), calc_force(x).tolist(), strict=True)), "damping": DAMPING}
    trolley = model.bodies["trolley"].model_copy(update={"velocity": (speed, 0.0, 0.0)})
    true = model.with_changes(
        bodies={"trolley": trolley}, forces={"buffer": model.forces["buffer"].model_copy(update=law)}
    )
    with gr.simulate(true, preset="recursive", duration=2.0, output_interval=0.005) as result:
        way = 1000.0 * result["rail.coordinate.translation"] + np.random.default_rng(1).normal(
            0.0, 0.2, len(result.time)
        )
        rows = [f"{t:.3f},{x:.3f}" for t, x in zip(result.time, way, strict=True)]
    path.write_text("\n".join(["time,way", *rows]) + "\n", encoding="utf-8")


def main() -> None:
    """Measure, calibrate, and compare with the truth."""
    Path("trolley.yaml").write_text(MODEL, encoding="utf-8")
    Path("buffer.yaml").write_text(CALIBRATION, encoding="utf-8")
    measure(0.8, Path("quick.csv"))
    measure(0.5, Path("slow.csv"))
    outcome = gr.calibrate(gr.load_calibration("buffer.yaml"), "buffer.calibration", workers=1, say=print)
    spring, damping = outcome.bands["spring"], outcome.bands["damping"]
    known = spring.is_determined & (spring.x > 0.01)
    for x, value, half in zip(spring.x[known], spring.value[known], spring.half[known], strict=True):
        print(f"{1000 * x:5.1f} mm: {value:7.2f} +- {half:.2f} N, in truth {calc_force(x):7.2f} N")
    print(f"damping {damping.value[0]:.2f} +- {damping.half[0]:.2f} N s/m, in truth {DAMPING:g}")
    print(f"held-out run: {100 * outcome.find_error(held_out=True):.2f} % mean difference of magnitude")
    truth = calc_force(spring.x[known])
    assert known.sum() > 5
    assert np.abs(spring.value[known] / truth - 1.0).max() < TOLERANCE
    assert abs(damping.value[0] / DAMPING - 1.0) < TOLERANCE
    assert outcome.find_error(held_out=True) < TOLERANCE


if __name__ == "__main__":
    main()
