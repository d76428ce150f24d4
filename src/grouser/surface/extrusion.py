"""Prisms: an outline in the x-z plane drawn out along y. Cylinders, wheels with lugs and gear rings are such."""

from __future__ import annotations

import math

import numpy as np

from grouser.model.surface import (
    MOST_POLYGONS,
    CylinderGeometry,
    ExtrusionGeometry,
    SprocketGeometry,
    ToothedGeometry,
)
from grouser.model.valley import calc_outline
from grouser.surface.box import LEAST_ROUND, count_pieces, find_edge_length
from grouser.surface.raw import Array, RawSurface, drop_unused, flip, join
from grouser.surface.refine import refine
from grouser.surface.triangulate import triangulate

LAND_PIECES = 3
"""Pieces of the land between two gaps, where no length is given."""
ON_CIRCLE = 1e-9
"""Share of the radius by which a corner may miss the tip circle."""
ARC_PIECES = 6
"""Pieces of the arc of half a gap between teeth, where no length is given."""


def make_extrusion(geometry: ExtrusionGeometry, edge_length: float | None) -> RawSurface:
    """A prism."""
    outline = np.array(geometry.outline)
    area, around = calc_outline_area(outline), np.roll(outline, -1, axis=0) - outline
    if area < 0.0:
        outline = outline[::-1]
    whole = 2.0 * abs(area) + geometry.width * float(np.linalg.norm(around, axis=1).sum())
    return extrude(outline, geometry.width, edge_length or find_edge_length(whole), has_centre=False)


def make_cylinder(geometry: CylinderGeometry, edge_length: float | None) -> RawSurface:
    """A cylinder, with lugs where there are any."""
    radius, length = geometry.radius, geometry.length
    longest = edge_length or find_edge_length(2.0 * math.pi * radius * (radius + length))
    step = longest if edge_length else min(longest, 0.5 * math.pi * radius / LEAST_ROUND)
    one = extrude(draw_wheel(geometry, step), length, longest, has_centre=True)
    return _repeat(one, geometry.planes)


def make_sprocket(geometry: SprocketGeometry, edge_length: float | None) -> RawSurface:
    """Gear rings whose gaps are one arc each. With tip circle A, circle of the arc's centres R and arc r, the half of a
    gap runs from its bottom, (R - r, 0), to where the arc meets the tip circle."""
    centre, arc, tip = geometry.arc_centre_radius, geometry.arc_radius, geometry.addendum_radius
    end = math.acos((tip**2 + centre**2 - arc**2) / (2.0 * tip * centre))
    last = math.atan2(tip * math.sin(end), centre - tip * math.cos(end))  # seen from the centre of the arc
    pieces = ARC_PIECES if edge_length is None else count_pieces(arc * last, edge_length)
    angle = np.linspace(-last, last, 2 * pieces + 1)
    gap = np.column_stack([centre - arc * np.cos(angle), arc * np.sin(angle)])
    return _make_rings(_turn(gap, geometry.teeth), geometry, edge_length)


def make_toothed(geometry: ToothedGeometry, edge_length: float | None) -> RawSurface:
    """Gear rings with seats, straight faces and rounded tips."""
    longest = max(geometry.seat_radius, geometry.round_radius)
    pieces = ARC_PIECES if edge_length is None else count_pieces(0.5 * math.pi * longest, edge_length)
    return _make_rings(calc_outline(geometry, pieces), geometry, edge_length)


def _make_rings(outline: Array, geometry: SprocketGeometry | ToothedGeometry, edge_length: float | None) -> RawSurface:
    """A ring at each plane; the first coordinate of the outline lies along x, the second along -z."""
    outline = _round_lands(outline, edge_length)
    plane = np.column_stack([outline[:, 0], -outline[:, 1]])[::-1]
    one = extrude(plane, geometry.width, edge_length, has_centre=True)
    return _repeat(one, geometry.planes)


def _repeat(one: RawSurface, planes: list[float]) -> RawSurface:
    """The same at several places along y."""
    return join([RawSurface(one.vertices + np.array([0.0, y, 0.0]), one.polygons) for y in planes])


def _round_lands(outline: Array, edge_length: float | None) -> Array:
    """The outline of a gear ring with arcs of its tip circle in place of the straight lands between its gaps."""
    after = np.roll(outline, -1, axis=0)
    tip = float(np.linalg.norm(outline, axis=1).max())
    parts = []
    for start, end in zip(outline, after, strict=True):
        parts.append(start[None])
        if min(np.linalg.norm(start), np.linalg.norm(end)) > tip * (1.0 - ON_CIRCLE):
            turn = math.atan2(start[0] * end[1] - start[1] * end[0], float(start @ end))
            pieces = LAND_PIECES if edge_length is None else count_pieces(tip * turn, edge_length)
            angle = math.atan2(start[1], start[0]) + turn * np.arange(1, pieces) / pieces
            parts.append(tip * np.column_stack([np.cos(angle), np.sin(angle)]))
    return np.concatenate(parts)


def draw_wheel(geometry: CylinderGeometry, step: float) -> Array:
    """Outline (n, 2) of a wheel in the x-z plane, anticlockwise from x to z, arcs in pieces of at most `step` [m]."""
    radius, count = geometry.radius, geometry.lugs
    if not count or geometry.lug_height is None or geometry.lug_width is None:
        angle = 2.0 * math.pi * np.arange(geometry.sides or max(3, count_pieces(2.0 * math.pi * radius, step)))
        angle /= len(angle)
        return radius * np.column_stack([np.cos(angle), np.sin(angle)])
    half = 0.5 * geometry.lug_width
    root = math.asin(half / radius)
    top = radius + geometry.lug_height
    gap = 2.0 * math.pi / count - 2.0 * root
    between = root + gap * np.arange(1, pieces := count_pieces(radius * gap, step)) / pieces
    lug = [(radius * math.cos(root), -half), (top, -half), (top, half), (radius * math.cos(root), half)]
    one = np.concatenate([lug, radius * np.column_stack([np.cos(between), np.sin(between)])])
    return _turn(one, count)


def _turn(points: Array, count: int) -> Array:
    """A piece of an outline (k, 2), repeated all around."""
    angle = 2.0 * math.pi * np.arange(count)[:, None] / count
    u, s = points.T
    turned = np.stack([np.cos(angle) * u - np.sin(angle) * s, np.sin(angle) * u + np.cos(angle) * s], axis=-1)
    return turned.reshape(-1, 2)


def calc_outline_area(outline: Array) -> float:
    """Area within an outline [m^2], negative where it runs clockwise."""
    after = np.roll(outline, -1, axis=0)
    return 0.5 * float(np.sum(outline[:, 0] * after[:, 1] - outline[:, 1] * after[:, 0]))


def extrude(outline: Array, width: float, edge_length: float | None, *, has_centre: bool) -> RawSurface:
    """A prism over an outline (n, 2) of x and z, anticlockwise from x to z.

    Parameters
    ----------
    width : along y, half of it on both sides [m]
    edge_length : longest edge [m]; None leaves the faces whole
    has_centre : all of the outline is seen from its origin: the end faces are fans about it
    """
    if edge_length is not None:
        outline = _divide(outline, edge_length)
    count, levels = len(outline), 1 if edge_length is None else count_pieces(width, edge_length)
    y = width * (np.arange(levels + 1) / levels - 0.5)
    vertices = np.empty((levels + 1, count, 3))
    vertices[..., 0], vertices[..., 2], vertices[..., 1] = outline[:, 0], outline[:, 1], y[:, None]
    number = np.arange((levels + 1) * count).reshape(levels + 1, count)
    low, high = number[:-1], number[1:]
    sides = np.stack([low, high, np.roll(high, -1, axis=1), np.roll(low, -1, axis=1)], axis=-1).reshape(-1, 4)
    parts = [RawSurface(vertices.reshape(-1, 3), sides)]
    if has_centre and _sees_all(outline):
        inner, flat = _make_fan(outline, edge_length)
    else:
        inner, flat = outline, triangulate(outline)[:, [0, 1, 2, 2]]
    # seen along +y the outline runs clockwise: the face at -y takes it as it is, that at +y turned
    for level, is_turned in ((y[0], False), (y[-1], True)):
        end = RawSurface(np.column_stack([inner[:, 0], np.full(len(inner), level), inner[:, 1]]), flat)
        parts.append(flip(end) if is_turned else end)
    whole = _join_rims(parts, count, levels)
    return whole if edge_length is None else refine(whole, edge_length, MOST_POLYGONS)


def _join_rims(parts: list[RawSurface], count: int, levels: int) -> RawSurface:
    """The sides and both ends as one; the first `count` vertices of an end are those of the sides there."""
    whole = join(parts)
    row = np.arange(len(whole.vertices))
    for end, level in ((1, 0), (2, levels)):
        first = sum(len(part.vertices) for part in parts[:end])
        row[first : first + count] = level * count + np.arange(count)
    return drop_unused(RawSurface(whole.vertices, row[whole.polygons]))[0]


def _make_fan(outline: Array, edge_length: float | None) -> tuple[Array, Array]:
    """The inside of an outline as rings about its origin: points, the outline first, and polygons."""
    rings = 1
    if edge_length is not None:
        rings = count_pieces(float(np.linalg.norm(outline, axis=1).max()), edge_length)
    share = np.arange(rings, 0, -1)[:, None, None] / rings
    points = np.concatenate([(share * outline).reshape(-1, 2), np.zeros((1, 2))])
    number = np.arange(rings * len(outline)).reshape(rings, len(outline))
    outer, inner = number[:-1], number[1:]
    quadrilaterals = np.stack([outer, np.roll(outer, -1, axis=1), np.roll(inner, -1, axis=1), inner], axis=-1)
    last = number[-1]
    centre = np.full(len(outline), len(points) - 1)
    triangles = np.column_stack([centre, last, np.roll(last, -1), np.roll(last, -1)])
    return points, np.concatenate([quadrilaterals.reshape(-1, 4), triangles])


def _sees_all(outline: Array) -> bool:
    after = np.roll(outline, -1, axis=0)
    return bool((outline[:, 0] * after[:, 1] - outline[:, 1] * after[:, 0] > 0.0).all())


def _divide(outline: Array, longest: float) -> Array:
    """The outline with its long pieces divided."""
    after = np.roll(outline, -1, axis=0)
    parts = []
    for start, end in zip(outline, after, strict=True):
        count = count_pieces(float(np.linalg.norm(end - start)), longest)
        parts.append(start + (end - start) * np.arange(count)[:, None] / count)
    return np.concatenate(parts)
