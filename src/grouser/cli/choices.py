"""Values of options, judged before anything long begins."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grouser.errors import ModelError
from grouser.settings import MOST_FRAMES, MOST_STEPS, SHORTEST_TIME

if TYPE_CHECKING:
    from grouser.model.model import Model
    from grouser.presets import Preset

OUTPUT_INTERVAL = 0.01
"""Time between two frames if nothing is said [s]."""


@dataclass(frozen=True)
class Times:
    """Times of a run [s]; a step of None is found from the model."""

    duration: float
    step: float | None
    output_interval: float


def choose_times(duration: float, step: float | None, output_interval: float | None) -> Times:
    """Times of a run [s]; a run shorter than the usual output interval has one frame at its end."""
    check_times({"--duration": duration, "--step": step, "--output-interval": output_interval})
    interval = min(OUTPUT_INTERVAL, duration) if output_interval is None else output_interval
    faults = []
    if interval > duration:
        faults.append(f"--output-interval is {interval:g} s, longer than the duration of {duration:g} s: shorten it")
    if step is not None and step > interval * (1.0 + 1e-9):
        faults.append(
            f"--step is {step:g} s, larger than the output interval of {interval:g} s: make the step smaller or give "
            "a longer --output-interval"
        )
    if duration / interval > MOST_FRAMES:
        faults.append(
            f"a duration of {duration:g} s with a frame every {interval:g} s gives more than {MOST_FRAMES:,} frames: "
            "give a longer --output-interval"
        )
    if step is not None and duration / step > MOST_STEPS:
        faults.append(
            f"a duration of {duration:g} s with a --step of {step:g} s gives more than {MOST_STEPS:,} steps: give a "
            "longer step or a shorter --duration"
        )
    if faults:
        raise ModelError(faults)
    return Times(duration, step, interval)


def check_times(times: Mapping[str, float | None]) -> None:
    """Refuse times [s], by the name of their option, that are no positive numbers; None is not judged."""
    faults = [
        f"{name} is {value:g} s; it must be a positive time, at least {SHORTEST_TIME:g} s"
        for name, value in times.items()
        if value is not None and not (math.isfinite(value) and value >= SHORTEST_TIME)
    ]
    if faults:
        raise ModelError(faults)


def choose_preset(chosen: str | Preset, pin_stiffness: float | None, pin_damping: float | None) -> Preset:
    """A preset, or that of a name, its track pins with another stiffness [N/m] or damping [N s/m] if given.

    The rotational values of bushings change in proportion.
    """
    from grouser.compile.realization import Bushing, Penalty
    from grouser.presets import TRACK_PINS, find_preset

    preset = find_preset(chosen) if isinstance(chosen, str) else chosen
    if pin_stiffness is None and pin_damping is None:
        return preset
    faults = [
        f"{option} is {value:g} {unit}; it must be positive"
        for option, value, unit in (
            ("--pin-stiffness", pin_stiffness, "N/m"),
            ("--pin-damping", pin_damping, "N s/m"),
        )
        if value is not None and not (math.isfinite(value) and value > 0)
    ]
    if faults:
        raise ModelError(faults)
    pins = preset.realizations.get(TRACK_PINS)
    if isinstance(pins, Penalty):
        k = pins.k if pin_stiffness is None else pin_stiffness
        c = pins.c if pin_damping is None else pin_damping
        return preset.with_realization(TRACK_PINS, replace(pins, k=k, c=c))
    if isinstance(pins, Bushing):
        stiffness = _scale(pins.stiffness, pin_stiffness)
        damping = _scale(pins.damping, pin_damping)
        return preset.with_realization(TRACK_PINS, Bushing(stiffness=stiffness, damping=damping))
    raise ModelError(
        f"--pin-stiffness, --pin-damping: the preset {preset.name!r} has no stiffness of its pins to replace"
    )


def check_pins(model: Model, pin_stiffness: float | None, pin_damping: float | None) -> None:
    """Refuse a stiffness or damping of pins for a model that has none."""
    from grouser.presets import TRACK_PINS

    is_asked = pin_stiffness is not None or pin_damping is not None
    if is_asked and not any(joint.group == TRACK_PINS for joint in model.joints.values()):
        option = "--pin-damping" if pin_stiffness is None else "--pin-stiffness"
        raise ModelError(f"{option}: the model {model.name!r} has no joints of the group {TRACK_PINS!r}")


def _scale(values: tuple[float, ...], first: float | None) -> tuple[float, ...]:
    """Six values in proportion, such that the first is as given."""
    return values if first is None else tuple(value * first / values[0] for value in values)
