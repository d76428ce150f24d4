"""The running gear as surfaces: what touches is polygons and contact points, in place of exact shapes.

Names, groups and contacts stay as they are. The contact points are where the exact shapes touch: corners of pads, two
points of a horn, and on the inner face of a link rows of points under the discs of the wheels. Pins touch as balls in
the planes of the gear rings. Wheels and sprockets have polygons; the sprocket's lateral guidance, which an exact shape
has by a number, is a pair of discs between its rings, with a group of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from grouser.catalog.tracked.spec import TrackSide
from grouser.model.contact import Contact, Horn, Pin, Plate, Points, Shape, Sprocket, Wheel
from grouser.model.rotation import matrix_to_quaternion
from grouser.model.surface import Surface

SIDES = 120
"""Corners around a wheel: flat by 3e-4 of its radius."""
GUIDES = ".guides"
"""What the group of the discs that guide the horns has behind the name of that of the sprockets."""
PIN_SIDES = 12
"""Corners around a pin, for pictures: its balls touch."""
ARC = 0.006
"""Longest edge along the arcs of the teeth [m]."""
SPACING = 0.02
"""Distance of the contact points along the inner face of a link [m]."""
DEEP = 0.4
"""Depth of pads and inner faces behind their contact points, as a share of their length."""
GUIDE_RADIUS = 0.95
"""Radius of the discs that guide the horns, as a share of that of the bottom of the gaps."""


def make_polygon_shapes(shapes: Mapping[str, Shape], side: TrackSide) -> dict[str, Shape]:
    """Shapes of one side of a vehicle as surfaces; what has none, as the belly, stays.

    Parameters
    ----------
    side : what they were made of
    """
    made: dict[str, Shape] = {}
    for name, shape in shapes.items():
        if isinstance(shape, Wheel):
            made[name] = _make_wheel(shape, side)
        elif isinstance(shape, Sprocket):
            made[name] = _make_sprocket(shape)
            if shape.groove is not None:
                made[f"{name}.guide"] = _make_guide(shape)
        elif isinstance(shape, Plate):
            made[name] = _make_plate(shape, side)
        elif isinstance(shape, Pin):
            rows = sorted({(x, z) for x, _, z in shape.positions})
            made |= {f"{name}{n}": _make_pin(shape, row, side) for n, row in enumerate(rows, start=1)}
        elif isinstance(shape, Horn):
            made[name] = _make_horn(shape, side)
        elif isinstance(shape, Points):
            made[name] = _make_pad(shape)
        else:
            made[name] = shape
    return made


def use_guides(contacts: dict[str, Contact], name: str) -> None:
    """Let the contact of the horns with the sprocket, if it is there, be one with the discs that guide them."""
    if name in contacts:
        contacts[name] = contacts[name].model_copy(update={"b": f"{contacts[name].b}{GUIDES}"})


def _make(shape: Shape, geometry: dict[str, Any], **fields: Any) -> Surface:
    return Surface.model_validate({"body": shape.body, "group": shape.group, "geometry": geometry, **fields})


def _make_pin(pin: Pin, row: tuple[float, float], side: TrackSide) -> Surface:
    """Pieces of one axis in the planes of the rings, with a ball in the middle of each."""
    planes = [y for x, y, z in pin.positions if (x, z) == row]
    geometry = {"type": "cylinder", "radius": pin.radius, "length": side.sprocket.ring_width, "planes": planes}
    return _make(
        pin,
        {**geometry, "sides": PIN_SIDES},
        position=(row[0], 0.0, row[1]),
        positions=[[0.0, y, 0.0] for y in planes],
        is_shell=True,
        thickness=2.0 * pin.radius,
        edge_length=1.0,
    )


def _make_wheel(wheel: Wheel, side: TrackSide) -> Surface:
    """Discs from the gap to the full width."""
    half = [abs(plane) - (wheel.groove or 0.0) for plane in wheel.planes]
    length = 2.0 * min(half) if len(wheel.planes) > 1 else side.links.surface.width
    geometry = {"type": "cylinder", "radius": wheel.radius, "length": length, "planes": wheel.planes, "sides": SIDES}
    return _make(wheel, geometry, points="none")


def _turn(shape: Sprocket) -> list[float]:
    """Orientation of a geometry about y whose x axis lies along the reference."""
    x, y = np.array(shape.reference), np.array(shape.axis)
    x, y = x / np.linalg.norm(x), y / np.linalg.norm(y)
    return [float(value) for value in matrix_to_quaternion(np.column_stack([x, y, np.cross(x, y)]))]


def _make_sprocket(shape: Sprocket) -> Surface:
    names = ("teeth", "arc_radius", "arc_centre_radius", "addendum_radius", "planes", "width")
    geometry = {"type": "sprocket", **{name: getattr(shape, name) for name in names}}
    return _make(shape, geometry, orientation=_turn(shape), edge_length=ARC, points="none")


def _make_guide(shape: Sprocket) -> Surface:
    """Discs beside the horns, as far as the rings."""
    assert shape.groove is not None
    inner = min((abs(plane) - 0.5 * shape.width for plane in shape.planes), default=shape.groove)
    length = max(inner - shape.groove, 0.1 * shape.groove)
    middle = shape.groove + 0.5 * length
    radius = GUIDE_RADIUS * (shape.arc_centre_radius - shape.arc_radius)
    geometry = {"type": "cylinder", "radius": radius, "length": length, "planes": [-middle, middle]}
    return _make(shape, geometry, points="none").model_copy(update={"group": f"{shape.group}{GUIDES}"})


def _make_plate(plate: Plate, side: TrackSide) -> Surface:
    """Points in two rows, where the discs of the wheels run."""
    depth, count = DEEP * plate.length, math.ceil(plate.length / SPACING)
    x = plate.length * (np.arange(count + 1) / count - 0.5)
    rows = sorted({-side.road_wheels.disc_place, side.road_wheels.disc_place})
    positions = [[along, across, 0.5 * depth] for along in x.tolist() for across in rows]
    centre = (plate.position[0], plate.position[1], plate.position[2] - 0.5 * depth)
    geometry = {"type": "box", "sides": [plate.length, plate.width, depth]}
    return _make(plate, geometry, position=centre, orientation=plate.orientation, positions=positions, edge_length=1.0)


def _make_pad(points: Points) -> Surface:
    """A block over its corners."""
    corners = np.array(points.positions)
    low, high = corners.min(axis=0), corners.max(axis=0)
    depth = DEEP * float(high[0] - low[0])
    centre = 0.5 * (low + high) + [0.0, 0.0, 0.5 * depth]
    geometry = {"type": "box", "sides": [float(high[0] - low[0]), float(high[1] - low[1]), depth]}
    areas = [points.area] * len(corners)
    return _make(
        points,
        geometry,
        position=tuple(centre.tolist()),
        positions=(corners - centre).tolist(),
        areas=areas,
        edge_length=1.0,
    )


def _make_horn(horn: Horn, side: TrackSide) -> Surface:
    """A block from the inner face to its tip, with a point on either side."""
    links = side.links
    assert links.horn is not None
    height, width = links.horn.tip - links.surface.height, 2.0 * horn.half_width
    geometry = {"type": "box", "sides": [width, width, height]}
    positions = [[0.0, -horn.half_width, 0.0], [0.0, horn.half_width, 0.0]]
    return _make(horn, geometry, position=horn.position, positions=positions, edge_length=1.0)
