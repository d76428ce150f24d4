"""Obstacles across level ground, the same for both sides: bumps, ditches, steps, gaps, logs; and side slopes.

All begin at x0, level at z = 0, and run along X. With u = x - x0, height h, length l,

    bump     z = h sin(pi u/l)                    0 <= u <= l, then level                 (1)
    trough   z = -h sin(pi u/l)                   the same, dug out                       (2)
    ramp     z = h u/l                            0 <= u <= l, then level at h            (3)
    sine     z = h/2 sin(pi u/l)                  a number of waves of 2 l, then level    (4)

so that these four have the same height from their lowest to their highest point, and rises and hollows of the same
length. The paper (S1, Table 2) names four such profiles; its table is lost, and these are ours. The others are straight
lines between corners, and half a circle on a wall, the upper half of a log of radius r that lies on the ground:

    log      z = r + sqrt(r^2 - (u - r)^2)        0 <= u <= 2 r                           (5)

The ground is a height over x, so no wall is upright: walls lean by `face`, which should be more than what runs into
them is pressed in.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from grouser.catalog.grounds.rule import LEVEL, GroundRule
from grouser.errors import check_path
from grouser.model.base import Count, Number, Positive
from grouser.model.fault import Fault, make_fault
from grouser.model.fault import Path as FaultPath
from grouser.model.profile_file import load_points
from grouser.model.terrain import Grid, Profile, Terrain

PIECES = 200
"""Straight pieces by which half a wave is drawn; the largest error of height is 3.1e-5 of its height."""
LOG_PIECES = 32
"""Straight pieces of the upper half of a log."""
SLOPE_PIECES = 60
"""Straight pieces along the way by which a side slope comes to lean."""

Outline = list[tuple[float, float]]
"""Corners (u, z) from (0, 0) on [m]."""


class Obstacle(GroundRule):
    """What all obstacles have.

    Attributes
    ----------
    start : place x where it begins [m]; it is level before
    """

    start: Number = 5.0

    def make_outline(self) -> Outline:
        """Corners from where it begins; ground goes on level behind the last one."""
        raise NotImplementedError

    def make_terrain(self) -> Terrain:
        inner = [(self.start + u, z) for u, z in self.make_outline()]
        end = inner[-1]
        return Profile(
            points=[(self.start - LEVEL, 0.0), *inner, (end[0] + LEVEL, end[1])],
            friction=self.friction,
        )


class Wave(Obstacle):
    """What obstacles have that are made of waves, or are as long as half of one.

    Attributes
    ----------
    height : from the lowest point to the highest [m]
    length : of the obstacle, or of half a wave [m]
    """

    height: Positive
    length: Positive

    def _draw(self, halves: int, height: float) -> Outline:
        u = np.linspace(0.0, halves, PIECES * halves + 1)
        z = height * np.sin(np.pi * u)
        z[0] = z[-1] = 0.0
        return list(zip((self.length * u).tolist(), z.tolist(), strict=True))


class Bump(Wave):
    """A rise of half a wave (1)."""

    type: Literal["bump"] = "bump"

    def make_outline(self) -> Outline:
        return self._draw(1, self.height)


class Trough(Wave):
    """A hollow of half a wave (2)."""

    type: Literal["trough"] = "trough"

    def make_outline(self) -> Outline:
        return self._draw(1, -self.height)


class Ramp(Wave):
    """A slope up to a higher level (3)."""

    type: Literal["ramp"] = "ramp"

    def make_outline(self) -> Outline:
        return [(0.0, 0.0), (self.length, self.height)]


class Sine(Wave):
    """Waves (4).

    Attributes
    ----------
    waves : their number
    """

    type: Literal["sine"] = "sine"
    waves: Annotated[Count, Field(ge=1, le=1000)] = 3

    def make_outline(self) -> Outline:
        return self._draw(2 * self.waves, 0.5 * self.height)


class Trapezoid(Obstacle):
    """A bump with a level top between two straight ramps.

    Attributes
    ----------
    height : [m]
    ramp : length of each ramp along the ground [m]
    top : length of the top [m]
    """

    type: Literal["trapezoid"] = "trapezoid"
    height: Positive
    ramp: Positive
    top: Positive

    def make_outline(self) -> Outline:
        return _draw_trapezoid(self.height, self.ramp, self.top)


class Ditch(Obstacle):
    """A trapezoid dug out.

    Attributes
    ----------
    depth : [m]
    ramp : length of each ramp along the ground [m]
    bottom : length of the level bottom [m]
    """

    type: Literal["ditch"] = "ditch"
    depth: Positive
    ramp: Positive
    bottom: Positive

    def make_outline(self) -> Outline:
        return _draw_trapezoid(-self.depth, self.ramp, self.bottom)


class Step(Obstacle):
    """A wall up to a higher level.

    Attributes
    ----------
    height : [m]
    face : length along the ground by which the wall leans [m]
    """

    type: Literal["step"] = "step"
    height: Positive
    face: Positive = 0.05

    def make_outline(self) -> Outline:
        return [(0.0, 0.0), (self.face, self.height)]


class VDitch(Obstacle):
    """A ditch whose two slopes meet at its bottom.

    Attributes
    ----------
    depth : [m]
    width : from edge to edge [m]
    """

    type: Literal["v-ditch"] = "v-ditch"
    depth: Positive
    width: Positive

    def make_outline(self) -> Outline:
        return [(0.0, 0.0), (0.5 * self.width, -self.depth), (self.width, 0.0)]


class Gap(Obstacle):
    """A trench with steep walls.

    Attributes
    ----------
    width : from edge to edge [m]
    depth : [m]; deep enough that nothing touches the bottom
    face : length along the ground by which each wall leans [m]
    """

    type: Literal["gap"] = "gap"
    width: Positive
    depth: Positive = 2.0
    face: Positive = 0.05

    def make_outline(self) -> Outline:
        return _draw_trapezoid(-self.depth, self.face, self.width - 2.0 * self.face)

    def find_faults(self, path: FaultPath) -> Iterator[Fault]:
        if self.width <= 2.0 * self.face:
            yield make_fault(
                (*path, "width"),
                f"is {self.width:g} m, but both walls lean by {self.face:g} m, so they meet; give a wider gap or a "
                "smaller face",
            )


class Log(Obstacle):
    """A log that lies across the way (5).

    Attributes
    ----------
    radius : half of its height [m]
    face : length along the ground by which its sides lean below the middle of the log [m]
    """

    type: Literal["log"] = "log"
    radius: Annotated[Number, Field(ge=0.001, le=2)] = 0.2
    face: Positive = 0.02

    def make_outline(self) -> Outline:
        angles = np.linspace(np.pi, 0.0, LOG_PIECES + 1)
        arc = self.face + self.radius * (1.0 + np.cos(angles)), self.radius * (1.0 + np.sin(angles))
        return [(0.0, 0.0), *zip(arc[0].tolist(), arc[1].tolist(), strict=True), (2 * (self.face + self.radius), 0.0)]


class Slope(Obstacle):
    """A grade without an end.

    Attributes
    ----------
    grade : rise over the way along the ground [-]; 0.3 is a slope of 30 %
    """

    type: Literal["slope"] = "slope"
    grade: Annotated[Number, Field(ge=-2, le=2)] = 0.3

    def make_terrain(self) -> Terrain:
        ends = (self.start - LEVEL, 0.0), (self.start, 0.0), (self.start + LEVEL, self.grade * LEVEL)
        return Profile(points=list(ends), friction=self.friction)


class SideSlope(GroundRule):
    """Ground that is level along the x axis and rises to the left of it.

    Attributes
    ----------
    grade : rise over the way across [-]; 0.3 is a slope of 30 %
    start : place x where it begins to lean [m]; it is level before
    run_in : length over which it comes to lean [m]
    """

    type: Literal["side-slope"] = "side-slope"
    grade: Annotated[Number, Field(ge=-2, le=2)] = 0.3
    start: Number = 5.0
    run_in: Annotated[Number, Field(ge=0.1, le=1000)] = 15.0

    def make_terrain(self) -> Terrain:
        share = np.linspace(0.0, 1.0, SLOPE_PIECES + 1)
        lean = self.grade * share**2 * (3.0 - 2.0 * share)
        return Grid(
            origin=(self.start, -LEVEL),
            spacing=(self.run_in / SLOPE_PIECES, 2.0 * LEVEL),
            heights=np.outer(lean, [-LEVEL, LEVEL]).tolist(),
            friction=self.friction,
        )


def _draw_trapezoid(height: float, ramp: float, level: float) -> Outline:
    return [(0.0, 0.0), (ramp, height), (ramp + level, height), (2.0 * ramp + level, 0.0)]


def load_profile(path: str | os.PathLike[str], *, friction: float = 1.0) -> Profile:
    """A road from a text file with columns x and z in m; see `grouser.model.profile_file`."""
    check_path(path, "profile")
    return Profile(points=load_points(Path(path)), friction=friction)
