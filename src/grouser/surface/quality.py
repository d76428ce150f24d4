"""Faults of polygons: what the contact search cannot tell inside from outside of, and what has no area."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grouser.mesh.finding import say_first
from grouser.surface.raw import RawSurface, calc_facets, calc_volume, find_edges, is_triangle

FLAT = 1e-12
"""A polygon whose area is smaller than this share of the square of its longest edge has none."""


def find_polygon_faults(raw: RawSurface, *, is_closed: bool) -> Iterator[str]:
    """The first thing that is wrong with a surface, as a sentence. Polygons and vertices count from 0.

    Parameters
    ----------
    is_closed : it has to be closed, and its polygons look outwards
    """
    found = _find_row_faults(raw) or _find_area_faults(raw) or _find_edge_faults(raw, is_closed)
    yield from found or (_find_side_faults(raw) if is_closed else [])


def _find_row_faults(raw: RawSurface) -> list[str]:
    """Vertices that do not exist, or that a polygon has twice."""
    count = len(raw.vertices)
    outside = (raw.polygons < 0) | (raw.polygons >= count)
    if outside.any():
        polygon, place = np.argwhere(outside)[0]
        return [
            f"polygon {polygon} has vertex {raw.polygons[polygon, place]}, which is missing: there are vertices 0 to "
            f"{count - 1}; put its numbers right"
        ]
    corners = np.sort(raw.polygons, axis=1)
    same = (corners[:, 1:] == corners[:, :-1]).sum(axis=1) > is_triangle(raw.polygons)
    if same.any():
        return [f"polygon {say_first(same)} a polygon with the same vertex twice; give each of its corners one"]
    return []


def _find_area_faults(raw: RawSurface) -> list[str]:
    facets = calc_facets(raw)
    corners = raw.vertices[raw.polygons]
    longest = ((np.roll(corners, -1, axis=1) - corners) ** 2).sum(axis=2).max(axis=1)
    areas = 0.5 * np.linalg.norm(facets, axis=2).sum(axis=1)
    if not areas.sum() > 0.0:
        return ["has no area: all of its vertices lie at one place or on a line; give other vertices"]
    flat = areas <= FLAT * longest
    if flat.any():
        return [
            f"polygon {say_first(flat)} without area: its corners lie on a line; leave it out, or merge the vertices "
            "that lie at one place"
        ]
    mean = facets.sum(axis=1)
    folded = ((facets * mean[:, None]).sum(axis=2) < 0.0).any(axis=1)
    if folded.any():
        return [
            f"polygon {say_first(folded)} a quadrilateral with a corner that is not convex, or folded; cut it into "
            "triangles"
        ]
    return []


def _find_edge_faults(raw: RawSurface, is_closed: bool) -> list[str]:
    """Edges with three polygons, polygons that are turned differently from their neighbours, open edges."""
    edges = find_edges(raw.polygons, len(raw.vertices))
    crowded = edges.uses > 2
    if crowded.any():
        a, b = edges.ends[np.argmax(crowded)]
        return [
            f"is not manifold: {int(edges.uses[np.argmax(crowded)])} polygons meet at the edge between vertices {a} "
            f"and {b}{_say_more(crowded)}, and there is no telling inside from outside; leave out inner walls and "
            "polygons that lie twice"
        ]
    turned = (edges.uses == 2) & (edges.forward != 1)
    if turned.any():
        a, b = edges.ends[np.argmax(turned)]
        return [
            f"the two polygons at the edge between vertices {a} and {b}{_say_more(turned)} are turned differently, one "
            "clockwise and one anticlockwise; turn one, so that all are anticlockwise seen from outside"
        ]
    rim = edges.uses == 1
    if is_closed and rim.any():
        a, b = edges.ends[np.argmax(rim)]
        return [
            f"is open: the edge between vertices {a} and {b}{_say_more(rim)} has a polygon on one side only, and a "
            "body needs an inside; close it, or say 'is_shell: true'"
        ]
    return []


def _find_side_faults(raw: RawSurface) -> list[str]:
    volume = calc_volume(raw)
    if volume < 0.0:
        return [
            f"is inside out: its polygons are clockwise seen from outside (volume {volume:.3g} m^3); say "
            "'flip: true', or turn them"
        ]
    return []


def _say_more(marks: np.ndarray) -> str:
    count = int(marks.sum())
    return "" if count == 1 else f" (the first of {count} such edges)"
