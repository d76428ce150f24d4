"""Shapes of cells: bricks that are inside out or flat, lines without length, nodes at one place, and warnings."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grouser.mesh.finding import Finding, make_finding, say_first
from grouser.mesh.lines import choose_normal
from grouser.mesh.raw import RawMesh
from grouser.mesh.trilinear import CHUNK, EDGES, SIGNS, calc_determinants, calc_jacobians
from grouser.model.mesh import BlockMesh, Mesh, MeshOfLines, PlateMesh

SHORTEST_EDGE = 1e-6
"""Lines are longer than this [m]."""
FLAT = 1e-6
"""A corner of a brick whose three edges, of unit length, span less is flat."""
LARGEST_ASPECT = 20.0
"""Longest edge over smallest thickness beyond which a brick is warned of."""
SHARP = 0.1
"""A corner of a brick whose three edges, of unit length, span less is warned of."""
SAME = 1e-6
"""Two nodes that are nearer than this share of the shortest edge are at the same place."""
TURNED = ("beam_thick", "ancf_beam")
"""Elements whose section has axes."""
PARALLEL = 1e-3
"""Least sine of the angle between a line and the normal of its section."""


def find_shape_faults(raw: RawMesh, mesh: Mesh) -> Iterator[Finding]:
    """What no element can be made of."""
    edges = raw.find_edges()
    way = raw.nodes[edges[:, 1]] - raw.nodes[edges[:, 0]]
    length = np.linalg.norm(way, axis=1)
    short = length < SHORTEST_EDGE
    found = [*_find_brick_faults(raw, mesh)]
    if short.any():
        found.append(make_finding(f"line {say_first(short)} only {length[short][0]:.3g} m long; move one of its nodes"))
    yield from found or _find_same_places(raw, length)
    if isinstance(mesh, MeshOfLines) and mesh.element in TURNED and not short.any():
        along = way / length[:, None]
        z = choose_normal(along) if mesh.normal is None else np.array(mesh.normal) / np.linalg.norm(mesh.normal)
        parallel = np.linalg.norm(np.cross(along, z), axis=1) < PARALLEL
        if parallel.any():
            yield make_finding(
                f"line {say_first(parallel)} parallel to the normal {z.tolist()}, so that its section has no z axis; "
                "give another one, or divide the mesh",
                "normal",
            )


def _find_brick_faults(raw: RawMesh, mesh: Mesh) -> Iterator[Finding]:
    """The worst that can be said of bricks: inside out, inverted at a corner, or flat."""
    least, largest, _ = calc_brick_quality(raw)
    is_bent = isinstance(mesh, BlockMesh | PlateMesh) and mesh.bend is not None
    remedy = "it may reach beyond the centre of the bend: take a larger radius" if is_bent else "move its nodes"
    if (largest < -FLAT).any():
        yield make_finding(
            f"brick {say_first(largest < -FLAT)} inside out; its nodes go around the bottom counter-clockwise, seen "
            "from above, then around the top: exchange bottom and top"
        )
    elif (least < -FLAT).any():
        yield make_finding(f"brick {say_first(least < -FLAT)} inverted at a corner, which is not convex; {remedy}")
    elif (least < FLAT).any():
        yield make_finding(f"brick {say_first(least < FLAT)} flat: three edges of a corner lie in one plane; {remedy}")


def _find_same_places(raw: RawMesh, length: np.ndarray) -> Iterator[Finding]:
    """Two nodes at one place: looked for in two grids, for neighbours may lie on both sides of a line of one."""
    corners = raw.nodes[raw.bricks]
    sides = np.linalg.norm(corners[:, EDGES[:, 1]] - corners[:, EDGES[:, 0]], axis=2)
    shortest = min(float(values.min()) for values in (length, sides) if values.size)
    size = max(SAME * shortest, 1e-12 * float(np.abs(raw.nodes).max()))
    for shift in (0.0, 0.5):
        cell = np.floor((raw.nodes - raw.nodes.min(axis=0)) / size + shift).astype(np.int64)
        key = cell[:, 0] * 73856093 ^ cell[:, 1] * 83492791003 ^ cell[:, 2] * 198491317011  # wraps around
        order = np.argsort(key, kind="stable")
        same = (key[order][1:] == key[order][:-1]) & (cell[order][1:] == cell[order][:-1]).all(axis=1)
        if same.any():
            place = int(np.argmax(same))
            a, b = sorted((int(order[place]), int(order[place + 1])))
            yield make_finding(
                f"nodes {a} and {b} are at the same place, {raw.nodes[a].tolist()} m; merge them, or move one"
            )
            return


def calc_brick_quality(raw: RawMesh) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Quality (m,) of bricks: least and largest spread of a corner, and aspect.

    The spread is the product of three edges at a corner, each of unit length: 1 at right angles, zero where they lie in
    one plane, negative where the brick is inside out. Aspect is the longest edge over the smallest distance of
    opposite faces at the centre.
    """
    count = len(raw.bricks)
    least, largest, aspect = np.zeros(count), np.zeros(count), np.full(count, np.inf)
    for start in range(0, count, CHUNK):
        part = slice(start, start + CHUNK)
        corners = raw.nodes[raw.bricks[part]]
        jacobian = calc_jacobians(corners, SIGNS)
        scale = np.linalg.norm(jacobian, axis=2).prod(axis=2)
        spread = calc_determinants(jacobian) / np.where(scale > 0.0, scale, 1.0)
        least[part], largest[part] = spread.min(axis=1), spread.max(axis=1)
        middle = 2.0 * calc_jacobians(corners, np.zeros((1, 3)))[:, 0]
        faces = np.stack([np.cross(middle[..., k - 2], middle[..., k - 1]) for k in range(3)], axis=2)
        area = np.linalg.norm(faces, axis=1)
        height = np.abs(calc_determinants(middle))[:, None] / np.where(area > 0.0, area, 1.0)
        longest = np.linalg.norm(corners[:, EDGES[:, 1]] - corners[:, EDGES[:, 0]], axis=2).max(axis=1)
        thin = height.min(axis=1)
        aspect[part][thin > 0.0] = longest[thin > 0.0] / thin[thin > 0.0]
    return least, largest, aspect


def find_shape_warnings(raw: RawMesh) -> Iterator[Finding]:
    """Bricks that can be used, with less accuracy or with a small step."""
    least, _, aspect = calc_brick_quality(raw)
    long, sharp = aspect > LARGEST_ASPECT, least < SHARP
    if long.any():
        yield make_finding(
            f"brick {say_first(long)} {aspect[long][0]:.3g} times as long as it is thick; beyond {LARGEST_ASPECT:g} "
            "results are less accurate and steps are small: take more elements along it"
        )
    if sharp.any():
        yield make_finding(f"brick {say_first(sharp)} nearly flat at a corner; results are less accurate there")
