"""Terrain: the ground as a height function z(x, y)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from grouser.model.base import NonNegative, Number, Part, Positive, Table, Vec3


class Plane(Part):
    """A plane through a point.

    Attributes
    ----------
    point : a point of the plane [m]
    normal : outward normal, pointing up
    friction : factor on the contact's mu
    """

    type: Literal["plane"] = "plane"
    point: Vec3 = (0.0, 0.0, 0.0)
    normal: Vec3 = (0.0, 0.0, 1.0)
    friction: NonNegative = 1.0


class Profile(Part):
    """Height along X, the same for all y; linear between the points, constant beyond the ends.

    Attributes
    ----------
    points : table of (x, z), x increasing [m]
    friction : factor on the contact's mu
    """

    type: Literal["profile"] = "profile"
    points: Table = Field(min_length=2)
    friction: NonNegative = 1.0


class Grid(Part):
    """Heights on a regular grid, bilinear between, constant beyond the edge.

    Attributes
    ----------
    origin : x, y of the first corner [m]
    spacing : grid spacing along x and y [m]
    heights : rows along x, columns along y [m]
    friction : factor on the contact's mu
    """

    type: Literal["grid"] = "grid"
    origin: tuple[Number, Number]
    spacing: tuple[Positive, Positive]
    heights: list[list[Number]]
    friction: NonNegative = 1.0


Terrain = Annotated[Plane | Profile | Grid, Field(discriminator="type")]
