"""Faults of surfaces and of terrain made of polygons, and what should be known of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from grouser.model.body import WORLD, make_inertia_matrix
from grouser.model.check import Scope, find_body_faults, find_orientation_faults, find_reference_faults
from grouser.model.fault import Fault, Path, make_fault
from grouser.model.surface import FileGeometry, PolygonGeometry, Surface
from grouser.model.terrain import MeshTerrain
from grouser.surface.make import find_raw_faults, find_surface_faults, make_raw
from grouser.surface.raw import calc_facets, find_edges

if TYPE_CHECKING:
    from grouser.model.model import Model

TOO_LARGE, TOO_SMALL = 50.0, 0.005
"""Extent of a surface as a multiple of its body's radius of gyration beyond which its unit is doubted."""
HUGE, TINY = 100.0, 1e-4
"""The same where the body says nothing [m]."""
VAST = 1e5
"""Extent of a terrain beyond which its unit is doubted [m]."""


def find_shape_surface_faults(path: Path, surface: Surface, scope: Scope) -> Iterator[Fault]:
    """Faults of a surface, and of what it refers to."""
    mesh = None
    if surface.body:
        yield from find_body_faults((*path, "body"), surface.body, scope.bodies)
        yield from find_orientation_faults((*path, "orientation"), surface.orientation)
    if surface.mesh:
        if surface.mesh in scope.meshes:
            mesh = scope.model.meshes[surface.mesh]
        elif ("meshes", surface.mesh) not in scope.absent:
            yield from find_reference_faults((*path, "mesh"), "mesh", surface.mesh, scope.model.meshes)
    if math.hypot(*surface.orientation) > 0.0:
        yield from find_surface_faults(surface, mesh, path)


def find_mesh_terrain_faults(model: Model) -> Iterator[Fault]:
    """Faults of a terrain of polygons, and what cannot touch one."""
    terrain = model.terrain
    assert isinstance(terrain, MeshTerrain)
    path: Path = ("terrain", "geometry")
    found = find_raw_faults(terrain.geometry, None, path, is_closed=False)
    yield from found
    if not found:
        facets = calc_facets(make_raw(terrain.geometry, None))
        if float(facets[..., 2].sum()) <= 0.0 and _is_open(terrain):
            yield make_fault(path, "looks down: its polygons are clockwise seen from above; say 'flip: true'")
    for name, contact in model.contacts.items():
        if contact.b == "terrain":
            kinds = {s.type for s in model.shapes.values() if s.group == contact.a} - {"surface", "points", "sphere"}
            if kinds:
                yield make_fault(
                    ("contacts", name),
                    f"is between {min(kinds)} and a terrain of the type 'mesh', which only surfaces, points and "
                    "spheres touch; make it a surface, or take another terrain",
                )
    for name, force in model.forces.items():
        if force.type == "tyre":
            yield make_fault(
                ("forces", name),
                "is a tyre, and the terrain is of the type 'mesh', which only surfaces, points and spheres touch; take "
                "another terrain",
            )


def _is_open(terrain: MeshTerrain) -> bool:
    raw = make_raw(terrain.geometry, None)
    return bool((find_edges(raw.polygons, len(raw.vertices)).uses == 1).any())


def find_surface_warnings(model: Model) -> Iterator[Fault]:
    """What should be known of the surfaces of a model without faults: extents by which a unit is doubted."""
    for name, shape in model.shapes.items():
        if not isinstance(shape, Surface) or not isinstance(shape.geometry, FileGeometry | PolygonGeometry):
            continue
        path: Path = ("shapes", name, "geometry")
        extent = float(np.ptp(make_raw(shape.geometry, None).vertices, axis=0).max())
        low, high = TINY, HUGE
        beside = ""
        if shape.body != WORLD:
            body = model.bodies[shape.body]
            gyration = math.sqrt(float(np.linalg.eigvalsh(make_inertia_matrix(body.inertia))[-1]) / body.mass)
            low, high = TOO_SMALL * gyration, TOO_LARGE * gyration
            beside = f", and the radius of gyration of its body {shape.body!r} {gyration:.3g} m"
        yield from _doubt_unit(path, shape.geometry, extent, (low, high), beside)
    if isinstance(model.terrain, MeshTerrain):
        extent = float(np.ptp(make_raw(model.terrain.geometry, None).vertices, axis=0).max())
        yield from _doubt_unit(("terrain", "geometry"), model.terrain.geometry, extent, (TINY, VAST), "")


def _doubt_unit(
    path: Path, geometry: FileGeometry | PolygonGeometry, extent: float, bounds: tuple[float, float], beside: str
) -> Iterator[Fault]:
    if bounds[0] <= extent <= bounds[1]:
        return
    remedy = "give lengths in m"
    if isinstance(geometry, FileGeometry):
        path = (*path, "unit")
        remedy = f"is the file in mm, say 'unit: {geometry.unit / 1000:g}'"
        if extent < bounds[0]:
            remedy = f"is the file in m and not in mm, say 'unit: {geometry.unit * 1000:g}'"
    yield make_fault(path, f"makes a surface {extent:.3g} m wide{beside}: {remedy}")
