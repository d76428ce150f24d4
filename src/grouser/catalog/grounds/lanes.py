"""Obstacles that may differ between the left and the right track: rows of half-round bumps, washboards, potholes.

Where both sides are alike the ground is a profile. Else it is a grid with four columns, whose middle two lie at the
tracks: heights are those of the left side from half of the track distance on, and change over between the tracks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from grouser.catalog.grounds.rule import GroundRule, make_sides_grid
from grouser.model.base import MOST_POINTS, Count, NonNegative, Number, Positive
from grouser.model.fault import Fault, Path, make_fault
from grouser.model.terrain import Grid, Profile, Terrain

PIECES = 32
"""Straight pieces of a half-round obstacle."""
WAVE_PIECES = 40
"""Straight pieces of a wave; the largest error of height is 0.3 % of half the height."""
CELLS = 32
"""Cells of a grid along the shortest piece of ground that it shows: a bump, half a wave, the edge of a hole."""

Line = list[tuple[float, float]]


class Lanes(GroundRule):
    """What obstacles have that may differ between the sides.

    Attributes
    ----------
    track : distance of the two tracks across, if the sides differ [m]
    """

    track: Positive = 2.0

    def make_lines(self) -> tuple[Line, Line]:
        """Corners (x, z) of the left and of the right side [m]."""
        raise NotImplementedError

    def find_cell(self) -> float:
        """Length of the cells of a grid, if one is needed [m]."""
        raise NotImplementedError

    def make_terrain(self) -> Terrain:
        left, right = self.make_lines()
        if left == right:
            return Profile(points=left, friction=self.friction)
        return make_lane_grid(left, right, self.find_cell(), self.track, self.friction)

    def find_faults(self, path: Path) -> Iterator[Fault]:
        left, right = self.make_lines()
        for line in (left, right):
            if any(after[0] <= before[0] for before, after in pairwise(line)):
                yield make_fault(path, self._say_crowded())
                return
        length = max(left[-1][0], right[-1][0]) - min(left[0][0], right[0][0])
        if left != right and length / self.find_cell() > MOST_POINTS:
            yield make_fault(
                path,
                f"needs a grid of {length / self.find_cell():.3g} rows, one each {self.find_cell():.3g} m; at most "
                f"{MOST_POINTS:,} are taken: make the course shorter, or both sides alike",
            )

    def _say_crowded(self) -> str:
        return "has pieces that overlap; give them more room"


class HalfRound(Lanes):
    """Half-round bumps across level ground.

    Attributes
    ----------
    radius : height of a bump, and half of its length [m]
    position : place x of the middle of the first one [m]
    count : their number
    pitch : distance from one to the next [m]
    offset : by how much the bumps on the right come later than those on the left [m]
    """

    type: Literal["half-round"] = "half-round"
    radius: Annotated[Number, Field(ge=0.001, le=2)] = 0.1
    position: Number = 10.0
    count: Annotated[Count, Field(ge=1, le=1000)] = 1
    pitch: Positive = 2.0
    offset: NonNegative = 0.0

    def make_lines(self) -> tuple[Line, Line]:
        return self._make_line(0.0), self._make_line(self.offset)

    def find_cell(self) -> float:
        return 2.0 * self.radius / CELLS

    def _make_line(self, offset: float) -> Line:
        angles = np.linspace(np.pi, 0.0, PIECES + 1)
        radius, middles = self.radius, [self.position + offset + k * self.pitch for k in range(self.count)]
        arcs = [
            (middle + radius * float(np.cos(a)), max(radius * float(np.sin(a)), 0.0))
            for middle in middles
            for a in angles
        ]
        return [(middles[0] - 2.0 * radius, 0.0), *arcs, (middles[-1] + 2.0 * radius, 0.0)]

    def _say_crowded(self) -> str:
        return f"has bumps {2 * self.radius:g} m long every {self.pitch:g} m, which overlap; give a larger pitch"


class Washboard(Lanes):
    """Waves across the way, as on unpaved roads; they begin and end with a hollow at half their height.

    Attributes
    ----------
    height : from trough to crest [m]
    length : of a wave [m]
    waves : their number
    start : place x where they begin [m]
    shift : by how much of a wave those on the right come later than those on the left, 0 to 1 [-]
    """

    type: Literal["washboard"] = "washboard"
    height: Positive = 0.05
    length: Positive = 0.8
    waves: Annotated[Count, Field(ge=1, le=1000)] = 20
    start: Number = 5.0
    shift: Annotated[Number, Field(ge=0, le=1)] = 0.0

    def make_lines(self) -> tuple[Line, Line]:
        return self._make_line(0.0), self._make_line(self.shift * self.length)

    def find_cell(self) -> float:
        return self.length / (2 * CELLS)

    def _make_line(self, offset: float) -> Line:
        u = np.linspace(0.0, self.waves, WAVE_PIECES * self.waves + 1)
        z = -0.5 * self.height * np.sin(2.0 * np.pi * u)
        z[0] = z[-1] = 0.0
        x = self.start + offset + self.length * u
        before, behind = (float(x[0]) - self.length, 0.0), (float(x[-1]) + self.length, 0.0)
        return [before, *zip(x.tolist(), z.tolist(), strict=True), behind]


class Pothole(Lanes):
    """A hole with a level bottom, on one side or across the way.

    Attributes
    ----------
    depth : [m]
    length : from edge to edge [m]
    edge : length along the ground by which its edges lean [m]
    start : place x where it begins [m]
    side : ``left``, ``right``, or ``both``
    """

    type: Literal["pothole"] = "pothole"
    depth: Positive = 0.1
    length: Positive = 0.8
    edge: Positive = 0.05
    start: Number = 5.0
    side: Literal["left", "right", "both"] = "both"

    def make_lines(self) -> tuple[Line, Line]:
        begin, end = self.start, self.start + self.length
        hole = [(begin, 0.0), (begin + self.edge, -self.depth), (end - self.edge, -self.depth), (end, 0.0)]
        before, behind = (begin - self.length, 0.0), (end + self.length, 0.0)
        level = [before, behind]
        dug = [before, *hole, behind]
        return (level if self.side == "right" else dug), (level if self.side == "left" else dug)

    def find_cell(self) -> float:
        return self.edge / 4.0

    def _say_crowded(self) -> str:
        return f"is {self.length:g} m long with edges of {self.edge:g} m, which meet; give shorter edges"


def make_lane_grid(left: Line, right: Line, cell: float, track: float, friction: float) -> Grid:
    """The grid of two lines of heights; ground goes on level at its ends."""
    begin, end = min(left[0][0], right[0][0]), max(left[-1][0], right[-1][0])
    x = begin + cell * np.arange(int(np.ceil((end - begin) / cell)) + 1)
    left_height, right_height = (np.interp(x, *np.transpose(line)) for line in (left, right))
    return make_sides_grid(float(x[0]), cell, left_height, right_height, track, friction)
