"""What a result file stores as JSON, judged when it is read: a file may be damaged, or made by somebody else.

Values of keys that are known must be of their kind, text where text belongs and numbers where numbers belong. Other
keys are left alone, since they may be those of another version.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grouser.errors import ResultError
from grouser.model.fault import say_path, say_value

Number = Annotated[float, Field(strict=True)]
Amount = Number | None
"""A number, or None where it cannot be told."""
Text = Annotated[str, Field(strict=True)]


class _Stored(BaseModel):
    model_config = ConfigDict(extra="allow")


class StoredEvent(_Stored):
    """An event of a run."""

    time: Number
    kind: Text
    element: Text
    message: Text


class StoredHeader(_Stored):
    """Facts on a run, known before it starts; those that are shown as they are may be anything."""

    duration: Amount = None
    output_interval: Amount = None
    step: Amount = None
    stable_step: Amount = None
    realizations: dict[str, Text] = {}


class StoredPower(_Stored):
    """Energy and power of a run."""

    work: Amount = None
    engine_work: Amount = None
    drive_work: Amount = None
    losses: dict[str, Amount] = {}
    kinetic: Amount = None
    potential: Amount = None
    stored: Amount = None
    mean_power: Amount = None
    peak_power: Amount = None
    work_per_metre: Amount = None
    drive_work_per_metre: Amount = None
    resistance: Amount = None


class StoredSummary(_Stored):
    """Numbers of a run, known when it has ended."""

    doubts: list[Text] = []
    status: Text = ""
    integrator: Text | None = None
    step_warning: Text | None = None
    simulated_time: Number = 0.0
    wall_time: Number = 0.0
    cpu_time: Number = 0.0
    real_time_factor: Amount = None
    step: Amount = None
    stable_step: Amount = None
    steps: Annotated[int, Field(strict=True)] = 0
    rejected_steps: Annotated[int, Field(strict=True)] | None = None
    evaluations: Annotated[int, Field(strict=True)] | None = None
    mean_order: Amount = None
    degrees_of_freedom: Amount = None
    settled: Annotated[bool, Field(strict=True)] = False
    constraint_violation: dict[str, Amount] | None = None
    duration: Amount = None
    distance: Amount = None
    path_length: Amount = None
    displacement: Amount = None
    displacement_forward: Amount = None
    final_speed: Amount = None
    lateral_drift: Amount = None
    yaw_angle: Amount = None
    turn_radius: Amount = None
    slip: Amount = None
    energy_residual: Amount = None
    max_pin_deformation: Amount = None
    mean_link_tension: Amount = None
    p99_link_tension: Amount = None
    p999_link_tension: Amount = None
    max_link_tension: Amount = None
    mean_pin_force: Amount = None
    p99_pin_force: Amount = None
    p999_pin_force: Amount = None
    max_pin_force: Amount = None
    power: StoredPower | None = None
    tracks: dict[str, dict[str, Amount]] = {}
    contacts: dict[str, dict[str, Amount]] = {}
    events: list[StoredEvent] = []


class StoredEnd(_Stored):
    """How a run ended."""

    status: Text
    message: Text = ""
    summary: dict[str, Any] = {}


def check_stored(kind: type[_Stored], content: Any, what: str) -> dict[str, Any]:
    """The content of a JSON document, if its known keys have values of their kind; `what` names it in messages."""
    try:
        kind.model_validate(content)
    except ValidationError as error:
        details = error.errors(include_url=False)[0]
        place = say_path(details["loc"]) or "it"
        raise ResultError(
            f"{what} is damaged: {place} is {say_value(details['input'])} ({details['msg'].lower()})"
        ) from None
    assert isinstance(content, Mapping)
    return dict(content)
