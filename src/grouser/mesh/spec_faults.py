"""Faults of the fields of a mesh, before any node of it is made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from grouser.mesh.ancf_faults import find_ancf_field_faults
from grouser.mesh.ball import calc_even_edge, count_bricks
from grouser.model.check import SHORTEST, find_direction_faults, find_orientation_faults
from grouser.model.fault import Fault, Path, make_fault
from grouser.model.material import find_material_faults
from grouser.model.mesh import (
    MOST_CELLS,
    MOST_CORNERS,
    MOST_NODES,
    BallMesh,
    BeltMesh,
    BlockMesh,
    Cord,
    FileMesh,
    LineMesh,
    LinesMesh,
    Mesh,
    MeshOfLines,
    PlateMesh,
    RingMesh,
    WebsMesh,
)
from grouser.model.section import find_section_faults

FINEST = 1e-6
"""Shortest edges at the pole of a ball over its radius."""
UNFIT = 1e-6
"""Share by which the tangents of a line may miss those of an arc."""


def find_spec_faults(path: Path, mesh: Mesh) -> Iterator[Fault]:
    """Faults of a mesh that need no nodes to be seen."""
    yield from find_orientation_faults((*path, "orientation"), mesh.orientation)
    yield from find_material_faults((*path, "material"), mesh.material)
    yield from _find_damping_faults((*path, "material"), mesh)
    if isinstance(mesh, LineMesh):
        yield from _find_line_faults(path, mesh)
    elif isinstance(mesh, RingMesh):
        yield from _find_ring_faults(path, mesh)
    elif isinstance(mesh, LinesMesh):
        yield from _find_lines_faults(path, mesh)
    elif isinstance(mesh, BlockMesh | PlateMesh):
        yield from _find_block_faults(path, mesh)
    elif isinstance(mesh, BallMesh):
        yield from _find_ball_faults(path, mesh)
    elif isinstance(mesh, BeltMesh):
        yield from _find_belt_faults(path, mesh)
    elif isinstance(mesh, WebsMesh):
        yield from _find_webs_faults(path, mesh)
    if isinstance(mesh, MeshOfLines):
        yield from _find_element_faults(path, mesh)
    if isinstance(mesh, LineMesh | RingMesh):
        yield from find_ancf_field_faults(path, mesh)


def _find_damping_faults(path: Path, mesh: Mesh) -> Iterator[Fault]:
    """Damping of the other kind of elements, which would do nothing."""
    material = mesh.material
    if isinstance(mesh, LineMesh | RingMesh) and mesh.element == "ancf_beam":
        if material.damping > 0.0:
            text = "is damping of trusses and beams of other kinds; give 'dilatational' and 'deviatoric' for ancf_beam"
            yield make_fault((*path, "damping"), text)
    elif isinstance(mesh, LineMesh | RingMesh | LinesMesh):
        for name in ("dilatational", "deviatoric"):
            if getattr(material, name) > 0.0:
                yield make_fault((*path, name), "is damping of bricks, and the mesh has lines; give 'damping' instead")
    elif not isinstance(mesh, FileMesh) and material.damping > 0.0:
        yield make_fault(
            (*path, "damping"),
            "is damping of lines, and the mesh has bricks; give 'dilatational' and 'deviatoric' instead",
        )


def _find_element_faults(path: Path, mesh: MeshOfLines) -> Iterator[Fault]:
    if (mesh.element is None) != (mesh.section is None):
        given, missing = ("element", "section") if mesh.section is None else ("section", "element")
        yield make_fault(path, f"has {given!r} and no {missing!r}; lines of a file need both, bricks need neither")
        return
    if mesh.element is None or mesh.section is None:
        return
    yield from find_section_faults((*path, "section"), mesh.section, mesh.element)
    if mesh.is_rope and mesh.element != "truss":
        yield make_fault((*path, "is_rope"), f"is true, and only trusses are ropes; the element is {mesh.element!r}")
    if mesh.normal is not None:
        yield from find_direction_faults((*path, "normal"), mesh.normal, "the direction of the section's z axis")


def _find_corner_faults(path: Path, corners: Sequence[Sequence[float]], least: int, *, closed: bool) -> Iterator[Fault]:
    """Too few points or too many, or two at one place after each other."""
    if not least <= len(corners) <= MOST_CORNERS:
        yield make_fault(path, f"has {len(corners)} points; {least} to {MOST_CORNERS:,} are taken")
        return
    for i, point in enumerate(corners):
        if (i > 0 or closed) and math.dist(corners[i - 1], point) < SHORTEST:
            where = "the one before" if i else "the last one"
            yield make_fault((*path, i), f"is where {where} is; leave it out, so that each piece has a length")
            return


def _find_line_faults(path: Path, mesh: LineMesh) -> Iterator[Fault]:
    if (mesh.points is None) == (mesh.start is None and mesh.end is None):
        yield make_fault(path, "needs either 'start' and 'end', or 'points'")
        return
    if mesh.points is not None:
        yield from _find_corner_faults((*path, "points"), mesh.points, 2, closed=False)
        pieces = len(mesh.points) - 1
    elif mesh.start is None or mesh.end is None:
        yield make_fault(path, f"missing key {'start' if mesh.start is None else 'end'!r} [m]")
        return
    else:
        pieces = 1
        if math.dist(mesh.start, mesh.end) < SHORTEST:
            yield make_fault((*path, "end"), "is where 'start' is, so the line has no length; move one of them")
    yield from _find_size_faults(path, pieces, mesh.count)
    if mesh.element == "beam_thin" and pieces * mesh.count < 2:
        yield make_fault((*path, "count"), "is 1, and thin beams need at least 2 elements: they bend where two meet")


def _find_webs_faults(path: Path, mesh: WebsMesh) -> Iterator[Fault]:
    yield from _find_end_faults(path, mesh)
    yield from _find_size_faults((*path, "counts"), len(mesh.ends), *mesh.counts, len(mesh.rows))
    if mesh.tangents is not None:
        yield from _find_tangent_faults((*path, "tangents"), mesh)
    depth = sum(row.thickness for row in mesh.rows)
    if mesh.below > depth:
        yield make_fault((*path, "below"), f"is {mesh.below:g} m, and all rows together are {depth:g} m thick")
    for i, row in enumerate(mesh.rows):
        if row.material is not None:
            yield from find_material_faults((*path, "rows", i, "material"), row.material)
    for i, cord in enumerate(mesh.cords):
        yield from _find_cord_faults((*path, "cords", i), cord, len(mesh.rows))


def _find_end_faults(path: Path, mesh: LinesMesh | WebsMesh) -> Iterator[Fault]:
    """No lines or too many, or one without length."""
    if not 1 <= len(mesh.ends) <= MOST_CORNERS:
        yield make_fault((*path, "ends"), f"has {len(mesh.ends)} lines; 1 to {MOST_CORNERS:,} are taken")
        return
    for i, (start, end) in enumerate(mesh.ends):
        if math.dist(start, end) < SHORTEST:
            yield make_fault((*path, "ends", i), "has both ends at one place, so the line has no length; move one")
            return


def _find_lines_faults(path: Path, mesh: LinesMesh) -> Iterator[Fault]:
    yield from _find_end_faults(path, mesh)
    yield from _find_size_faults(path, len(mesh.ends), mesh.count)
    if mesh.element == "beam_thin" and mesh.count < 2:
        yield make_fault((*path, "count"), "is 1, and thin beams need at least 2 elements: they bend where two meet")
    if mesh.tangents is not None:
        yield from _find_tangent_faults((*path, "tangents"), mesh)


def _find_tangent_faults(path: Path, mesh: LinesMesh | WebsMesh) -> Iterator[Fault]:
    """Tangents that are none, or between which no arc fits."""
    tangents = mesh.tangents or []
    if isinstance(mesh, LinesMesh) and mesh.element != "beam_thick":
        yield make_fault(path, f"bend thick beams alone, and the element is {mesh.element!r}; leave them out")
        return
    if len(tangents) != len(mesh.ends):
        yield make_fault(path, f"has {len(tangents)} pairs for {len(mesh.ends)} lines; give each line its two")
        return
    for i, (ends, pair) in enumerate(zip(mesh.ends, tangents, strict=True)):
        found = [
            f for k in range(2) for f in find_direction_faults((*path, i, k), pair[k], "the direction of the line")
        ]
        yield from found
        if found:
            return
        chord = np.subtract(ends[1], ends[0])
        first, last = (np.array(t) / np.linalg.norm(t) for t in pair)
        along = first + last
        size = np.linalg.norm(along) * np.linalg.norm(chord)
        if along @ chord <= UNFIT * size or np.linalg.norm(np.cross(along, chord)) > UNFIT * size:
            yield make_fault(
                (*path, i),
                "is not of an arc from start to end: both must lean away from the chord by the same angle, "
                "below a right one, to the same side",
            )
            return


def _find_ring_faults(path: Path, mesh: RingMesh) -> Iterator[Fault]:
    if (mesh.points is None) == (mesh.radius is None):
        yield make_fault(path, "needs either 'radius' or 'points'")
        return
    yield from find_direction_faults((*path, "axis"), mesh.axis, "the axis of the circle")
    if mesh.points is not None:
        yield from _find_corner_faults((*path, "points"), mesh.points, 3, closed=True)
        yield from _find_size_faults(path, len(mesh.points), mesh.count)
    elif mesh.count < 3:
        yield make_fault((*path, "count"), f"is {mesh.count}; a circle needs at least 3 elements")


def _find_block_faults(path: Path, mesh: BlockMesh | PlateMesh) -> Iterator[Fault]:
    yield from _find_size_faults((*path, "counts"), *mesh.counts)
    if mesh.bend == 0.0:
        yield make_fault((*path, "bend"), "is a radius of 0 m; leave it out for a straight one")
    if isinstance(mesh, PlateMesh):
        return
    if (mesh.sides is None) == (mesh.corners is None):
        yield make_fault(path, "needs either 'sides' or 'corners'")
    elif mesh.corners is not None and len(mesh.corners) != 8:
        yield make_fault((*path, "corners"), f"has {len(mesh.corners)} points; a block has 8 corners")
    elif mesh.corners is not None and "origin" in mesh.model_fields_set:
        yield make_fault((*path, "origin"), "is that of a block with 'sides'; leave it out, the corners say it")


def _find_ball_faults(path: Path, mesh: BallMesh) -> Iterator[Fault]:
    found = []
    if mesh.count % 2:
        found.append(make_fault((*path, "count"), f"is {mesh.count}; a ball needs an even number"))
    if mesh.is_half and mesh.edge_top is not None:
        found.append(make_fault((*path, "edge_top"), "is for the upper half, and 'is_half' leaves it out; so leave it"))
    even = calc_even_edge(mesh)
    for name, edge in (("edge_bottom", mesh.edge_bottom), ("edge_top", mesh.edge_top)):
        if edge is not None and not FINEST * mesh.radius <= edge <= even * (1.0 + 1e-9):
            text = (
                f"is {edge:g} m; with {mesh.count} elements along a quarter of a ball of {mesh.radius:g} m, edges at "
                f"its poles are {FINEST * mesh.radius:g} to {even:.4g} m long"
            )
            found.append(make_fault((*path, name), text))
    yield from found or _find_size_faults(path, count_bricks(mesh))


def _find_belt_faults(path: Path, mesh: BeltMesh) -> Iterator[Fault]:
    if (mesh.wheels is None) == (mesh.points is None):
        yield make_fault(path, "needs either 'wheels' or 'points'")
        return
    yield from _find_size_faults((*path, "counts"), *mesh.counts)
    if mesh.counts[0] < 3:
        yield make_fault((*path, "counts", 0), f"is {mesh.counts[0]}; a closed belt has at least 3 elements along it")
    if mesh.wheels is not None and not 1 <= len(mesh.wheels) <= MOST_CORNERS:
        yield make_fault((*path, "wheels"), f"has {len(mesh.wheels)} wheels; 1 to {MOST_CORNERS:,} are taken")
    if mesh.points is not None:
        found = list(_find_corner_faults((*path, "points"), mesh.points, 3, closed=True))
        yield from found
        if not found:
            yield from _find_area_faults((*path, "points"), mesh.points)
    for i, cord in enumerate(mesh.cords):
        yield from _find_cord_faults((*path, "cords", i), cord, mesh.counts[2])


def _find_area_faults(path: Path, points: Sequence[tuple[float, float]]) -> Iterator[Fault]:
    """Points on one line."""
    corners = np.array(points)
    long, wide = np.linalg.svd(corners - corners.mean(axis=0), compute_uv=False)
    if wide < 1e-9 * long:
        yield make_fault(path, "is on one line, so that it encloses no area; give the corners of a loop")


def _find_cord_faults(path: Path, cord: Cord, layers: int) -> Iterator[Fault]:
    if cord.level > layers:
        yield make_fault(
            (*path, "level"), f"is {cord.level}, and the belt has levels 0 (inner face) to {layers} (outer face)"
        )
    if cord.element == "beam_thin" and cord.iy is None:
        yield make_fault(path, "missing key 'iy' [m^4], which thin beams need; or take 'truss'")
    if cord.element == "truss" and cord.iy is not None:
        yield make_fault((*path, "iy"), "is for cords that bend, and a truss does not; take 'beam_thin'")
    if cord.element != "truss" and cord.is_rope:
        yield make_fault((*path, "is_rope"), f"is true, and only trusses are ropes; the element is {cord.element!r}")


def _find_size_faults(path: Path, *counts: int) -> Iterator[Fault]:
    """More elements or nodes than a mesh may have, before memory is taken for them."""
    total = math.prod(counts)
    nodes = math.prod(count + 1 for count in counts)
    if len(counts) == 3 and total <= MOST_CELLS and nodes > MOST_NODES:
        yield make_fault(path, f"makes {nodes:,} nodes; at most {MOST_NODES:,} are taken, so take larger elements")
    if total > MOST_CELLS:
        yield make_fault(path, f"makes {total:,} elements; at most {MOST_CELLS:,} are taken, so take larger ones")
