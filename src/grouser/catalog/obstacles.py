"""Obstacles across level ground: bump, trough, ramp, sine, and any profile of a file.

All start level at z = 0 and run along X. An obstacle of height h and length l begins at x0; with u = (x - x0)/l,

    bump     z = h sin(pi u)                      0 <= u <= 1, then level                 (1)
    trough   z = -h sin(pi u)                     the same, dug out                       (2)
    ramp     z = h u                              0 <= u <= 1, then level at h            (3)
    sine     z = h/2 sin(pi u)                    a number of waves of 2 l, then level    (4)

so that all of them have the same height from their lowest to their highest point, and rises and hollows of the same
length. The paper (S1, Table 2) names four such profiles; its table is lost, and these are ours.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from grouser.errors import check_path
from grouser.model.base import Count, NonNegative, Number, Part, Positive
from grouser.model.profile_file import load_points
from grouser.model.terrain import Profile

PIECES = 200
"""Straight pieces by which half a wave is drawn; the largest error of height is 3.1e-5 of its height."""
LEVEL = 1000.0
"""Level ground before and behind an obstacle [m]."""


class Obstacle(Part):
    """What all obstacles have.

    Attributes
    ----------
    height : from the lowest point to the highest [m]
    length : of the obstacle, or of half a wave [m]
    start : place x where it begins [m]; it is level before
    friction : factor on the contact's mu
    """

    height: Positive
    length: Positive
    start: Number = 5.0
    friction: NonNegative = 1.0


class Bump(Obstacle):
    """A rise of half a wave (1)."""

    type: Literal["bump"] = "bump"


class Trough(Obstacle):
    """A hollow of half a wave (2)."""

    type: Literal["trough"] = "trough"


class Ramp(Obstacle):
    """A slope up to a higher level (3)."""

    type: Literal["ramp"] = "ramp"


class Sine(Obstacle):
    """Waves (4).

    Attributes
    ----------
    waves : their number
    """

    type: Literal["sine"] = "sine"
    waves: Annotated[Count, Field(ge=1, le=1000)] = 3


def make_profile(obstacle: Bump | Trough | Ramp | Sine) -> Profile:
    """The ground with an obstacle, straight pieces of height over distance.

    >>> make_profile(Bump(height=0.2, length=2.0)).points[101]
    (6.0, 0.2)
    """
    start, length, height = obstacle.start, obstacle.length, obstacle.height
    halves, last = (2 * obstacle.waves if isinstance(obstacle, Sine) else 1), 0.0
    u = np.linspace(0.0, halves, PIECES * halves + 1)
    if isinstance(obstacle, Ramp):
        u, z, last = np.array([0.0, 1.0]), np.array([0.0, height]), height
    elif isinstance(obstacle, Sine):
        z = 0.5 * height * np.sin(np.pi * u)
    else:
        z = height * np.sin(np.pi * u) * (-1.0 if isinstance(obstacle, Trough) else 1.0)
    z[0], z[-1] = 0.0, last
    inner = list(zip((start + length * u).tolist(), z.tolist(), strict=True))
    return Profile(points=[(start - LEVEL, 0.0), *inner, (inner[-1][0] + LEVEL, last)], friction=obstacle.friction)


def load_profile(path: str | os.PathLike[str], *, friction: float = 1.0) -> Profile:
    """A road from a text file with columns x and z in m; see `grouser.model.profile_file`."""
    check_path(path, "profile")
    return Profile(points=load_points(Path(path)), friction=friction)
