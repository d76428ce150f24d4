"""Responses: the numbers that a study asks of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.errors import ResultError, say_unknown
from grouser.model.expression import calc_channel_expression, find_channel_names
from grouser.result.rainflow import calc_damage
from grouser.result.result import Result
from grouser.result.ride import calc_signal_ride
from grouser.study.experiment import Response

Array = NDArray[np.float64]
RIDE = ("absorbed_power", "weighted_rms", "vdv")
"""What is taken of an acceleration as a person feels it."""


def calc_responses(responses: Mapping[str, Response], result: Result) -> dict[str, float]:
    """All responses of a run; NaN where a summary tells none."""
    return {name: calc_response(name, response, result) for name, response in responses.items()}


def calc_response(name: str, response: Response, result: Result) -> float:
    """One response of a run."""
    if response.summary is not None:
        return _find_number(name, response.summary, result.summary)
    assert response.of is not None
    values = calc_course(f"response {name!r}", response.of, result)
    start = -math.inf if response.start is None else response.start
    end = math.inf if response.end is None else response.end
    if response.take in RIDE:
        return _rate(name, response, result.time, values)
    inside = (result.time >= start) & (result.time <= end)
    if not inside.any():
        raise ResultError(
            f"response {name!r}: the run has no frame from {start:g} to {end:g} s, its frames go to "
            f"{_find_end(result):g} s: change start or end"
        )
    return take(name, response, result.time[inside], values[inside])


def calc_course(who: str, of: str, result: Result) -> Array:
    """Values of a channel, or of an expression of channels, at all frames; `who` asks for them, in messages."""
    channels = {channel: _read_course(who, channel, result) for channel in find_channel_names(of)}
    return calc_channel_expression(of, result.time, channels)


def take(name: str, response: Response, time: Array, values: Array) -> float:
    """What a response takes of a course of values at times [s]. All frames count alike."""
    match response.take:
        case "max":
            return float(np.max(values))
        case "min":
            return float(np.min(values))
        case "mean":
            return float(np.mean(values))
        case "rms":
            return float(np.sqrt(np.mean(values**2)))
        case "percentile":
            return float(np.percentile(values, response.percent or 0.0))
        case "damage":
            assert response.strength is not None and response.exponent is not None
            return calc_damage(values, response.strength, response.exponent)
    assert response.time is not None
    if not time[0] <= response.time <= time[-1] * (1.0 + 1e-12):
        raise ResultError(
            f"response {name!r}: time is {response.time:g} [s], but the frames that count go from {time[0]:g} to "
            f"{time[-1]:g} s: choose a time between them"
        )
    return float(np.interp(response.time, time, values))


def _rate(name: str, response: Response, time: Array, values: Array) -> float:
    """What a person feels of an acceleration [m/s^2]; what was before the start still rings in it."""
    start = -math.inf if response.start is None else response.start
    end = math.inf if response.end is None else response.end
    try:
        found = calc_signal_ride(
            time, values, str(response.of), weighting=response.weighting or "Wk", start=start, end=end
        )
    except ResultError as error:
        raise ResultError(f"response {name!r}: {error}") from None
    return float(getattr(found, str(response.take)))


def check_responses(responses: Mapping[str, Response], result: Result) -> None:
    """Refuse responses that runs of this kind cannot give; `result` is a run of any length."""
    for name, response in responses.items():
        if response.summary is not None:
            _find_number(name, response.summary, result.summary)
        for channel in () if response.of is None else find_channel_names(response.of):
            _read_course(f"response {name!r}", channel, result)


def _read_course(who: str, channel: str, result: Result) -> Array:
    try:
        values = result[channel]
    except ResultError as error:
        raise ResultError(f"{who}: {error}") from None
    if values.ndim > 1:
        components = ", ".join(f"{channel}.{one}" for one in result.channels[channel].components)
        raise ResultError(f"{who}: {channel!r} has several components: name one of {components}")
    return np.asarray(values, dtype=np.float64)


def _find_number(name: str, path: str, summary: Mapping[str, Any]) -> float:
    """A number of a summary; names of elements in the path may have dots themselves."""
    found = _find_entry(summary, path)
    if found is _ABSENT:
        raise ResultError(f"response {name!r}: {say_unknown('number of the summary', path, _list_numbers(summary))}")
    if found is None:
        return math.nan
    if not isinstance(found, bool | int | float):
        raise ResultError(f"response {name!r}: {path!r} of the summary is no number: name another one")
    return float(found)


_ABSENT = object()


def _find_entry(here: Any, path: str) -> Any:
    if not isinstance(here, Mapping):
        return _ABSENT
    if path in here:
        return here[path]
    for key, inner in here.items():
        if path.startswith(f"{key}.") and (found := _find_entry(inner, path[len(key) + 1 :])) is not _ABSENT:
            return found
    return _ABSENT


def _list_numbers(summary: Mapping[str, Any], above: str = "") -> list[str]:
    names = []
    for key, value in summary.items():
        if isinstance(value, Mapping):
            names += _list_numbers(value, f"{above}{key}.")
        elif value is None or isinstance(value, int | float):
            names.append(f"{above}{key}")
    return names


def _find_end(result: Result) -> float:
    return float(result.time[-1]) if len(result.time) else 0.0
