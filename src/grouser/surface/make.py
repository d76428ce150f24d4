"""Surfaces of a model as arrays, with their faults and warnings. What was made is kept and shared.

A surface is known by its fields without its name, body and group, so that all links of a track share one; that of a
file also by the time of the file's last change.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from grouser.errors import ModelError
from grouser.mesh.data import freeze
from grouser.mesh.make import make_mesh_data
from grouser.model.fault import Fault, Path, make_fault
from grouser.model.mesh import Mesh
from grouser.model.rotation import quaternion_to_matrix
from grouser.model.surface import MOST_POLYGONS, FileGeometry, Geometry, PolygonGeometry, Surface
from grouser.surface.box import make_box, make_capsule, make_sphere
from grouser.surface.data import SurfaceData
from grouser.surface.deforming import find_diameter, find_set_fault, list_lines, take_faces_of
from grouser.surface.extrusion import make_cylinder, make_extrusion, make_sprocket, make_toothed
from grouser.surface.file import find_stamp, read_surface
from grouser.surface.points import (
    ContactPoints,
    count_points,
    take_faces,
    take_line_nodes,
    take_lines,
    take_vertices,
)
from grouser.surface.quality import find_polygon_faults
from grouser.surface.raw import INDEX, Array, RawSurface, calc_areas, drop_unused, flip, make_polygons
from grouser.surface.refine import refine
from grouser.surface.spec_faults import find_count_fault, find_spec_faults

if TYPE_CHECKING:
    from grouser.model.model import Model

KEPT = 64
"""So many results of each kind are kept."""
LARGEST_TRIANGLE = 4.0 / 3.0**0.5
"""Square of the longest edge over the area of a triangle, at least."""
PLACE = {"group", "body"}
"""Fields that say where a surface belongs, not what it looks like."""

MAKERS: dict[str, Callable[[Any, float | None], RawSurface]] = {
    "box": make_box,
    "cylinder": make_cylinder,
    "sphere": make_sphere,
    "capsule": make_capsule,
    "sprocket": make_sprocket,
    "toothed": make_toothed,
    "extrusion": make_extrusion,
}
"""What makes the polygons of each geometry."""

_kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()


def make_surface_data(model: Model, surface: Surface) -> SurfaceData:
    """A surface without faults as arrays: in the frame of its body, or where its mesh is at the start."""
    if not surface.mesh:
        return make_rigid_data(surface)
    mesh = model.meshes[surface.mesh]
    made: SurfaceData = _keep("data", surface, lambda: _make_deforming(mesh, surface), mesh.model_dump_json())
    return made


def make_rigid_data(surface: Surface) -> SurfaceData:
    """A surface without faults on a body, in the frame of the body."""
    data: SurfaceData = _keep("data", surface, lambda: _make_rigid(surface))
    return data


def find_surface_faults(surface: Surface, mesh: Mesh | None, path: Path = ("surface",)) -> list[Fault]:
    """Faults of a surface by itself, each with the remedy.

    Parameters
    ----------
    mesh : that it lies on, if it does and the mesh has no faults
    path : of the surface in its model
    """
    if found := list(find_spec_faults(path, surface)):
        return found
    if surface.geometry is not None:
        is_closed = not surface.is_shell
        found = find_raw_faults(surface.geometry, surface.edge_length, (*path, "geometry"), is_closed=is_closed)
        return found or _find_many_points(make_raw(surface.geometry, surface.edge_length), surface, path)
    if mesh is None:
        return []
    data = make_mesh_data(mesh)
    if fault := find_set_fault(surface.mesh, data, surface.faces):
        return [make_fault((*path, "faces"), fault)]
    return _find_many_points(take_faces_of(data, surface.faces)[0], surface, path) if data.surface_sets else []


def _find_many_points(raw: RawSurface, surface: Surface, path: Path) -> list[Fault]:
    """More contact points on faces than are taken."""
    if surface.spacing is None:
        return []
    return list(find_count_fault((*path, "spacing"), count_points(raw, surface.spacing), "contact points"))


def find_raw_faults(geometry: Geometry, edge_length: float | None, path: Path, *, is_closed: bool) -> list[Fault]:
    """Faults of polygons that are given or read; those of a file that cannot be read."""
    if not isinstance(geometry, PolygonGeometry | FileGeometry):
        return []
    place = (*path, "path") if isinstance(geometry, FileGeometry) else path
    try:
        raw = make_raw(geometry, None)
        found: list[str] = _keep(
            f"faults {is_closed}", geometry, lambda: list(find_polygon_faults(raw, is_closed=is_closed))
        )
        if not found and edge_length is not None:
            least = int(LARGEST_TRIANGLE * calc_areas(raw).sum() / edge_length**2)
            if least <= MOST_POLYGONS:
                least = len(make_raw(geometry, edge_length).polygons)
            return list(find_count_fault(path, least, "polygons"))
    except ModelError as error:
        return [make_fault(place, text) for text in error.faults]
    return [make_fault(place, text) for text in found]


def make_raw(geometry: Geometry, edge_length: float | None) -> RawSurface:
    """Polygons of a geometry in its own axes."""
    raw: RawSurface = _keep(f"raw {edge_length}", geometry, lambda: _make_raw(geometry, edge_length))
    return raw


def _keep(kind: str, part: Surface | Geometry, make: Callable[[], Any], *more: Any) -> Any:
    """What `make` gives, made once."""
    geometry = part.geometry if isinstance(part, Surface) else part
    stamp = find_stamp(geometry.path) if isinstance(geometry, FileGeometry) else ()
    key = (kind, part.model_dump_json(exclude=PLACE), *stamp, *more)
    if key in _kept:
        _kept.move_to_end(key)
        return _kept[key]
    made = make()
    _kept[key] = made
    while sum(other[0] == kind for other in _kept) > KEPT:
        del _kept[next(other for other in _kept if other[0] == kind)]
    return made


def _make_raw(geometry: Geometry, edge_length: float | None) -> RawSurface:
    if not isinstance(geometry, PolygonGeometry | FileGeometry):
        return MAKERS[geometry.type](geometry, edge_length)
    if isinstance(geometry, PolygonGeometry):
        raw = RawSurface(np.array(geometry.vertices, dtype=float), make_polygons(geometry.polygons))
    else:
        read = read_surface(geometry.path)
        raw = RawSurface(geometry.unit * read.vertices, read.polygons)
    if geometry.flip:
        raw = flip(raw)
    return raw if edge_length is None else refine(raw, edge_length, MOST_POLYGONS)


def _make_rigid(surface: Surface) -> SurfaceData:
    """In the frame of the body."""
    assert surface.geometry is not None
    raw, _ = drop_unused(make_raw(surface.geometry, surface.edge_length))
    rotation, origin = quaternion_to_matrix(surface.orientation), np.array(surface.position)
    moved = RawSurface(np.ascontiguousarray(origin + raw.vertices @ rotation.T), raw.polygons)
    if surface.positions is not None:
        points = origin + np.array(surface.positions) @ rotation.T
        share = float(calc_areas(moved).sum()) / len(points)
        areas = np.full(len(points), share) if surface.areas is None else np.array(surface.areas)
    else:
        found = _choose_points(moved, surface)
        points, areas = _place(moved.vertices, found), found.areas
    return _finish(SurfaceData(*moved, points, areas, surface.is_shell, 0.5 * (surface.thickness or 0.0)))


def _make_deforming(mesh: Mesh, surface: Surface) -> SurfaceData:
    """In the world, at the start."""
    data = make_mesh_data(mesh)
    if data.surface_sets:
        raw, nodes = take_faces_of(data, surface.faces)
        found, radius = _choose_points(raw, surface), 0.5 * (surface.thickness or 0.0)
    else:
        lines = list_lines(data)
        nodes, vertices = np.arange(len(data.nodes)), data.nodes
        radius = 0.5 * find_diameter(mesh, surface)
        raw = RawSurface(vertices, np.empty((0, 4), dtype=INDEX))
        if surface.points == "none":
            found = NO_POINTS
        elif surface.points == "vertices":
            found = take_line_nodes(vertices, lines, 2.0 * radius)
        else:
            found = take_lines(vertices, lines, 2.0 * radius, surface.spacing)
    points = _place(raw.vertices, found)
    carried = nodes, found.corners, found.weights
    return _finish(SurfaceData(*raw, points, found.areas, surface.is_shell, radius, *carried))


NO_POINTS = ContactPoints(np.empty((0, 4), dtype=INDEX), np.empty((0, 4)), np.empty(0))


def _choose_points(raw: RawSurface, surface: Surface) -> ContactPoints:
    if surface.points == "none":
        return NO_POINTS
    return take_vertices(raw) if surface.points == "vertices" else take_faces(raw, surface.spacing)


def _place(vertices: Array, found: ContactPoints) -> Array:
    return np.einsum("kc,kcx->kx", found.weights, vertices[found.corners])


def _finish(data: SurfaceData) -> SurfaceData:
    freeze(data)
    return data
