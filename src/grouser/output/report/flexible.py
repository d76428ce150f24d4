"""Flexible meshes in reports: places of their nodes, and values by which they are coloured, as numbers of two bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from grouser.output.colour_scale import find_scale
from grouser.output.deforming import make_deforming
from grouser.output.mesh_motion import read_seen_nodes
from grouser.output.mesh_values import QUANTITIES, find_blocks, list_quantities, read_values
from grouser.output.units import choose_unit

if TYPE_CHECKING:
    from grouser.output.deforming import Deforming
    from grouser.output.mesh import Array
    from grouser.output.report.packer import Packer
    from grouser.result.result import Result

NUMBERS_PER_POSE = 20
"""A report has so many numbers of flexible meshes for each pose of a body that it may have: those have two bytes, and
most of the time they are spread over fewer frames."""


def count_poses(result: Result) -> float:
    """What a frame of a result costs in a report, as a number of poses of bodies."""
    model, deforming = result.model, make_deforming(result.model)
    numbers = sum(3 * len(mesh.nodes) for mesh in deforming)
    for key in list_quantities(result, deforming):
        for mesh in deforming:
            held = find_blocks(result, mesh, key)
            numbers += (len(mesh.nodes) if "brick" in held else len(mesh.lines)) if held else 0
    return len(model.bodies) + len(model.points) + numbers / NUMBERS_PER_POSE


def pack_meshes(result: Result, deforming: Sequence[Deforming], packer: Packer) -> list[dict[str, Any]]:
    """Flexible meshes with all frames of a result."""
    return [_pack_mesh(result, mesh, packer) for mesh in deforming]


def _pack_mesh(result: Result, mesh: Deforming, packer: Packer) -> dict[str, Any]:
    """A mesh. Places are told from its middle in each frame, to within a 131068th of its size: so one that drives far
    away is as sharp as one that stays."""
    offset = np.empty((len(result.time), len(mesh.nodes), 3), dtype=np.float32)
    middle = np.empty((len(result.time), 3))
    done = 0
    for part in result.split_frames():
        places = read_seen_nodes(part, mesh)
        rows = slice(done, done + len(places))
        middle[rows] = places.mean(axis=1)
        offset[rows] = places - middle[rows, np.newaxis]
        done = rows.stop
    return {
        "name": mesh.name,
        "corner": packer.add(mesh.corner, "u4"),
        "skin": packer.add(mesh.skin, "u4"),
        "lines": packer.add(mesh.lines, "u4"),
        "radius": mesh.radius,
        "colour": [round(255 * part) for part in mesh.colour],
        "middle": packer.add(middle, "f4"),
        "offset": packer.add_range(offset),
    }


def pack_mesh_channels(result: Result, deforming: Sequence[Deforming], packer: Packer) -> list[dict[str, Any]]:
    """Quantities by which meshes are coloured, with all frames of a result."""
    return [_pack_channel(result, deforming, key, packer) for key in list_quantities(result, deforming)]


def _pack_channel(result: Result, deforming: Sequence[Deforming], key: str, packer: Packer) -> dict[str, Any]:
    quantity = QUANTITIES[key]
    held: dict[int, tuple[int, Array]] = {}
    for number, mesh in enumerate(deforming):
        parts = [values for part in result.split_frames() if (values := read_values(part, mesh, key)) is not None]
        if parts:
            # of nodes and bars only those of the kind that has values
            nodes = len(mesh.nodes)
            first, last = (0, nodes) if "brick" in find_blocks(result, mesh, key) else (nodes, None)
            held[number] = first, np.concatenate([values[:, first:last] for values in parts])
    low, high = find_scale(np.concatenate([values.ravel() for _, values in held.values()]))
    factor, unit = choose_unit([low, high], quantity.unit)
    least = min(float(np.nanmin(values, initial=low)) for _, values in held.values())
    largest = max(float(np.nanmax(values, initial=high)) for _, values in held.values())
    return {
        "key": key,
        "label": quantity.label,
        "unit": unit,
        "bodies": [],
        "values": packer.add_range(np.empty(0)),
        "meshes": [
            {"mesh": number, "first": first, "count": values.shape[1], "values": packer.add_range(factor * values)}
            for number, (first, values) in held.items()
        ],
        "low": factor * low,
        "high": factor * high,
        "isCutLow": least < low,
        "isCut": largest > high,
    }
