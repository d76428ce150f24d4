"""What a hull looks like: the points that may touch the ground, and over tracks a plain superstructure with lamps."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix
from grouser.output.mesh import Array, Colour, make_box, make_lathe, make_slab, place
from grouser.output.shapes import PAINT, Parts

LAMP: Colour = (0.98, 0.93, 0.72)
TAIL: Colour = (0.70, 0.10, 0.08)
DECK: Colour = (0.31, 0.35, 0.23)
GLASS: Colour = (0.12, 0.16, 0.19)
HEIGHT_OVER_TRACKS = 0.2
"""Height of a superstructure as a share of the hull's length, for want of any word of the model on it."""
CLEARANCE = 0.04
"""Gap between the tracks and what is over them, as a share of the height over them."""


def make_block_parts(points: Array, com: Array, colour: Colour = PAINT) -> Parts | None:
    """The convex hull of points; flat ones are mirrored at the centre of mass. None where that has no volume."""
    for corners in (points, np.concatenate([points, 2.0 * com - points])):
        try:
            hull = ConvexHull(corners)
        except (QhullError, ValueError):
            continue
        triangles = corners[hull.simplices]
        across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        is_inward = (across * hull.equations[:, :3]).sum(axis=1) < 0
        triangles[is_inward] = triangles[is_inward][:, ::-1]
        return [(triangles, colour)]
    return None


def find_track_bounds(model: Model, body: str) -> tuple[Array, Array]:
    """Corners of the box around all links at the start, in the frame of a body [m]."""
    links = {link for track in model.tracks.values() for link in track.links}
    base = model.bodies[body]
    axes = quaternion_to_matrix(base.orientation)
    found = []
    for shape in model.shapes.values():
        if shape.body in links:
            link = model.bodies[shape.body]
            local = np.array(getattr(shape, "positions", None) or [shape.position])  # type: ignore[union-attr]
            world = link.position + local @ quaternion_to_matrix(link.orientation).T
            found.append((world - base.position) @ axes)
    found.append(np.array([(np.array(model.bodies[link].position) - base.position) @ axes for link in links]))
    points = np.concatenate(found)
    return points.min(axis=0), points.max(axis=0)


def make_vehicle_parts(model: Model, body: str, points: Array) -> Parts | None:
    """The hull of a tracked vehicle: the given points below, a superstructure over the tracks, lamps in front.

    Parameters
    ----------
    points : of the hull in its frame, x forward, z up [m]; without any, a tub between the tracks
    """
    low, high = find_track_bounds(model, body)
    com = np.array(model.bodies[body].com)
    length = high[0] - low[0]
    if len(points) == 0:
        inner = 0.6 * min(abs(low[1]), abs(high[1]))
        floor = low[2] + 0.5 * (high[2] - low[2])
        points = np.array([(x, y, floor) for x in (low[0], high[0]) for y in (-inner, inner)])
    front, rear = points[:, 0].max(), points[:, 0].min()
    tall = HEIGHT_OVER_TRACKS * length
    sill = max(high[2] + CLEARANCE * tall, points[:, 2].max())
    top = max(sill + tall, com[2])
    half = max(high[1], -low[1])
    tub = np.concatenate(
        [points, [(x, y, sill) for x in (rear, front) for y in (points[:, 1].min(), points[:, 1].max())]]
    )
    parts = make_block_parts(tub, com) or []
    brow = front - 0.75 * (top - sill)
    outline = [(rear, sill), (front, sill), (brow, top), (rear, top)]
    parts.append((make_slab(outline, half, -half), PAINT))
    return parts + _make_details(rear, front, brow, sill, top, half)


def _make_details(rear: float, front: float, brow: float, sill: float, top: float, half: float) -> Parts:
    """Lamps, hatches and tail lights, by which front, rear and left are told apart."""
    tall = top - sill
    parts: Parts = []
    slope = np.array([front - brow, 0.0, sill - top]) / np.hypot(front - brow, tall)
    normal = np.array([-slope[2], 0.0, slope[0]])
    axes = np.column_stack([slope, np.cross(normal, slope), normal])
    lamp = make_lathe(
        [(0.0, 0.0), (0.09 * tall, 0.0), (0.09 * tall, 0.1 * tall), (0.06 * tall, 0.12 * tall), (0.0, 0.12 * tall)]
    )
    for side in (-1.0, 1.0):
        place_lamp = np.array([front, side * 0.8 * half, sill]) - 0.25 * tall * slope
        parts.append((place(lamp, place_lamp, axes), LAMP))
        box = make_box((-0.02 * tall, -0.07 * tall, -0.1 * tall), (0.03 * tall, 0.07 * tall, 0.1 * tall))
        parts.append((place(box, (rear, side * 0.85 * half, sill + 0.5 * tall)), TAIL))
    hatch = [(0.0, 0.0), (0.32 * tall, 0.0), (0.32 * tall, 0.06 * tall), (0.26 * tall, 0.09 * tall), (0.0, 0.09 * tall)]
    parts.append((place(make_lathe(hatch), (brow - 0.45 * tall, 0.45 * half, top)), DECK))
    parts.append((place(make_lathe(hatch), (brow - 1.3 * tall, 0.0, top)), DECK))
    block = make_box((-0.05 * tall, -0.16 * tall, 0.0), (0.05 * tall, 0.16 * tall, 0.08 * tall))
    parts.append((place(block, (brow - 0.08 * tall, 0.45 * half, top)), GLASS))
    return parts
