"""Inputs of a model: what is set from outside while a run goes on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from grouser.errors import ModelError, say_unknown
from grouser.model.base import Input
from grouser.model.model import Model
from grouser.model.signal import list_signals


def find_inputs(model: Model) -> dict[str, Input]:
    """Inputs by name, in the order in which they stand in the model."""
    return {signal.input: signal for _, signal, _ in list_signals(model) if isinstance(signal, Input)}


def find_input_units(model: Model) -> dict[str, str]:
    """Units of the inputs by name: those of the first place where each stands."""
    units: dict[str, str] = {}
    for _, signal, unit in list_signals(model):
        if isinstance(signal, Input):
            units.setdefault(signal.input, unit)
    return units


def check_input(name: str, declared: Input, value: object) -> float:
    """A value for an input, within its limits; refused where it is no finite number."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ModelError(f"input {name!r} is set to {value!r}: give a number") from None
    if not math.isfinite(number):
        raise ModelError(f"input {name!r} is set to {number}: give a finite number")
    least = -math.inf if declared.min is None else declared.min
    largest = math.inf if declared.max is None else declared.max
    return min(max(number, least), largest)


def with_inputs(model: Model, values: Mapping[str, Any]) -> Model:
    """A copy in which inputs start with other values: numbers, or tables of (time, value), within their limits."""
    declared = find_inputs(model)
    unknown = [say_unknown("input", name, declared) for name in values if name not in declared]
    if unknown:
        raise ModelError(unknown)

    def limit(name: str, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [(time, check_input(name, declared[name], number)) for time, number in value]
        return check_input(name, declared[name], value)

    limited = {name: limit(name, value) for name, value in values.items()}
    changed = {family: _replace(getattr(model, family), limited) for family in ("motions", "forces", "drivers")}
    return model.with_changes(**changed)


def _replace(value: Any, starts: Mapping[str, Any]) -> Any:
    """A part of a model with other start values of inputs."""
    if isinstance(value, Input):
        return value.model_copy(update={"start": starts[value.input]}) if value.input in starts else value
    if isinstance(value, BaseModel):
        return {name: _replace(field, starts) for name, field in value}
    if isinstance(value, Mapping):
        return {name: _replace(item, starts) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_replace(item, starts) for item in value)
    return value
