"""Settings of a run, with what they must be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

from grouser.errors import ModelError, check_type


@dataclass(frozen=True)
class Settings:
    """Settings of a run.

    Attributes
    ----------
    duration : simulated time [s]
    step : time step [s]; None takes the stable step of the model; refused by integrators that choose their steps
    output_interval : time between two frames of the result [s]
    settle : bring the model to rest before the run; None settles models with tracks or tyres. Those with
        tyres then start with the velocities of the model
    """

    duration: float = 10.0
    step: float | None = None
    output_interval: float = 0.01
    settle: bool | None = None

    def __post_init__(self) -> None:
        for name in ("duration", "step", "output_interval"):
            value = getattr(self, name)
            if value is None:
                continue
            check_type(value, Real, name, "give a time in seconds")
            if not (math.isfinite(value) and value > 0):
                raise ModelError(f"{name} = {value} s must be a positive time in seconds")
            object.__setattr__(self, name, float(value))  # numbers of numpy become plain ones
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
