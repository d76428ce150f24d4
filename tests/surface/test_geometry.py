"""Geometries: closed, outwards, of the right size; contact points with areas; meshes; terrain."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from grouser.model.builder import ModelBuilder
from grouser.model.model import Model
from grouser.model.surface import Surface
from grouser.model.terrain import Grid, MeshTerrain, calc_terrain_height
from grouser.surface.data import SurfaceData
from grouser.surface.ground import make_ground_data
from grouser.surface.height import calc_surface_height
from grouser.surface.make import make_rigid_data, make_surface_data
from grouser.surface.quality import find_polygon_faults
from grouser.surface.raw import RawSurface, calc_areas, calc_volume, find_edges, is_triangle
from grouser.surface.triangulate import triangulate

GAP = {"teeth": 10, "arc_radius": 0.03, "arc_centre_radius": 0.25, "addendum_radius": 0.25, "width": 0.1}
VALLEY = {
    "teeth": 10,
    "face_angle": 0.3,
    "root_radius": 0.3,
    "tip_radius": 0.36,
    "round_radius": 0.01,
    "seat_radius": 0.02,
    "flat_width": 0.02,
    "width": 0.1,
}
TURN = 0.5 * math.sin(2.0 * math.pi / 32.0) * 32.0
"""Area of the polygon with 32 corners on the unit circle."""
LUG = 12 * (0.34 * 0.04 - 0.04 * math.sqrt(0.3**2 - 0.02**2))
# geometry, volume and area of what it stands for, and how well tessellation gives them
SOLIDS: dict[str, tuple[dict[str, Any], float, float, float]] = {
    "box": ({"type": "box", "sides": [1.0, 2.0, 0.3]}, 0.6, 5.8, 1e-12),
    "sphere": ({"type": "sphere", "radius": 0.5}, math.pi / 6.0, math.pi, 0.02),
    "capsule": ({"type": "capsule", "radius": 0.5, "length": 1.0}, 5.0 * math.pi / 12.0, 2.0 * math.pi, 0.02),
    "cylinder": ({"type": "cylinder", "radius": 1.0, "length": 0.5}, 0.5 * TURN, 2.0 * TURN + math.pi, 0.01),
    "wheel": (
        {"type": "cylinder", "radius": 0.3, "length": 0.2, "lugs": 12, "lug_height": 0.04, "lug_width": 0.04},
        0.2 * (math.pi * 0.09 + LUG),
        0.0,
        0.01,
    ),
    "extrusion": (
        {"type": "extrusion", "outline": [[0, 0], [0, 1], [0.5, 0.2], [1, 1], [1, 0]], "width": 0.4},
        0.24,
        1.2 + 0.4 * (3.0 + 2.0 * math.hypot(0.5, 0.8)),
        1e-12,
    ),
    "sprocket": ({"type": "sprocket", "planes": [-0.2, 0.2], **GAP}, 0.0, 0.0, 0.0),
    "toothed": ({"type": "toothed", **VALLEY}, 0.0, 0.0, 0.0),
}


def make_rigid(geometry: dict[str, Any], **fields: Any) -> SurfaceData:
    return make_rigid_data(Surface.model_validate({"group": "g", "body": "world", "geometry": geometry, **fields}))


def take_raw(data: SurfaceData) -> RawSurface:
    return RawSurface(data.vertices, data.polygons)


@pytest.mark.parametrize("fields", [{}, {"edge_length": 0.04}], ids=["default", "fine"])
@pytest.mark.parametrize("name", SOLIDS)
def test_solids_are_closed_and_of_their_size(name: str, fields: dict[str, Any]) -> None:
    geometry, volume, area, share = SOLIDS[name]
    data = make_rigid(geometry, **fields)
    raw = take_raw(data)
    assert not list(find_polygon_faults(raw, is_closed=True))
    edges = find_edges(raw.polygons, len(raw.vertices))
    # Euler: each ring by itself is a ball
    assert len(raw.vertices) - len(edges.uses) + len(raw.polygons) == 2 * len(geometry.get("planes", [0]))
    if volume:
        assert calc_volume(raw) == pytest.approx(volume, rel=share)
    if area:
        assert calc_areas(raw).sum() == pytest.approx(area, rel=share)
    if fields:
        ends = raw.vertices[edges.ends]
        assert np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).max() <= 0.04 * (1.0 + 1e-6)
    assert data.areas.sum() == pytest.approx(calc_areas(raw).sum(), rel=1e-12)
    assert len(data.points) == len(raw.vertices) and not data.points.flags.writeable
    # areas of points weigh positions as the surface does: the closed surface has no resultant of its normals
    assert (data.areas > 0.0).all()


def test_teeth_are_those_of_the_shapes() -> None:
    """Corners lie on the arcs of the gaps, the first of which is about x, or inside of a ring."""
    data = make_rigid({"type": "sprocket", **GAP})
    x, z = data.vertices[:, 0], data.vertices[:, 2]
    reach, turn = np.hypot(x, z), np.arctan2(z, x)
    offset = turn - 2.0 * np.pi / 10 * np.round(turn / (2.0 * np.pi / 10))
    away = np.hypot(reach * np.cos(offset) - 0.25, reach * np.sin(offset))
    on_land = np.abs(reach - 0.25) < 1e-12
    assert on_land.sum() == 2 * 10 * 4  # both ends of the land and two between
    assert away[~on_land & (reach > 0.0)] == pytest.approx(0.03, abs=1e-12)
    assert reach[np.abs(turn) < 1e-9].max() == pytest.approx(0.22) and reach.max() == pytest.approx(0.25)


def test_round_ones_lie_on_what_they_stand_for() -> None:
    ball = make_rigid({"type": "sphere", "radius": 0.5}, position=[1.0, 2.0, 3.0])
    assert np.linalg.norm(ball.vertices - [1.0, 2.0, 3.0], axis=1) == pytest.approx(0.5, abs=1e-12)
    capsule = make_rigid({"type": "capsule", "radius": 0.5, "length": 1.0})
    y = capsule.vertices[:, 1]
    inner = np.column_stack([np.zeros(len(y)), np.clip(y, -0.5, 0.5), np.zeros(len(y))])
    assert np.linalg.norm(capsule.vertices - inner, axis=1) == pytest.approx(0.5, abs=1e-12)


def test_points_on_faces_integrate_exactly() -> None:
    """Forces in proportion to the area: resultant and moment of a linear pressure are those of the faces."""
    data = make_rigid({"type": "box", "sides": [1.0, 2.0, 0.5]}, points="faces", spacing=0.06)
    assert data.areas.sum() == pytest.approx(7.0, rel=1e-12)
    assert data.areas @ data.points == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    top = data.points[:, 2] > 0.25 - 1e-12
    assert data.areas[top].sum() == pytest.approx(2.0, rel=1e-12)
    # int y^2 over the top is 2/3; midpoints of cells of size h miss h^2 A / 12 at most
    moment = float(data.areas[top] @ data.points[top, 1] ** 2)
    assert moment == pytest.approx(2.0 / 3.0, abs=2.0 * 0.06**2 / 12.0)


def test_points_of_triangles_cover_them() -> None:
    geometry = {"type": "polygons", "vertices": [[0, 0, 0], [3, 0, 0], [0, 3, 0]], "polygons": [[0, 1, 2]]}
    data = make_rigid(geometry, is_shell=True, thickness=0.02, points="faces", spacing=1.5)
    assert len(data.points) == 9 and data.areas == pytest.approx(0.5)
    assert data.areas @ data.points == pytest.approx([4.5, 4.5, 0.0])
    assert data.is_shell and data.radius == 0.01


def test_points_as_given() -> None:
    ways = {"positions": [[0, 0, 0.5], [0, 0, -0.5]], "position": [1, 0, 0], "orientation": [0, 1, 0, 0]}
    data = make_rigid({"type": "box", "sides": [1, 1, 1]}, **ways)
    assert data.points.tolist() == [[1.0, 0.0, -0.5], [1.0, 0.0, 0.5]] and data.areas.tolist() == [3.0, 3.0]
    assert make_rigid({"type": "box", "sides": [1, 1, 1]}, **ways, areas=[1.0, 2.0]).areas.tolist() == [1.0, 2.0]
    assert not len(make_rigid({"type": "box", "sides": [1, 1, 1]}, points="none").points)


def test_given_polygons_are_cut_without_gaps() -> None:
    """A tetrahedron with one long edge: neighbours are cut alike, so that it stays closed."""
    vertices = [[0, 0, 0], [4, 0, 0], [0, 0.3, 0], [0, 0, 0.3]]
    geometry = {"type": "polygons", "vertices": vertices, "polygons": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]}
    data = make_rigid(geometry, edge_length=0.5)
    assert not list(find_polygon_faults(take_raw(data), is_closed=True))
    assert calc_volume(take_raw(data)) == pytest.approx(0.06)
    edges = find_edges(data.polygons, len(data.vertices)).ends
    assert np.linalg.norm(np.diff(data.vertices[edges], axis=1), axis=2).max() <= 0.5
    assert data.areas.sum() == pytest.approx(make_rigid(geometry).areas.sum())


def test_triangles_of_outlines_fill_them() -> None:
    """Random star-shaped outlines, with corners on straight pieces: n - 2 triangles, none turned, of the same area."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        count = int(rng.integers(3, 30))
        angle, reach = np.sort(rng.uniform(0.0, 2.0 * np.pi, count)), rng.uniform(0.2, 1.0, count)
        corners = np.column_stack([reach * np.cos(angle), reach * np.sin(angle)])
        middles = 0.5 * (corners + np.roll(corners, -1, axis=0))
        outline = np.stack([corners, middles], axis=1).reshape(-1, 2)
        u, s = outline.T
        area = 0.5 * float(u @ np.roll(s, -1) - s @ np.roll(u, -1))
        if np.diff(angle, append=angle[0] + 2.0 * np.pi).max() > 3.0:
            continue  # it might cross itself
        triangles = outline[triangulate(outline)]
        a, b = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
        doubles = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        assert len(triangles) == len(outline) - 2 and (doubles > 0.0).all()
        assert 0.5 * doubles.sum() == pytest.approx(area, rel=1e-9)


LINEAR = {"type": "linear", "young": 2.0e11, "poisson": 0.3, "density": 7800.0}


def make_flexible() -> Model:
    builder = ModelBuilder("meshes")
    builder.add_mesh("block", "block", material=LINEAR, sides=[1.0, 2.0, 0.5], counts=[2, 4, 1], position=[0, 0, 3])
    ring = {"material": LINEAR, "element": "truss", "radius": 1.0, "count": 64}
    builder.add_mesh("ring", "ring", section={"circle": 0.02}, **ring)
    builder.add_mesh(
        "beam",
        "line",
        material=LINEAR,
        element="beam_thin",
        section={"area": 1e-4, "iy": 1e-9},
        count=8,
        start=[0, 0, 0],
        end=[2, 0, 0],
    )
    builder.add_surface("top", mesh="block", faces="z1", group="g", points="faces", spacing=0.25)
    builder.add_surface("whole", mesh="block", group="g")
    builder.add_surface("rope", mesh="ring", group="g")
    builder.add_surface("bar", mesh="beam", group="g", points="faces", spacing=0.1, thickness=0.05)
    return builder.build()


def test_surfaces_of_meshes_go_with_their_nodes() -> None:
    model = make_flexible()
    top, whole, rope, bar = (make_surface_data(model, shape) for shape in model.shapes.values())
    assert all(data.is_deforming for data in (top, whole, rope, bar))
    assert len(top.polygons) == 8 and not is_triangle(top.polygons).any() and len(top.vertices) == 15
    assert top.vertices[:, 2] == pytest.approx(3.5) and len(top.points) == 32 and top.areas == pytest.approx(1 / 16)
    assert not list(find_polygon_faults(take_raw(whole), is_closed=True))
    assert whole.areas.sum() == pytest.approx(7.0) and len(whole.points) == len(whole.nodes) == 30
    assert not len(rope.polygons) and rope.radius == 0.01
    assert rope.areas.sum() == pytest.approx(0.02 * 2.0 * math.pi, rel=1e-3)
    assert bar.radius == 0.025 and len(bar.points) == 24 and bar.areas.sum() == pytest.approx(0.1)
    for data in (top, whole, rope, bar):
        placed = np.einsum("kc,kcx->kx", data.weights, data.vertices[data.corners])
        assert placed == pytest.approx(data.points, abs=1e-12) and data.weights.sum(axis=1) == pytest.approx(1.0)


def test_grids_and_meshes_of_terrain_have_the_same_height() -> None:
    rng = np.random.default_rng(0)
    heights = rng.uniform(0.0, 0.3, (6, 5))
    grid = Grid(origin=(-1.0, 2.0), spacing=(0.5, 0.7), heights=heights.tolist())
    data = make_ground_data(grid)
    assert calc_volume(take_raw(data)) != 0.0 and len(data.polygons) == 20 and not len(data.points)
    at = data.vertices
    assert calc_terrain_height(grid, at[:, 0], at[:, 1]) == pytest.approx(at[:, 2], abs=1e-12)
    assert calc_surface_height(take_raw(data), at[:, 0], at[:, 1]) == pytest.approx(at[:, 2], abs=1e-12)
    polygons = {"type": "polygons", "vertices": at.tolist(), "polygons": data.polygons.tolist()}
    mesh = MeshTerrain.model_validate({"geometry": polygons})
    x, y = rng.uniform(-1.0, 1.5, 500), rng.uniform(2.0, 4.8, 500)
    apart = np.abs(calc_terrain_height(mesh, x, y) - calc_terrain_height(grid, x, y))
    twist = np.abs(heights[1:, 1:] - heights[:-1, 1:] - heights[1:, :-1] + heights[:-1, :-1]).max()
    assert 0.0 < apart.max() <= twist / 16.0 + 1e-12
    assert np.isnan(calc_terrain_height(mesh, -1.1, 3.0))
