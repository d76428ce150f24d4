"""What wheels on tyres and the body over them look like; the model tells only where the tyres are and how large."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grouser.families.tyre.spec import Tyre
from grouser.model.model import Model
from grouser.model.rotation import make_axis_frame, quaternion_to_matrix
from grouser.model.start import calc_world_frame
from grouser.output.hull_shapes import DECK, GLASS, LAMP, TAIL, make_block_parts
from grouser.output.mesh import SEGMENTS, Array, make_box, make_rod, place
from grouser.output.shapes import PAINT, STEEL, Parts, make_disc_parts


def make_tyre_parts(tyre: Tyre) -> Parts:
    """A wheel with its tyre, in the frame of its body."""
    half = 0.5 * tyre.width
    parts = make_disc_parts(tyre.radius, -half, half)
    parts.append((make_rod((0, 0, -half), (0, 0, half), 0.15 * tyre.radius, SEGMENTS), STEEL))
    frame = quaternion_to_matrix(tyre.frame.orientation)
    axes = make_axis_frame(frame[:, 1])
    return [(place(solid, tyre.frame.position, axes), colour) for solid, colour in parts]


def make_car_parts(model: Model, body: str, tyres: Sequence[Tyre]) -> Parts:
    """A body over the wheels: a tub between them, a bonnet, a cab with windows, and a bed, with lamps at both ends."""
    base = model.bodies[body]
    axes = quaternion_to_matrix(base.orientation)
    centres = np.array([(calc_world_frame(model, tyre.frame)[0] - base.position) @ axes for tyre in tyres])
    radius, width = max(tyre.radius for tyre in tyres), max(tyre.width for tyre in tyres)
    front, rear = centres[:, 0].max() + 1.25 * radius, centres[:, 0].min() - 1.35 * radius
    half = float(np.abs(centres[:, 1]).max()) + 0.5 * width
    inner = half - 1.3 * width
    axle = float(centres[:, 2].mean())
    sill, deck, roof = axle + 1.15 * radius, axle + 1.75 * radius, axle + 2.75 * radius
    cab_front, cab_rear = front - 2.4 * radius, front - 6.2 * radius
    com = np.array(base.com)
    blocks = (
        (
            _make_corners(
                [(rear, axle - 0.1 * radius), (front, axle - 0.1 * radius), (front, sill), (rear, sill)], inner
            ),
            DECK,
        ),
        (
            _make_corners(
                [(rear, sill), (front, sill), (front, deck - 0.2 * radius), (cab_front, deck), (rear, deck)], half
            ),
            PAINT,
        ),
        (
            _make_corners(
                [(cab_rear, deck), (cab_front, deck), (cab_front - 0.45 * radius, roof), (cab_rear, roof)], 0.93 * half
            ),
            PAINT,
        ),
    )
    parts: Parts = []
    for corners, colour in blocks:
        parts += make_block_parts(corners, com, colour) or []
    screen = _make_corners(
        [(cab_front - 0.04 * radius, deck + 0.2 * radius), (cab_front + 0.05 * radius, deck + 0.2 * radius),
         (cab_front - 0.36 * radius, roof - 0.12 * radius), (cab_front - 0.45 * radius, roof - 0.12 * radius)],
        0.8 * half,
    )  # fmt: skip
    parts += make_block_parts(screen, com, GLASS) or []
    size = 0.16 * radius
    for side in (-1.0, 1.0):
        lamp = make_box((-size, -size, -size), (0.4 * size, size, size))
        parts.append((place(lamp, (front, 0.7 * side * half, 0.5 * (sill + deck))), LAMP))
        parts.append((place(lamp, (rear + 0.5 * size, 0.85 * side * half, 0.5 * (sill + deck))), TAIL))
    return parts


def _make_corners(outline: Sequence[tuple[float, float]], half: float) -> Array:
    """Corners of an outline (x, z) drawn out to both sides."""
    return np.array([(x, side * half, z) for x, z in outline for side in (-1.0, 1.0)])
