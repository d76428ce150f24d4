"""A small rig whose truth is known: a hull that heaves on two arms, each on a post, measured by itself with noise."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

import grouser as gr

ANGLE = np.deg2rad(30.0)
LENGTH, RADIUS, MASS = 0.4, 0.35, 1500.0
TORQUE = 0.5 * MASS * 9.81 * LENGTH * np.cos(ANGLE)
"""Torque about each arm at rest [N m]."""
SIDES = {"left": 1.0, "right": -1.0}
RATE = 205.0


def calc_stiffness(angle: np.ndarray) -> np.ndarray:
    """True torque of a torsion bar over its twist from rest: it gets stiffer upwards."""
    return 9000.0 * angle + 10000.0 * angle**3 + 3000.0 * angle**2


def calc_damping(rate: np.ndarray) -> np.ndarray:
    """True damping torque: steep at first, then nearly linear."""
    return 450.0 * rate + 180.0 * np.tanh(rate / 0.4)


def make_table(law: Any, reach: float, factor: float = 1.0, count: int = 81) -> list[tuple[float, float]]:
    """A law as a table."""
    x = np.linspace(-reach, reach, count)
    return [(float(a), float(factor * b)) for a, b in zip(x, law(x), strict=True)]


def make_rig(
    posts: dict[str, str | list[tuple[float, float]]],
    stiffness: dict[str, Any],
    damping: dict[str, Any],
    friction: float,
) -> gr.Model:
    """The rig: arms hang down behind their pivots by 30 degrees; positive angles lift the wheels."""
    builder = gr.ModelBuilder("two arms")
    height = RADIUS + LENGTH * np.sin(ANGLE)
    hull = builder.add_body("hull", MASS, (600.0, 600.0, 600.0), position=(0.0, 0.0, height))
    builder.add_joint("guide", "prismatic", "world", hull, axis=(0, 0, 1))
    for side, y in SIDES.items():
        pivot = np.array([0.0, y, height])
        tip = pivot + LENGTH * np.array([-np.cos(ANGLE), 0.0, -np.sin(ANGLE)])
        arm = builder.add_body(f"{side}.arm", 30.0, (0.5, 1.0, 1.0), position=tuple(tip))
        builder.add_joint(f"{side}.pivot", "revolute", hull, arm, point=tuple(pivot), axis=(0, 1, 0))
        law = {"stiffness": stiffness[side], "damping": damping[side], "preload": -TORQUE, "free": 0.0}
        builder.add_joint_spring(f"{side}.bar", f"{side}.pivot", friction=friction, friction_velocity=0.02, **law)
        post = builder.add_body(f"{side}.post", 50.0, (5.0, 5.0, 5.0), position=(tip[0], y, 0.0))
        builder.add_joint(f"{side}.slide", "prismatic", "world", post, axis=(0, 0, 1))
        builder.add_motion(f"{side}.lift", f"{side}.slide", position=posts[side])
        ends = {"point_a": tuple(tip), "point_b": (tip[0], y, 0.0)}
        builder.add_spring(f"{side}.wheel", arm, post, stiffness=4.0e5, damping=2.0e3, free=RADIUS + 0.018, **ends)
    return builder.build()


SHAPE = "(step(t, 0.5, 0, 1.5, 1)*step(t, 3.5, 1, 4.5, 0))"
"""Grows smoothly from 0 to 1, and back."""
DURATION = 5.0
RUNS = {
    "slow": ("0.05*S*sin(5.65*(t-0.5))", "0.045*S*sin(7.54*(t-0.5))"),
    "fast": ("0.03*S*sin(10.05*(t-0.5))", "0.04*S*sin(8.8*(t-0.5))"),
    "judge": ("0.05*S*sin(6.9*(t-0.5))", "0.05*S*sin(6.9*(t-0.5))"),
}
"""Heights of the left and of the right post [m]."""
RIGHT = 1.08
"""Stiffness and damping of the right side over those of the left."""
FRICTION = 5.0
NOISE = 0.1
"""Of the sensors [deg]."""
CALIBRATION = """\
grouser: 1
kind: calibration
name: two arms
base: {vehicle: rig.yaml, preset: recursive, settle: true, duration: 5}
reading:
  time: time
  unit: deg
  angles: {L: left.bar.coordinate, R: right.bar.coordinate}
  inputs:
    left post: {path: motions.left.lift.value, unit: mm}
    right post: {path: motions.right.lift.value, unit: mm}
runs:
  slow: {file: slow.csv}
  fast: {file: fast.csv}
  judge: {file: judge.csv, held_out: true}
unknowns:
  left stiffness: &stiffness
    path: forces.left.bar.stiffness
    knots: [-0.15, 0.15, 0.3]
    through: 0
    over: [left.bar.coordinate]
  right stiffness: {<<: *stiffness, path: forces.right.bar.stiffness, over: [right.bar.coordinate]}
  damping:
    path: forces.left.bar.damping
    also: [forces.right.bar.damping]
    odd: true
    knots: [0.3, 1.2, 3]
    over: ["*.bar.rate"]
fit: {tolerance: 0.01}
"""


def make_truth(run: str) -> gr.Model:
    """The rig as it is, in a run."""
    posts = {side: text.replace("S", SHAPE) for side, text in zip(SIDES, RUNS[run], strict=True)}
    stiffness = {side: make_table(calc_stiffness, 0.4, factor) for side, factor in (("left", 1.0), ("right", RIGHT))}
    damping = {side: make_table(calc_damping, 4.0, factor) for side, factor in (("left", 1.0), ("right", RIGHT))}
    return make_rig(posts, stiffness, damping, FRICTION)


def measure(run: str, noise: float = NOISE, seed: int = 1) -> dict[str, np.ndarray]:
    """What sensors tell of a run: times [s], angles [deg] and heights of the posts [mm], by their columns."""
    with gr.simulate(
        make_truth(run), preset="recursive", settle=True, duration=DURATION, output_interval=1.0 / RATE
    ) as result:
        columns = {"time": np.array(result.time)}
        random = np.random.default_rng([seed, *run.encode()])
        for name, side in zip("LR", SIDES, strict=True):
            angle = np.rad2deg(result[f"{side}.bar.coordinate"])
            columns[name] = angle + noise * random.standard_normal(len(angle))
        for side in SIDES:
            columns[f"{side} post"] = 1000.0 * np.array(result[f"{side}.lift.target"])
    return columns


def write_columns(path: Path, columns: dict[str, np.ndarray]) -> None:
    """A CSV file; what is not known is empty."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow("" if np.isnan(value) else f"{value:.6g}" for value in row)


def write_case(folder: Path) -> Path:
    """All files of the calibration; the rig begins with linear bars of the same stiffness on both sides."""
    rig = make_rig(dict.fromkeys(SIDES, "0"), dict.fromkeys(SIDES, 11000.0), dict.fromkeys(SIDES, 900.0), 5.0)
    gr.save_model(rig, folder / "rig.yaml")
    for run in RUNS:
        write_columns(folder / f"{run}.csv", measure(run))
    path = folder / "arms.yaml"
    path.write_text(CALIBRATION)
    return path
