"""Faults of the fields of a surface, before any polygon of it is made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from grouser.mesh.curve import find_crossing
from grouser.model.fault import Fault, Path, make_fault
from grouser.model.gap import find_tooth_faults
from grouser.model.surface import (
    MOST_CONTACT_POINTS,
    MOST_POLYGONS,
    BoxGeometry,
    CapsuleGeometry,
    CylinderGeometry,
    ExtrusionGeometry,
    Geometry,
    PolygonGeometry,
    SphereGeometry,
    SprocketGeometry,
    Surface,
    ToothedGeometry,
)
from grouser.model.valley import find_valley_faults
from grouser.surface.box import count_box, count_round

FLAT = 1e-9
"""An outline encloses more than this share of the square of its extent."""
BYTES = 150
"""What a polygon takes in a run [bytes], for messages."""


def find_spec_faults(path: Path, surface: Surface) -> Iterator[Fault]:
    """Faults of a surface that need neither polygons nor a mesh to be seen."""
    yield from _find_carrier_faults(path, surface)
    yield from _find_point_faults(path, surface)
    if surface.thickness is not None and not surface.is_shell and not surface.mesh:
        yield make_fault((*path, "thickness"), "is given, and the surface is no shell; say 'is_shell: true'")
    if surface.geometry is not None:
        yield from find_geometry_faults((*path, "geometry"), surface.geometry, surface.edge_length)


def _find_carrier_faults(path: Path, surface: Surface) -> Iterator[Fault]:
    """Neither body nor mesh or both, and fields of the other one."""
    if bool(surface.body) == bool(surface.mesh):
        given = "both 'body' and 'mesh'" if surface.body else "neither 'body' nor 'mesh'"
        yield make_fault(path, f"has {given}; a surface lies on one of them")
        return
    if surface.body:
        if surface.geometry is None:
            yield make_fault(path, "missing key 'geometry'; a body needs one, as in 'geometry: {type: box, ...}'")
        if surface.faces != "surface":
            yield make_fault((*path, "faces"), "is a surface set of a mesh, and the surface is on a body; leave it out")
        return
    for name in ("geometry", "edge_length", "positions"):
        if getattr(surface, name) is not None:
            yield make_fault(
                (*path, name), "is for surfaces on bodies; that of a mesh is made of its elements: leave it out"
            )
    if any(surface.position) or surface.orientation != (1.0, 0.0, 0.0, 0.0):
        yield make_fault(path, "has 'position' or 'orientation', and lies where its mesh is; leave them out")


def _find_point_faults(path: Path, surface: Surface) -> Iterator[Fault]:
    if surface.spacing is not None and (surface.points != "faces" or surface.positions is not None):
        yield make_fault((*path, "spacing"), "is of points on faces; say 'points: faces', or leave it out")
    if surface.positions is None:
        if surface.areas is not None:
            yield make_fault((*path, "areas"), "belong to 'positions', which are not given; leave them out")
        return
    if surface.points != "vertices":
        yield make_fault((*path, "points"), "is given, and so are 'positions'; leave out one of both")
    if not surface.positions:
        yield make_fault((*path, "positions"), "is empty; say 'points: none' for a surface without contact points")
    if surface.areas is not None and len(surface.areas) != len(surface.positions):
        yield make_fault(
            (*path, "areas"), f"has {len(surface.areas)} values for {len(surface.positions)} positions; give one each"
        )


def find_geometry_faults(path: Path, geometry: Geometry, edge_length: float | None) -> Iterator[Fault]:
    """Faults of a geometry by its fields."""
    found = list(_FAULTS[type(geometry)](path, geometry)) if type(geometry) in _FAULTS else []
    yield from found
    if edge_length is None or found:
        return
    count = estimate_polygons(geometry, edge_length)
    if count > MOST_POLYGONS:
        yield make_fault(
            (*path[:-1], "edge_length"),
            f"is {edge_length:g} m, which makes some {count:,.0f} polygons ({count * BYTES / 1e6:,.0f} MB); at most "
            f"{MOST_POLYGONS:,} are taken, so take a larger one",
        )


def estimate_polygons(geometry: Geometry, edge_length: float) -> float:
    """About how many polygons a geometry will have, where that is known before."""
    if isinstance(geometry, BoxGeometry):
        return count_box(geometry, edge_length)
    if isinstance(geometry, SphereGeometry):
        return count_round(geometry.radius, edge_length)
    if isinstance(geometry, CapsuleGeometry):
        tube = 2.0 * math.pi * geometry.radius / edge_length * (geometry.length / edge_length + 1.0)
        return count_round(geometry.radius, edge_length) + tube
    if isinstance(geometry, CylinderGeometry):
        area = 2.0 * math.pi * geometry.radius * (geometry.length + 2.0 * geometry.radius) * len(geometry.planes)
    elif isinstance(geometry, ExtrusionGeometry):
        outline = np.array(geometry.outline)
        around = float(np.linalg.norm(np.roll(outline, -1, axis=0) - outline, axis=1).sum())
        area = geometry.width * around + 4.0 * float(np.prod(np.ptp(outline, axis=0)))
    elif isinstance(geometry, SprocketGeometry | ToothedGeometry):
        tip = geometry.addendum_radius if isinstance(geometry, SprocketGeometry) else geometry.tip_radius
        area = len(geometry.planes) * 2.0 * math.pi * tip * (2.0 * tip + geometry.width)
    else:
        return 0.0
    return area / edge_length**2


def _find_cylinder_faults(path: Path, geometry: CylinderGeometry) -> Iterator[Fault]:
    yield from _find_plane_faults(path, geometry.planes, geometry.length)
    if geometry.lugs and geometry.sides is not None:
        yield make_fault((*path, "sides"), "is of cylinders without lugs; leave it out")
    given = [name for name in ("lug_height", "lug_width") if getattr(geometry, name) is not None]
    if not geometry.lugs:
        for name in given:
            yield make_fault((*path, name), "is that of lugs, and there are none; give 'lugs', or leave it out")
        return
    if geometry.lugs < 2:
        yield make_fault((*path, "lugs"), "is 1; give at least 2, or none")
    for name in ("lug_height", "lug_width"):
        if name not in given:
            yield make_fault(path, f"missing key {name!r} [m], which lugs need")
    if geometry.lug_width is None or geometry.lugs < 2:
        return
    room = 2.0 * geometry.radius * math.sin(math.pi / geometry.lugs)
    if geometry.lug_width >= room:
        yield make_fault(
            (*path, "lug_width"),
            f"is {geometry.lug_width:g} m, and {geometry.lugs} lugs on a radius of {geometry.radius:g} m have room for "
            f"less than {room:.4g} m; take a smaller width, or fewer lugs",
        )


def _find_ring_faults(path: Path, geometry: SprocketGeometry | ToothedGeometry) -> Iterator[Fault]:
    if isinstance(geometry, SprocketGeometry):
        yield from find_tooth_faults(path, geometry)
    else:
        yield from find_valley_faults(path, geometry)
    yield from _find_plane_faults(path, geometry.planes, geometry.width)


def _find_plane_faults(path: Path, planes: list[float], width: float) -> Iterator[Fault]:
    """Rings or discs that stand in each other."""
    if any(b - a <= width for a, b in pairwise(sorted(planes))):
        yield make_fault((*path, "planes"), f"are not farther apart than the width of each, {width:g} m; move them")


def _find_outline_faults(path: Path, geometry: ExtrusionGeometry) -> Iterator[Fault]:
    outline = np.array(geometry.outline)
    length = np.linalg.norm(np.roll(outline, -1, axis=0) - outline, axis=1)
    extent = float(np.ptp(outline, axis=0).max())
    after = np.roll(outline, -1, axis=0)
    area = 0.5 * abs(float(np.sum(outline[:, 0] * after[:, 1] - outline[:, 1] * after[:, 0])))
    if (length <= FLAT * extent).any():
        place = (int(np.argmin(length)) + 1) % len(outline)
        yield make_fault((*path, "outline", place), "is where the corner before is; give each corner once")
    elif area <= FLAT * extent**2:
        yield make_fault((*path, "outline"), "encloses no area: its corners lie on a line; move some")
    elif crossing := find_crossing(outline):
        yield make_fault(
            (*path, "outline"),
            f"crosses itself: the pieces after corners {crossing[0]} and {crossing[1]} meet; move them",
        )


def _find_row_faults(path: Path, geometry: PolygonGeometry) -> Iterator[Fault]:
    for number, row in enumerate(geometry.polygons):
        if len(row) not in (3, 4):
            yield make_fault(
                (*path, "polygons", number), f"has {len(row)} vertices; polygons have 3 or 4, so cut it into triangles"
            )
            return
    if len(geometry.polygons) > MOST_POLYGONS:
        yield make_fault(
            (*path, "polygons"),
            f"has {len(geometry.polygons):,} polygons; at most {MOST_POLYGONS:,} are taken, so take larger ones",
        )


_FAULTS: dict[type, Callable[[Path, Any], Iterator[Fault]]] = {
    CylinderGeometry: _find_cylinder_faults,
    SprocketGeometry: _find_ring_faults,
    ToothedGeometry: _find_ring_faults,
    ExtrusionGeometry: _find_outline_faults,
    PolygonGeometry: _find_row_faults,
}


def find_count_fault(path: Path, count: int, what: str) -> Iterator[Fault]:
    """More contact points or polygons than are taken."""
    most = MOST_CONTACT_POINTS if what == "contact points" else MOST_POLYGONS
    if count > most:
        yield make_fault(
            path, f"has {count:,} {what} ({count * BYTES / 1e6:,.0f} MB); at most {most:,} are taken, so take fewer"
        )
