"""What all parts of a model share: frozen, strict pydantic classes and the number and vector types."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    ModelWrapValidatorHandler,
    Tag,
    ValidationError,
    model_validator,
)

from grouser.errors import ModelError
from grouser.model.fault import Fault, say_faults, say_value

LARGEST = 1e15
"""No number of a file is larger in magnitude, in SI units: its square and cube still are numbers."""
SMALLEST = 1e-12
"""No positive number of a file is smaller, in SI units."""
LIGHTEST, HEAVIEST = 1e-9, 1e9
"""Range of the masses of bodies [kg]: from a grain of dust to a mountain of ore."""

MOST_POINTS = 500_000
"""Most points of the file of a road: 5 km in steps of 1 cm."""
LONGEST_TITLE, LONGEST_TEXT = 200, 100_000
"""Most characters of the name of a document, and of its description."""

# Text and truth values are never taken for numbers: `mass: "12"` and `mass: true` are mistakes.
Number = Annotated[float, Field(strict=True, ge=-LARGEST, le=LARGEST)]
Positive = Annotated[float, Field(strict=True, ge=SMALLEST, le=LARGEST)]
NonNegative = Annotated[float, Field(strict=True, ge=0, le=LARGEST)]
Mass = Annotated[float, Field(strict=True, ge=LIGHTEST, le=HEAVIEST)]
Count = Annotated[int, Field(strict=True)]
Flag = Annotated[bool, Field(strict=True)]


def _check_title(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty; give a name")
    if not text.isprintable():
        raise ValueError(f"is {say_value(text)}; a name has no control characters and no line breaks")
    if len(text) > LONGEST_TITLE:
        raise ValueError(f"has {len(text)} characters; at most {LONGEST_TITLE} are taken, the rest is a description")
    return text


def _check_description(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("holds half of a character (a lone surrogate), which no file can store; write it anew")
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"has {len(text)} characters; at most {LONGEST_TEXT:,} are taken, so shorten it")
    return text


Title = Annotated[str, AfterValidator(_check_title)]
"""Name of a whole document: printable text of one line."""
Description = Annotated[str, AfterValidator(_check_description)]
"""Free text that a file can store."""

Vec3 = tuple[Number, Number, Number]
Vec6 = tuple[Number, Number, Number, Number, Number, Number]
Quaternion = tuple[Number, Number, Number, Number]
"""Rotation as (w, x, y, z); normalised when used."""

Table = list[tuple[Number, Number]]
"""Points (argument, value), arguments increasing; linear between, constant beyond the ends."""


def _choose_form(value: Any) -> str:
    # One form is chosen by the type of the value, so that a fault speaks of that form alone.
    if isinstance(value, list | tuple):
        return "table"
    if isinstance(value, dict | Input):
        return "input"
    return "expression" if isinstance(value, str) else "number"


def _choose_curve(value: Any) -> str:
    return "table" if isinstance(value, list | tuple) else "number"


Curve = Annotated[Annotated[Number, Tag("number")] | Annotated[Table, Tag("table")], Discriminator(_choose_curve)]
"""A linear coefficient, or a table of (argument, value) through which the law passes; beyond its ends the table goes
on with its last slopes."""


class Part(BaseModel):
    """Base of every part of a model: immutable, no unknown keys, no NaN, no infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Input(Part):
    """A signal that is set from outside while a run goes on: by a `Session`, or from a file before the run.

    Attributes
    ----------
    input : name of the input; it may stand at several places, with the same limits
    start : value until it is set: a number, or a table of (time, value)
    min, max : least and largest value, or None; what is set beyond them is limited to them
    rate : largest change of the value in a second [1/s], or None; then the value follows what is set linearly
    factor : what acts at this place is the value times this
    """

    input: str
    start: Curve = 0.0
    min: Number | None = None
    max: Number | None = None
    rate: Positive | None = None
    factor: Number = 1.0


Signal = Annotated[
    Annotated[Number, Tag("number")]
    | Annotated[str, Tag("expression")]
    | Annotated[Table, Tag("table")]
    | Annotated[Input, Tag("input")],
    Discriminator(_choose_form),
]
"""A function of time: a constant, an arithmetic expression of `t`, a table of (time, value), or an input."""


class Whole(Part):
    """Base of what a file holds as a whole: whatever way it is made, it raises a `ModelError` that lists all faults."""

    @model_validator(mode="wrap")
    @classmethod
    def _refuse_faults(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            whole = handler(data)
        except ValidationError as error:
            faults = say_faults(error, data, cls)
            raise ModelError([*faults, *cls._find_further_faults(faults, data, handler)]) from None
        if found := whole._find_faults():
            raise ModelError(found)
        return whole

    def _find_faults(self) -> list[Fault]:
        """Faults that no field can see by itself."""
        raise NotImplementedError

    @classmethod
    def _find_further_faults(
        cls, faults: list[Fault], data: Any, handler: ModelWrapValidatorHandler[Self]
    ) -> list[Fault]:
        """Faults between the elements that could be read, where some could not; `faults` says which."""
        return []
