"""Settings of a run, with what they must be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real

from grouser.errors import ModelError, check_type

SHORTEST_TIME = 1e-9
"""Shorter times are refused: no vehicle asks for them, and a run would never end [s]."""
MOST_THREADS = 1024
"""Most threads."""
MOST_FRAMES, MOST_STEPS = 10_000_000, 10**12
"""Most frames of a run, and most steps of a given length."""


@dataclass(frozen=True)
class Settings:
    """Settings of a run.

    Attributes
    ----------
    duration : simulated time [s]
    step : time step [s]; None takes the stable step of the model; refused by integrators that choose their steps
    output_interval : time between two frames of the result [s]
    settle : bring the model to rest before the run; None settles models with tracks, tyres or posts. Those with
        tyres then start with the velocities of the model
    threads : that share the steps of explicit runs; None takes one for small models, and as many as there are cores
        where it pays. The same number gives the same result to the last bit, another one to rounding
    """

    duration: float = 10.0
    step: float | None = None
    output_interval: float = 0.01
    settle: bool | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        for name in ("duration", "step", "output_interval"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, check_time(name, value))
        if self.threads is not None:
            object.__setattr__(self, "threads", check_threads(self.threads))
        if self.step is not None and self.step > self.output_interval:
            raise ModelError(
                f"step = {self.step} s is longer than the output_interval, {self.output_interval} s: a frame holds at "
                "least one step"
            )
        if self.output_interval > self.duration:
            raise ModelError(
                f"output_interval = {self.output_interval} s is longer than the duration, {self.duration} s: "
                "no frame would be written"
            )
        for name, most, what in (("output_interval", MOST_FRAMES, "frames"), ("step", MOST_STEPS, "steps")):
            value = getattr(self, name)
            if value is not None and self.duration / value > most:
                raise ModelError(
                    f"a duration of {self.duration:g} s with a {name} of {value:g} s gives more than {most:,} {what}: "
                    f"give a longer {name} or a shorter duration"
                )


def check_threads(value: int) -> int:
    """A number of threads; refused where it is none, or one that no machine has."""
    check_type(value, Integral, "threads", "give a whole number")
    if isinstance(value, bool) or not 1 <= value <= MOST_THREADS:
        raise ModelError(f"threads = {value} must be a whole number from 1 to {MOST_THREADS}")
    return int(value)


def check_time(name: str, value: float) -> float:
    """A time as a plain number, also of numpy's; refused where it is none, or one that no run can have."""
    check_type(value, Real, name, "give a time in seconds")
    if not (SHORTEST_TIME <= value < math.inf):
        raise ModelError(f"{name} = {value} s must be a positive time in seconds, at least {SHORTEST_TIME:g}")
    return float(value)
