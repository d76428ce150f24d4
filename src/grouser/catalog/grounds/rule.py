"""What all rules have that make a ground."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grouser.model.base import NonNegative, Part
from grouser.model.fault import Fault, Path
from grouser.model.terrain import Grid, Terrain

LEVEL = 1000.0
"""Level ground before and behind an obstacle [m]."""


class GroundRule(Part):
    """What all of them have.

    Attributes
    ----------
    friction : factor on the contact's mu
    """

    friction: NonNegative = 1.0

    def make_terrain(self) -> Terrain:
        """The terrain."""
        raise NotImplementedError

    def find_faults(self, path: Path) -> Iterator[Fault]:
        """What the fields cannot see by themselves."""
        yield from ()


def make_sides_grid(
    start: float, cell: float, left: np.ndarray, right: np.ndarray, track: float, friction: float
) -> Grid:
    """The grid of the heights of both sides, one each `cell` from x = `start` on [m]. The middle two of its four
    columns lie at the tracks, which are `track` apart."""
    return Grid(
        origin=(start, -1.5 * track),
        spacing=(cell, track),
        heights=np.round(np.column_stack([right, right, left, left]), 6).tolist(),
        friction=friction,
    )
