"""What a hull looks like: the points that may touch the ground, and over tracks a plain superstructure with lamps."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from grouser.mesh.make import make_mesh_data
from grouser.model.contact import Pin, Points, Rail, Shape, Strip
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix
from grouser.output.mesh import Array, Colour, make_box, make_lathe, place
from grouser.output.shapes import PAINT, Parts

LAMP: Colour = (0.98, 0.93, 0.72)
TAIL: Colour = (0.70, 0.10, 0.08)
DECK: Colour = (0.265, 0.30, 0.195)
GLASS: Colour = (0.12, 0.16, 0.19)
HEIGHT_OVER_TRACKS = 0.2
"""Height of a superstructure as a share of the hull's length, for want of any word of the model on it."""
CLEARANCE = 0.04
"""Gap between the tracks and what is over them, as a share of the height over them."""


def make_block_parts(points: Array, com: Array, colour: Colour) -> Parts | None:
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


def make_front_parts(points: Array) -> Parts:
    """Two lamps on the face of a block that looks ahead, along x."""
    front = points[points[:, 0] > points[:, 0].max() - 1e-6]
    middle, half = front.mean(axis=0), 0.3 * np.ptp(points[:, 1])
    size = 0.08 * float(np.ptp(points, axis=0).max())
    lamp = size * make_box((-0.5, -0.5, -0.5), (0.3, 0.5, 0.5))
    return [(place(lamp, middle + side * half * np.array([0.0, 1.0, 0.0])), LAMP) for side in (-1.0, 1.0)]


def _find_points(shape: Shape) -> Array:
    """Points that a shape reaches to, in its body's frame (n, 3)."""
    if isinstance(shape, Points | Pin):
        return np.array(shape.positions)
    if isinstance(shape, Rail):
        return np.array([(x, shape.y, z) for x, z in shape.points])
    return np.array([shape.start, shape.end] if isinstance(shape, Strip) else [shape.position])


def find_track_bounds(model: Model, body: str) -> tuple[Array, Array]:
    """Corners of the box around all links at the start, in the frame of a body [m]."""
    links = {link for track in model.tracks.values() for link in track.links}
    base = model.bodies[body]
    axes = quaternion_to_matrix(base.orientation)
    found = []
    for shape in model.shapes.values():
        if shape.body in links:
            link = model.bodies[shape.body]
            local = _find_points(shape)
            world = link.position + local @ quaternion_to_matrix(link.orientation).T
            found.append((world - base.position) @ axes)
    for track in model.tracks.values():
        if track.chain is not None:
            world = make_mesh_data(model.meshes[track.chain]).nodes
            found += [(world + way * track.pitch / 4.0 - base.position) @ axes for way in (-axes[:, 1], axes[:, 1])]
    places = np.array([model.bodies[link].position for link in links]).reshape(-1, 3)
    found.append((places - base.position) @ axes)
    points = np.concatenate(found)
    return points.min(axis=0), points.max(axis=0)


def make_vehicle_parts(model: Model, body: str, points: Array) -> Parts:
    """The hull of a tracked vehicle: the given points below, a superstructure over the tracks, lamps in front.

    Parameters
    ----------
    points : of the hull in its frame, x forward, z up [m]; without any, a tub between the tracks
    """
    low, high = find_track_bounds(model, body)
    com = np.array(model.bodies[body].com)
    if len(points) == 0:
        inner = 0.6 * min(abs(low[1]), abs(high[1]))
        floor = low[2] + 0.5 * (high[2] - low[2])
        points = np.array([(x, y, floor) for x in (low[0], high[0]) for y in (-inner, inner)])
    front, rear = points[:, 0].max(), points[:, 0].min()
    tall = HEIGHT_OVER_TRACKS * max(front - rear, high[0] - low[0])
    sill = max(high[2] + CLEARANCE * tall, points[:, 2].max())
    top = max(sill + tall, com[2])
    half = max(high[1], -low[1])
    tub = np.concatenate(
        [points, [(x, y, sill) for x in (rear, front) for y in (points[:, 1].min(), points[:, 1].max())]]
    )
    parts = make_block_parts(tub, com, DECK) or []
    brow = front - 0.75 * (top - sill)
    parts += make_block_parts(_bevel(rear, front, brow, sill, top, half), com, PAINT) or []
    return parts + _make_details(rear, front, brow, sill, top, half)


def _bevel(rear: float, front: float, brow: float, sill: float, top: float, half: float) -> Array:
    """Corners of the superstructure, the edges of its roof cut."""
    cut = 0.1 * (top - sill)
    section = [(half, sill), (half, top - cut), (half - cut, top)]
    ends = [(rear, brow + (front - brow) * (top - z) / (top - sill)) for _, z in section]
    return np.array(
        [(x, side * y, z) for (y, z), xs in zip(section, ends, strict=True) for x in xs for side in (-1, 1)]
    )


def _make_details(rear: float, front: float, brow: float, sill: float, top: float, half: float) -> Parts:
    """Lamps, a board and hatches, a door and tail lights, by which front, rear and left are told apart."""
    tall = top - sill
    slope = np.array([front - brow, 0.0, sill - top]) / np.hypot(front - brow, tall)
    normal = np.array([-slope[2], 0.0, slope[0]])
    axes = np.column_stack([slope, np.cross(normal, slope), normal])
    nose = np.array([front, 0.0, sill])
    parts: Parts = []
    lamp = make_lathe([(0, 0), (0.075, 0), (0.075, 0.08), (0.05, 0.1), (0, 0.1)])
    tail = make_box((-0.03, -0.06, -0.09), (0.03, 0.06, 0.09))
    for side in (-1.0, 1.0):
        parts.append((place(tall * lamp, nose + side * 0.82 * half * axes[:, 1] - 0.2 * tall * slope, axes), LAMP))
        parts.append((place(tall * tail, (rear, side * 0.88 * half, sill + 0.55 * tall)), TAIL))
    board = make_box((-0.85 * tall, -0.62 * half, 0.0), (-0.18 * tall, 0.62 * half, 0.05 * tall))
    parts.append((place(board, nose, axes), DECK))
    door = make_box((-0.03 * tall, -0.6 * half, 0.08 * tall), (0.0, 0.6 * half, 0.9 * tall))
    parts.append((place(door, (rear, 0.0, sill)), DECK))
    hatch = tall * make_lathe([(0, 0), (0.3, 0), (0.3, 0.06), (0.25, 0.09), (0, 0.09)])
    parts.append((place(hatch, (brow - 0.45 * tall, 0.45 * half, top)), DECK))
    parts.append((place(hatch, (brow - 1.4 * tall, 0.0, top)), DECK))
    glass = tall * make_box((-0.05, -0.16, 0.0), (0.05, 0.16, 0.08))
    parts.append((place(glass, (brow - 0.1 * tall, 0.45 * half, top)), GLASS))
    grille = make_box((-0.8 * tall, -0.75 * half, 0.0), (-0.2 * tall, -0.15 * half, 0.03 * tall))
    parts.append((place(grille, (brow, 0.0, top)), GLASS))
    return parts
