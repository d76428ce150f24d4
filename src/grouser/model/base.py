"""What all parts of a model share: frozen, strict pydantic classes and the number and vector types."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

# Text and truth values are never taken for numbers: `mass: "12"` and `mass: true` are mistakes.
Number = Annotated[float, Field(strict=True)]
Positive = Annotated[float, Field(strict=True, gt=0)]
NonNegative = Annotated[float, Field(strict=True, ge=0)]
Count = Annotated[int, Field(strict=True)]
Flag = Annotated[bool, Field(strict=True)]

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
    return "expression" if isinstance(value, str) else "number"


def _choose_curve(value: Any) -> str:
    return "table" if isinstance(value, list | tuple) else "number"


Signal = Annotated[
    Annotated[Number, Tag("number")] | Annotated[str, Tag("expression")] | Annotated[Table, Tag("table")],
    Discriminator(_choose_form),
]
"""A function of time: a constant, an arithmetic expression of `t`, or a table of (time, value)."""

Curve = Annotated[Annotated[Number, Tag("number")] | Annotated[Table, Tag("table")], Discriminator(_choose_curve)]
"""A linear coefficient, or a table of (argument, value) through which the law passes; beyond its ends the table goes
on with its last slopes."""


class Part(BaseModel):
    """Base of every part of a model: immutable, no unknown keys, no NaN, no infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
