"""Frames reach the disk in time, however long the next one takes."""

from __future__ import annotations

import time as clock
from pathlib import Path

import pytest

import grouser as gr
from grouser.result.result import load_result

LOST = 0.5
"""Longest wall time that a kill may lose [s]."""


@pytest.mark.parametrize("waits", [[0.01] * 150, [0.3] * 8, [0.05] * 20 + [0.6] * 4], ids=["fast", "slow", "slower"])
def test_frames_are_on_disk_within_half_a_second(tmp_path: Path, waits: list[float]) -> None:
    builder = gr.ModelBuilder("stone")
    builder.add_body("stone", 1.0, (0.1, 0.1, 0.1), velocity=(1, 0, 3))
    path = tmp_path / "stone.h5"
    made: list[float] = []

    def look(phase: str, time: float, end: float) -> None:
        if phase != "running":
            return
        due = sum(clock.monotonic() - one > LOST for one in made)
        with load_result(path) as result:
            stored = len(result.time) - 1  # the first frame is the start
        if not made or waits[len(made) - 1] < LOST:
            assert stored >= due
        elif waits[len(made) - 2] > LOST:  # one took long, so the next may not wait for another such
            assert stored == len(made) + 1
        made.append(clock.monotonic())
        clock.sleep(waits[len(made) - 1])

    interval = 0.01
    gr.simulate(
        builder.build(), duration=interval * len(waits), output_interval=interval, out=path, progress=look
    ).close()
    assert len(made) == len(waits)
