"""Measured roads from OpenCRG files (.crg), in all of its formats, read through PyOpenCRG.

A file has heights z over u, the way along a reference line that may be curved, and v, the way across to the left. Slope
and banking of the line are added by the reader. The ground is a grid over x and y:

    u = u_begin + x - x0,   v = y                      straight lines                     (1)
    (u, v) of the place (x, y) beside the line         curved ones, by the reader         (2)

Heights between the points of a file are bilinear, as those of the grid. So (1) keeps them to rounding where the spacing
is that of the file. Beyond the edges of the road ground goes on with the height of its edge.
"""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from grouser.catalog.grounds.rule import GroundRule
from grouser.errors import ModelError, shorten
from grouser.model.base import MOST_POINTS, NonNegative, Number, Positive
from grouser.model.fault import Fault, make_fault
from grouser.model.fault import Path as FaultPath
from grouser.model.terrain import Grid, Terrain
from grouser.model.text import check_file

STRAIGHT = 1e-6
"""A reference line that leaves its chord by less than this is straight [m]."""

log = logging.getLogger(__name__)


class OpenCrg(GroundRule):
    """A road of an OpenCRG file. It begins at x = `start`, at the height 0, and goes on along X.

    Attributes
    ----------
    path : name of the file, beside the file that names it
    start : place x where the road begins [m]; before, ground is as at its beginning
    begin : way along the road from which on it is taken [m]
    length : how much of it is taken [m], or None for all
    spacing : distance of the heights of the ground along x and y [m], or None for that of the file
    """

    type: Literal["opencrg"] = "opencrg"
    path: str
    start: Number = 0.0
    begin: NonNegative = 0.0
    length: Positive | None = None
    spacing: tuple[Annotated[Number, Field(ge=0.001, le=10)], Annotated[Number, Field(ge=0.001, le=10)]] | None = None

    def make_terrain(self) -> Terrain:
        road = load_road(Path(self.path))
        end = road.length if self.length is None else min(self.begin + self.length, road.length)
        if end - self.begin < 2.0 * road.u_inc:
            raise ModelError(
                f"{self.path}: begin: is {self.begin:g} m, and the road is {road.length:g} m long; begin earlier"
            )
        dx, dy = self._find_spacing(road)
        places = _RoadPlaces(road, self.begin, end)
        (low_x, high_x), (low_y, high_y) = places.find_bounds()
        rows, columns = (_count(low_x, high_x, dx), _count(low_y, high_y, dy))
        if rows * columns > MOST_POINTS:
            factor = math.sqrt(rows * columns / MOST_POINTS)
            raise ModelError(
                f"{self.path}: spacing: {dx:g} m by {dy:g} m makes {rows * columns:,} heights; at most {MOST_POINTS:,} "
                f"are taken: give a spacing such as [{_round_up(dx * factor)}, {_round_up(dy * factor)}], or a length"
            )
        x, y = low_x + dx * np.arange(rows), low_y + dy * np.arange(columns)
        heights = places.calc_heights(x, y)
        if not np.isfinite(heights).all():
            raise ModelError(
                f"{self.path}: has no height at {np.count_nonzero(~np.isfinite(heights))} of {heights.size} places; "
                "fill the holes of the file, or take another part of the road by begin and length"
            )
        return Grid(
            origin=(float(x[0]) + self.start, float(y[0])),
            spacing=(dx, dy),
            heights=heights.tolist(),
            friction=self.friction,
        )

    def find_faults(self, path: FaultPath) -> Iterator[Fault]:
        try:
            self.make_terrain()
        except ModelError as error:
            yield from (make_fault((*path, "path"), text) for text in error.faults)

    def _find_spacing(self, road: Any) -> tuple[float, float]:
        if self.spacing is not None:
            return self.spacing
        return float(road.u_inc), float(np.diff(road.v).min())


class _RoadPlaces:
    """Where the part of a road from `begin` to `end` lies, seen from its beginning."""

    def __init__(self, road: Any, begin: float, end: float) -> None:
        self._road = road
        self._u = road.u_start + begin, road.u_start + end
        inside = (road.u >= self._u[0] - STRAIGHT) & (road.u <= self._u[1] + STRAIGHT)
        self._line = np.column_stack([road.x, road.y])[inside]
        first, second = self._line[:2]
        direction = (second - first) / np.linalg.norm(second - first)
        self._first, self._axes = first, np.array([direction, [-direction[1], direction[0]]])
        self._is_straight = float(np.abs(self._turn(self._line)[:, 1]).max()) < STRAIGHT
        self._height = float(road.uv_to_z(self._u[0], np.clip(0.0, road.v_min, road.v_max)))

    def _turn(self, places: np.ndarray) -> np.ndarray:
        return np.asarray((places - self._first) @ self._axes.T)

    def find_bounds(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Least and largest x and y of the road [m]."""
        road = self._road
        if self._is_straight:
            return (0.0, self._u[1] - self._u[0]), (float(road.v_min), float(road.v_max))
        line, reach = self._turn(self._line), max(abs(road.v_min), abs(road.v_max))
        low, high = line.min(axis=0) - reach, line.max(axis=0) + reach
        return (float(low[0]), float(high[0])), (float(low[1]), float(high[1]))

    def calc_heights(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Heights over that of the beginning, rows along x (1), (2) [m]."""
        road = self._road
        if self._is_straight:
            u, v = np.broadcast_arrays(self._u[0] + x[:, None], y[None, :])
        else:
            places = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1) @ self._axes + self._first
            u, v = road.xy_to_uv(places[..., 0], places[..., 1])
        u, v = np.clip(u, *self._u), np.clip(v, road.v_min, road.v_max)
        return np.asarray(road.uv_to_z(u, v)) - self._height


def load_road(path: Path) -> Any:
    """What PyOpenCRG reads, with the modifiers of the file."""
    check_file(path)
    try:
        import pyopencrg
    except ImportError as error:
        raise ModelError(
            "OpenCRG files need PyOpenCRG, which is not installed: install it with  pip install 'grouser[road]'"
        ) from error
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            road = pyopencrg.read(path, apply_mods=True)
    except Exception as error:  # readers raise whatever they come across
        words = " ".join(str(error).split()).removeprefix(f"{path}: ")
        raise ModelError(f"{path}: cannot be read as OpenCRG: {shorten(words or repr(error), 300)}") from None
    for one in said:
        words = " ".join(str(one.message).partition("details:")[2].split()) or str(one.message)
        log.warning("%s", shorten(f"{path}: {words.removeprefix('- ')}", 300))
    return road


def _count(low: float, high: float, spacing: float) -> int:
    return max(2, math.ceil((high - low) / spacing - 1e-9) + 1)


def _round_up(value: float) -> float:
    """To two digits."""
    digits = 1 - math.floor(math.log10(value))
    return math.ceil(value * 10**digits) / 10**digits
