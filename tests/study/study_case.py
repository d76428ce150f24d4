"""A small study of a swinging rod, and its process."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

PENDULUM = """\
grouser: 1
kind: model
name: pendulum
bodies:
  rod: {mass: 2, inertia: [0.17, 0.17, 0.001], position: [0.5, 0, 0]}
joints:
  hinge:
    type: revolute
    frame_a: {body: world, orientation: [1, -1, 0, 0]}
    frame_b: {body: rod, position: [-0.5, 0, 0], orientation: [1, -1, 0, 0]}
"""
STUDY = """\
grouser: 1
kind: study
name: swings
base: {vehicle: pendulum.yaml, preset: penalty, duration: DURATION}
factors:
  mass: {path: bodies.rod.mass, low: 1.0, high: 3.0, levels: LEVELS}
responses:
  lowest: {take: min, of: rod.position.z}
  speed: {take: max, of: "sqrt([rod.velocity.x]^2 + [rod.velocity.z]^2)"}
  residual: {summary: energy_residual}
"""
PATIENCE = 120.0
"""Longest wait for a process [s]."""


def write_study(folder: Path, *, levels: int = 3, duration: float = 0.1, more: str = "") -> Path:
    """The files of the study in a folder."""
    (folder / "pendulum.yaml").write_text(PENDULUM)
    path = folder / "swings.yaml"
    path.write_text(STUDY.replace("LEVELS", str(levels)).replace("DURATION", str(duration)) + more)
    return path


def start(path: Path, *words: str) -> subprocess.Popen[str]:
    """The command line of the study in a process of its own."""
    command = [sys.executable, "-m", "grouser", "study", str(path), "--workers", "1", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def wait_until(what: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
    """Wait for something, while a process goes on."""
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end, "it never came"
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.01)


def count_rows(folder: Path) -> int:
    """Rows that are kept in the folder of a study."""
    return len(list((folder / "rows").glob("*.json")))
