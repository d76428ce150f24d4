"""What the bodies of a model look like: solids made of its shapes, joints and masses, in the frames of the bodies.

Sizes that matter for contact (radii, teeth, pins, plates, pads) are those of the model. What the model does not tell,
such as the thickness of a disc or the spokes of a wheel, is chosen to look like such a part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from grouser.model.body import Body, make_inertia_matrix
from grouser.model.contact import Horn, Pin, Plate, Rail, Sphere, Sprocket, Strip, Toothed, Wheel
from grouser.model.rotation import make_axis_frame, quaternion_to_matrix
from grouser.model.surface import Surface
from grouser.model.valley import calc_outline
from grouser.output.mesh import (
    SEGMENTS,
    Array,
    Colour,
    make_box,
    make_circle,
    make_lathe,
    make_prism,
    make_ring,
    make_rod,
    make_slab,
    place,
)
from grouser.result.detect import make_sprocket_axes
from grouser.surface.make import make_rigid_data
from grouser.surface.raw import list_triangles

if TYPE_CHECKING:
    from grouser.model.model import Model

Parts = list[tuple[Array, Colour]]

RUBBER: Colour = (0.13, 0.13, 0.14)
STEEL: Colour = (0.40, 0.41, 0.42)
BRIGHT: Colour = (0.62, 0.63, 0.64)
PAINT: Colour = (0.31, 0.345, 0.23)
MARK: Colour = (0.90, 0.62, 0.10)
PLAIN: tuple[Colour, ...] = (
    (0.25, 0.45, 0.64),
    (0.76, 0.42, 0.16),
    (0.22, 0.54, 0.44),
    (0.68, 0.46, 0.58),
    (0.78, 0.62, 0.20),
    (0.42, 0.62, 0.76),
)
"""Colours of bodies that are no parts of a tracked vehicle, in turn."""

SPOKES = 6
ROUND = 36
"""Sides of tyres and rims."""
BELTS = 12
"""Bands of a ball from pole to pole."""
POINTS_PER_TOOTH = 12
RING_THICKNESS = 0.35
"""Thickness of a gear ring as a share of the width in which it engages pins."""
DISC_WIDTH = 0.16
"""Half the width of a disc whose groove is not given, as a share of its radius."""
LONE_POINT = 0.1
"""How far apart points are taken to be where there is but one [m]."""
PLATE_THICKNESS = 0.1
"""Thickness of a plate as a share of its shorter side."""
RAIL_THICKNESS = 0.15
"""Thickness of a rail as a share of its length."""
STRIP_WIDTH = 0.02
"""Radius of the rod that stands for a strip, as a share of its length."""
PIN_LENGTH = 4.0
"""Length of a pin, across, as a multiple of its radius."""


def make_shape_parts(
    shape: Plate | Wheel | Sphere | Sprocket | Toothed | Pin | Rail | Strip | Horn | Surface, colour: Colour
) -> Parts:
    """A shape that is no part of a link; the colour is for what is neither wheel nor sprocket."""
    if isinstance(shape, Wheel):
        return make_wheel_parts(shape)
    if isinstance(shape, Sprocket | Toothed):
        return make_sprocket_parts(shape)
    if isinstance(shape, Sphere):
        return make_sphere_parts(shape, colour)
    if isinstance(shape, Rail):
        return [(make_rail_solid(shape), colour)]
    if isinstance(shape, Surface):
        return [(list_triangles(make_rigid_data(shape)), colour)]
    if isinstance(shape, Strip):
        return [(make_rod(shape.start, shape.end, STRIP_WIDTH * float(np.linalg.norm(_find_way(shape)))), colour)]
    if isinstance(shape, Plate):
        x, y, z = shape.length / 2, shape.width / 2, PLATE_THICKNESS * min(shape.length, shape.width)
        axes = quaternion_to_matrix(shape.orientation)
        return [(place(make_box((-x, -y, -z), (x, y, 0.0)), shape.position, axes), colour)]
    if isinstance(shape, Pin):
        half = PIN_LENGTH * shape.radius / 2
        return [(make_rod((x, y - half, z), (x, y + half, z), shape.radius), BRIGHT) for x, y, z in shape.positions]
    size = np.array([shape.half_width] * 3)
    return [(place(make_box(-size, size), shape.position), colour)]


def make_sphere_parts(sphere: Sphere, colour: Colour) -> Parts:
    """A ball with a band about its middle, by which it is seen to roll."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, BELTS + 1)
    profile = [(sphere.radius * float(np.cos(a)), sphere.radius * float(np.sin(a))) for a in angle]
    first, last = BELTS // 2 - 1, BELTS // 2 + 1
    pieces = ((profile[: first + 1], colour), (profile[first : last + 1], MARK), (profile[last:], colour))
    return [(place(make_lathe(piece), sphere.position), shade) for piece, shade in pieces]


def make_rail_solid(rail: Rail) -> Array:
    """A bar with the outline of a rail on its outer side."""
    outer = np.array(rail.points)
    way = outer[-1] - outer[0]
    inwards = RAIL_THICKNESS * np.array([way[1], -way[0]])
    outline = np.vstack([outer, outer[::-1] + inwards])[::-1]
    return make_slab([(x, z) for x, z in outline.tolist()], rail.y + 0.5 * rail.width, rail.y - 0.5 * rail.width)


def _find_way(strip: Strip) -> Array:
    return np.array(strip.end) - np.array(strip.start)


def make_wheel_parts(wheel: Wheel) -> Parts:
    """Discs with tyres, spokes and hubs; one spoke of each disc is marked."""
    axes = make_axis_frame(wheel.axis)
    parts = []
    for plane in wheel.planes:
        half = _find_disc_half(wheel, plane)
        parts += make_disc_parts(wheel.radius, plane - half, plane + half)
    ends = min(wheel.planes), max(wheel.planes)
    hub = 0.2 * wheel.radius
    parts.append((make_rod((0, 0, ends[0] - hub / 2), (0, 0, ends[1] + hub / 2), 0.5 * hub, SEGMENTS), STEEL))
    return [(place(solid, wheel.position, axes), colour) for solid, colour in parts]


def _find_disc_half(wheel: Wheel, plane: float) -> float:
    """Half the width of a disc: from its plane to the groove, and never into the next disc."""
    if wheel.groove is not None and abs(plane) > wheel.groove:
        return abs(plane) - wheel.groove
    gaps = [abs(plane - other) for other in wheel.planes if other != plane]
    return min([DISC_WIDTH * wheel.radius, *(0.45 * gap for gap in gaps)])


def make_disc_parts(radius: float, low: float, high: float) -> Parts:
    """A disc about z between two heights [m]: tyre, rim, spokes, of which one is marked, and hub."""
    middle, half = (low + high) / 2, (high - low) / 2
    tyre, rim, hub = 0.87 * radius, 0.74 * radius, 0.27 * radius
    bevel = min(0.02 * radius, 0.3 * half)
    profile = [
        (tyre, low),
        (radius - bevel, low),
        (radius, low + bevel),
        (radius, high - bevel),
        (radius - bevel, high),
    ]
    parts: Parts = [
        (make_lathe([*profile, (tyre, high), (tyre, low)], ROUND), RUBBER),
        (_make_tube(tyre, rim, middle - 0.8 * half, middle + 0.8 * half), PAINT),
        (_make_tube(hub, 0.1 * radius, middle - 0.7 * half, middle + 0.7 * half), PAINT),
    ]
    for i in range(SPOKES):
        angle = 2 * np.pi * i / SPOKES
        spoke = make_prism(
            [
                (0.9 * hub, -0.12 * radius),
                (1.04 * rim, -0.07 * radius),
                (1.04 * rim, 0.07 * radius),
                (0.9 * hub, 0.12 * radius),
            ],
            middle - 0.35 * half,
            middle + 0.35 * half,
        )
        parts.append((place(spoke, (0, 0, 0), make_turn(angle)), PAINT if i else MARK))
    return parts


def _make_tube(outer: float, inner: float, low: float, high: float) -> Array:
    return make_ring(make_circle(outer, ROUND), make_circle(inner, ROUND), low, high)


def make_turn(angle: float) -> Array:
    """Axes turned about z by an angle [rad]."""
    co, si = np.cos(angle), np.sin(angle)
    return np.array([[co, -si, 0.0], [si, co, 0.0], [0.0, 0.0, 1.0]])


def calc_sprocket_outline(sprocket: Sprocket | Toothed, points: int = POINTS_PER_TOOTH) -> Array:
    """Outline of the teeth about the axis (n, 2) [m], the first coordinate along the reference gap; `points` for each
    tooth whose gap is one arc."""
    if isinstance(sprocket, Toothed):
        return calc_outline(sprocket)
    angle = np.linspace(0.0, 2 * np.pi, sprocket.teeth * points, endpoint=False)
    reach = calc_tooth_profile(sprocket, angle)
    return np.column_stack([reach * np.cos(angle), reach * np.sin(angle)])


def make_sprocket_parts(sprocket: Sprocket | Toothed) -> Parts:
    """Gear rings with the real outline of the teeth, joined by a drum; a mark points to the reference gap."""
    outline = calc_sprocket_outline(sprocket)
    root = float(np.linalg.norm(outline, axis=1).min())
    first = float(np.arctan2(outline[0, 1], outline[0, 0]))
    web = make_circle(0.55 * root, len(outline)) @ make_turn(first)[:2, :2].T
    half = 0.5 * RING_THICKNESS * sprocket.width
    parts: Parts = []
    for plane in sprocket.planes:
        parts.append((make_ring(outline, web, plane - half, plane + half), BRIGHT))
        parts.append((_make_tube(0.56 * root, 0.1 * root, plane - 0.6 * half, plane + 0.6 * half), PAINT))
        for i in range(sprocket.teeth):
            turn = make_turn(2 * np.pi * i / sprocket.teeth)
            bolt = make_rod((0.68 * root, 0, plane - 1.3 * half), (0.68 * root, 0, plane + 1.3 * half), 0.05 * root, 8)
            parts.append((place(bolt, (0, 0, 0), turn), STEEL if i else MARK))
        mark = make_box((0.2 * root, -0.05 * root, plane - 0.8 * half), (0.53 * root, 0.05 * root, plane + 0.8 * half))
        parts.append((mark, MARK))
    low, high = min(sprocket.planes) - 1.5 * half, max(sprocket.planes) + 1.5 * half
    parts.append((make_rod((0, 0, low), (0, 0, high), 0.3 * root, SEGMENTS), STEEL))
    axes = make_sprocket_axes(sprocket)
    return [(place(solid, sprocket.position, axes), colour) for solid, colour in parts]


def calc_tooth_profile(sprocket: Sprocket, angle: ArrayLike) -> Array:
    """Radius of a sprocket's outline at angles from the middle of a gap [m].

    The ray at the angle a from the middle of the nearest gap meets the arc of radius ra about the point at
    the distance rc at ``r = rc cos a - sqrt(ra^2 - rc^2 sin^2 a)``; the land lies at the addendum radius.
    """
    step = 2 * np.pi / sprocket.teeth
    offset = np.asarray(angle, dtype=float)
    offset = offset - step * np.round(offset / step)
    reach = sprocket.arc_radius**2 - (sprocket.arc_centre_radius * np.sin(offset)) ** 2
    arc = sprocket.arc_centre_radius * np.cos(offset) - np.sqrt(np.maximum(reach, 0.0))
    return np.where(reach >= 0, np.minimum(arc, sprocket.addendum_radius), sprocket.addendum_radius)


def make_arm_parts(points: ArrayLike, axes: Sequence[Array | None], slim: float, colour: Colour) -> Parts:
    """Bars from the first of a body's joints to the others.

    A bar leaves a joint with an axis at right angles to it, and goes on as a stub along the axis, as the arm of a road
    wheel does.

    Parameters
    ----------
    points : joints in the body's frame, at least two [m]
    axes : directions of the joints' axes in the body's frame, or None
    slim : thickness over length
    """
    places = np.asarray(points, dtype=float)
    reach = float(np.linalg.norm(places - places[0], axis=1).max())
    thick = slim * reach
    parts: Parts = []
    start, axis = places[0], axes[0]
    for end in places[1:]:
        way = end - start
        corner = end if axis is None else end - axis * (axis @ way)
        if np.linalg.norm(corner - start) < 0.05 * reach:
            corner = end
        parts.append((_make_bar(start, corner, thick), colour))
        if np.linalg.norm(end - corner) > 1e-6:
            parts.append((make_rod(corner, end, 0.5 * thick), STEEL))
            parts.append((make_rod(*_stretch(corner, axis, 0.8 * thick), 0.95 * thick), colour))
    for point, direction in zip(places, axes, strict=True):
        if direction is not None:
            parts.append((make_rod(*_stretch(point, direction, 0.75 * thick), 0.6 * thick), STEEL))
    return parts


def _stretch(point: Array, direction: Array | None, half: float) -> tuple[Array, Array]:
    way = half * np.asarray(direction)
    return point - way, point + way


def _make_bar(start: Array, end: Array, thick: float) -> Array:
    """A flat bar with rounded edges."""
    way = end - start
    length = float(np.linalg.norm(way))
    a, b, cut = 0.5 * thick, 0.8 * thick, 0.2 * thick
    outline = [
        (a - cut, -b),
        (a, cut - b),
        (a, b - cut),
        (a - cut, b),
        (cut - a, b),
        (-a, b - cut),
        (-a, cut - b),
        (cut - a, -b),
    ]
    return place(make_prism(outline, 0.0, length), start, make_axis_frame(way, _find_upright(way)))


def _find_upright(way: Array) -> Array:
    """The axis of the world that is furthest from a direction; y where two are."""
    return np.eye(3)[np.argmin(np.abs(way) - [0.0, 1e-6, 0.0])]


def make_lump_parts(body: Body, joints: Sequence[Array], colour: Colour) -> Parts:
    """The box that has the mass and the inertia of a body, and thin rods to the joints outside of it.

    A box of sides a, b, c has the moments m (b^2 + c^2) / 12 and so on; hence a^2 = 6 (Iyy + Izz - Ixx) / m.
    """
    moments, axes = np.linalg.eigh(make_inertia_matrix(body.inertia))
    axes = axes * [1.0, 1.0, np.linalg.det(axes)]
    squares = 6.0 * (moments.sum() - 2.0 * moments) / body.mass
    sides = np.sqrt(np.maximum(squares, 0.0))
    sides = np.maximum(sides, max(0.04 * sides.max(), 0.01))
    com = np.array(body.com)
    parts: Parts = [(place(make_box(-sides / 2, sides / 2), com, axes), colour)]
    for joint in joints:
        if (np.abs((joint - com) @ axes) > sides / 2 + 1e-6).any():
            parts.append((make_rod(com, joint, 0.08 * float(np.sort(sides)[1])), STEEL))
    return parts


def make_point_parts(model: Model) -> Parts:
    """A ball for every point of a model, a fifth as wide as its points mostly are apart."""
    places = np.array([point.position for point in model.points.values()])
    apart = np.array([LONE_POINT]) if len(places) == 1 else np.array(cKDTree(places).query(places, k=2)[0])[:, 1]
    return make_ball_parts(0.1 * max(float(np.median(apart)), 1e-6), STEEL)


def make_ball_parts(radius: float, colour: Colour) -> Parts:
    """A ball of few faces about the origin."""
    angles = np.linspace(0.0, np.pi, 6)
    profile = [(float(radius * np.sin(angle)), float(-radius * np.cos(angle))) for angle in angles]
    return [(make_lathe(profile, 8), colour)]
