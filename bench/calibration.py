"""What a calibration finds and costs: the vehicle of the N-post rig from runs that it has made itself, with faults.

The truth is `npost-12` with bars and dampers of the right side 8 % stiffer, in a harness, with stops of the pans
elsewhere than the model has them, its angles measured with noise and offsets at 205 Hz. The fit begins with linear bars
and dampers, alike on both sides, without a harness, and finds the place of the stops too.

Run with:  python bench/calibration.py                   # some minutes on two cores that do nothing else
           python bench/calibration.py --keep FOLDER     # keeps all files, and goes on in them

Bounds: curves are within `CURVES` of the truth where they are said to be determined that well, held-out runs within
`HELD_OUT` mean difference of magnitude, in less than `TIME`. Below some 0.03 rad/s the moment of a damper is hard to
tell from friction, and is said to be not determined.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import grouser as gr
from grouser.calibration.curve import calc_start
from grouser.calibration.outcome import CalibrationOutcome
from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle

CURVES, HELD_OUT, TIME = 0.05, 0.15, 15.0 * 60.0
"""A share, a share, and a wall time [s]."""
RATE, NOISE, RIGHT = 205.0, 0.1, 1.08
"""Samples a second, noise of the sensors [deg], and stiffness of the right side over that of the left."""
CLEARANCE = 0.03
"""Of the stops at the start [m]; in truth they are at 0.026 m."""
ARMS = [f"{side}{number}" for side in "LR" for number in range(1, 7)]
RUNS = {
    "shake 1.1 Hz 70 mm": ["motion=shake", "frequency=1.1", "amplitude=0.07"],
    "pitch 0.9 Hz 70 mm": ["motion=pitch", "frequency=0.9", "amplitude=0.07"],
    "shake 0.8 Hz 70 mm": ["motion=shake", "frequency=0.8", "amplitude=0.07"],
    "shake 1.3 Hz 40 mm": ["motion=shake", "frequency=1.3", "amplitude=0.04"],
    "pitch 1.0 Hz 40 mm": ["motion=pitch", "frequency=1.0", "amplitude=0.04"],
}
FITTED = 2
"""The first runs are fitted, the others held out."""
LENGTH = 5.5
"""Of a run, with 1 s to ramp in and out [s]."""
VEHICLE = """\
extends: npost-12
name: npost-12 before
arms: {torsion_bar: {stiffness: 26000, damping: 5000}}
right: {arms: {torsion_bar: {stiffness: 26000, damping: 5000}}}
"""
CALIBRATION = """\
grouser: 1
kind: calibration
name: npost-12 from its rig
base: {vehicle: before.yaml, scenario: rig.yaml, output_interval: 0.02}
reading:
  time: time
  unit: deg
  reference: start
  rest: 0.1
  drift: keep
  angles: {ANGLES}
  inputs:
INPUTS
runs:
LIST
unknowns:
  left stiffness: &stiffness
    path: arms.torsion_bar.stiffness
    knots: [-0.2, 0.2, 0.4]
    through: 0
    over: ["left.torsion*.coordinate"]
  right stiffness: {<<: *stiffness, path: right.arms.torsion_bar.stiffness, over: ["right.torsion*.coordinate"]}
  left damping: &damping
    path: arms.torsion_bar.damping
    odd: true
    knots: [0.02, 0.05, 0.1, 0.15, 0.5, 1.5]  # where the true curve bends, else knots alone make 6 %
    over: ["left.torsion*.rate"]
  right damping: {<<: *damping, path: right.arms.torsion_bar.damping, over: ["right.torsion*.rate"]}
  stops: {type: number, place: scenario, path: rig.pans.stops.clearance, start: 0.03, low: 0.015, high: 0.045}
fit: {iterations: 15, tolerance: 0.01, certain: CURVES}
"""


def measure(run: str, seed: int) -> dict[str, np.ndarray]:
    """Columns of a run of the truth."""
    bar = load_vehicle("npost-12").arms.torsion_bar  # type: ignore[union-attr]
    right = {key: [(x, RIGHT * y) for x, y in getattr(bar, key)] for key in ("stiffness", "damping")}
    truth = load_vehicle("npost-12").with_changes(right={"arms": {"torsion_bar": right}})  # type: ignore[union-attr]
    words = [f"rig.excitation.{word}" for word in RUNS[run]]
    words += [f"rig.excitation.length={LENGTH}", "rig.excitation.ramp=1", f"duration={LENGTH}"]
    words += ["rig.harness={slack: 0.1}", "rig.pans={stops: {clearance: 0.026}}"]
    model = apply_scenario(truth, load_scenario("npost-shake", words))
    random = np.random.default_rng(seed)
    with gr.simulate(model, duration=LENGTH, output_interval=1.0 / RATE) as result:
        columns = {"time": np.array(result.time)}
        for name in ARMS:
            side = "left" if name[0] == "L" else "right"
            angle = np.rad2deg(result[f"{side}.torsion{name[1]}.coordinate"]) + 30.0 + random.normal(0.0, 0.5)
            columns[name] = angle + NOISE * random.standard_normal(len(angle))
        for name in ARMS:
            side = "left" if name[0] == "L" else "right"
            columns[f"post {name}"] = 1000.0 * np.array(result[f"{side}.post{name[1]}.drive.target"])
    return columns


def write_case(folder: Path) -> Path:
    """All files of the calibration."""
    posts = {name: f"{'left' if name[0] == 'L' else 'right'}.post{name[1]}" for name in ARMS}
    (folder / "before.yaml").write_text(VEHICLE)
    told = ", ".join(f"{post}: 0" for post in posts.values())
    (folder / "rig.yaml").write_text(
        f"grouser: 1\nkind: scenario\nname: rig\nduration: {LENGTH}\n"
        f"rig: {{excitation: {{type: signals, posts: {{{told}}}}}, pans: {{stops: {{clearance: {CLEARANCE}}}}}}}\n"
    )
    angles = ", ".join(f"{name}: {post.replace('post', 'torsion')}.coordinate" for name, post in posts.items())
    inputs = "\n".join(
        f"    post {name}: {{type: scenario, path: rig.excitation.posts.{post}, unit: mm}}"
        for name, post in posts.items()
    )
    runs = "\n".join(
        f'  {run}: {{file: "{run}.csv"{", held_out: true" if number >= FITTED else ""}}}'
        for number, run in enumerate(RUNS)
    )
    text = CALIBRATION.replace("ANGLES", angles).replace("INPUTS", inputs).replace("LIST", runs)
    text = text.replace("CURVES", str(CURVES))
    (folder / "arms.yaml").write_text(text)
    for seed, run in enumerate(RUNS):
        place = folder / f"{run}.csv"
        if not place.exists():
            columns = measure(run, seed)
            with place.open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(columns)
                writer.writerows([f"{value:.6g}" for value in row] for row in zip(*columns.values(), strict=True))
    return folder / "arms.yaml"


def judge(outcome: CalibrationOutcome) -> list[str]:
    """What is not within its bounds; prints all numbers."""
    bar = load_vehicle("npost-12").arms.torsion_bar  # type: ignore[union-attr]
    faults = []
    stops = outcome.bands.pop("stops")
    print(f"stops: {1000.0 * stops.value[0]:.2f} +- {1000.0 * stops.half[0]:.2f} mm")
    for name, band in outcome.bands.items():
        side, kind = name.split()
        truth = (1.0 if side == "left" else RIGHT) * calc_start(getattr(bar, kind), band.x)
        known = band.is_determined & (np.abs(truth) > 1e-9)
        errors = np.abs(band.value[known] / truth[known] - 1.0)
        worst = float(np.max(errors, initial=0.0))
        told = band.x[known]
        where = f"{told.min():.3f} to {told.max():.3f}" if len(told) else "nowhere"
        print(f"{name}: determined {where}, excited {band.excited}, worst error {100.0 * worst:.1f} %")
        if worst > CURVES or not len(told):
            faults.append(f"{name}: {100.0 * worst:.1f} %")
    for held_out in (False, True):
        before, after = (outcome.find_error(held_out=held_out, is_after=is_after) for is_after in (False, True))
        form = outcome.find_error(held_out=held_out, key="form")
        print(f"held out {held_out}: magnitude {100 * before:.1f} % to {100 * after:.1f} %, form {100 * form:.1f} %")
    if not outcome.find_error(held_out=True) <= HELD_OUT:
        faults.append("held-out runs")
    return faults


def main() -> int:
    """Make the truth, find it, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, help="folder for all files")
    parser.add_argument("--workers", type=int)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = words.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        path = write_case(folder)
        began = time.perf_counter()
        calibration = gr.load_calibration(path)
        outcome = gr.calibrate(calibration, folder / "arms.calibration", workers=words.workers, say=print)
        took = time.perf_counter() - began
        faults = judge(outcome)
        print(f"{outcome.status} after {outcome.steps} steps, {outcome.made} runs, {took:.0f} s")
        faults += [f"{took:.0f} s"] if took > TIME else []
        print("beyond bounds: " + ", ".join(faults) if faults else "all within bounds")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
