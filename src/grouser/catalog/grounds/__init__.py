"""Grounds of scenarios that are made by rule, or of the files of roads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from grouser.catalog.grounds.lanes import HalfRound, Pothole, Washboard
from grouser.catalog.grounds.obstacles import (
    Bump,
    Ditch,
    Gap,
    Log,
    Ramp,
    SideSlope,
    Sine,
    Slope,
    Step,
    Trapezoid,
    Trough,
    VDitch,
)
from grouser.catalog.grounds.opencrg import OpenCrg
from grouser.catalog.grounds.roads import Course, Road
from grouser.model.fault import Fault, Path
from grouser.model.terrain import Grid, Plane, Profile, Terrain

__all__ = ["Ground", "find_ground_faults", "make_ground"]

Rule = (
    Road
    | Course
    | OpenCrg
    | HalfRound
    | Washboard
    | Pothole
    | Bump
    | Trough
    | Ramp
    | Sine
    | Trapezoid
    | Ditch
    | Step
    | VDitch
    | Gap
    | Log
    | Slope
    | SideSlope
)
"""What makes a terrain."""

Ground = Annotated[Plane | Profile | Grid | Rule, Field(discriminator="type")]
"""A terrain, or a rule that makes one."""


def make_ground(ground: Plane | Profile | Grid | Rule) -> Terrain:
    """The terrain of a scenario."""
    return ground.make_terrain() if isinstance(ground, Rule) else ground


def find_ground_faults(path: Path, ground: Plane | Profile | Grid | Rule) -> Iterator[Fault]:
    """What the fields of a rule cannot see by themselves."""
    if isinstance(ground, Rule):
        yield from ground.find_faults(path)
