"""The small model of these tests, and what running a command line gives."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

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
"""A rod that falls from the horizontal about the axis Y."""


@dataclass(frozen=True)
class Outcome:
    """What a command line gave."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Within it, what takes longer [s] is an error; what compiled code does can only be told afterwards."""

    def stop(number: int, frame: object) -> None:
        raise AssertionError(f"takes more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
