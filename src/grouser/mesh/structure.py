"""Faults of connections and sets: what is missing, loose, twice, or cannot be what it is said to be."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grouser.errors import say_unknown
from grouser.mesh.data import find_nodes
from grouser.mesh.finding import Finding, make_finding, say_first
from grouser.mesh.lines import find_triples
from grouser.mesh.raw import RawMesh
from grouser.mesh.surface import BITS, find_surface, make_face_keys
from grouser.mesh.trilinear import FACES
from grouser.model.base import LARGEST
from grouser.model.fault import Path
from grouser.model.mesh import MOST_CELLS, MOST_NODES, Mesh, MeshOfLines


def find_structure_faults(raw: RawMesh, mesh: Mesh) -> Iterator[Finding]:
    """What is wrong with connections, before any length is looked at."""
    edges, count = raw.find_edges(), len(raw.nodes)
    cells = len(raw.bricks) + len(edges)
    if not cells:
        yield make_finding("has no cells: neither hexahedra nor lines")
        return
    if cells > MOST_CELLS or count > MOST_NODES:
        yield make_finding(
            f"has {cells:,} elements and {count:,} nodes; at most {MOST_CELLS:,} and {MOST_NODES:,} are taken, so take "
            "larger elements"
        )
        return
    bad = ~(np.abs(raw.nodes) <= LARGEST).all(axis=1)
    if bad.any():
        yield make_finding(
            f"node {say_first(bad)} at {raw.nodes[bad][0].tolist()}, which is no place; give finite numbers in m"
        )
        return
    found = [*_find_cell_faults("brick", raw.bricks, count), *_find_cell_faults("line", edges, count)]
    yield from found
    if found:
        return
    used = np.zeros(count, dtype=bool)
    used[raw.bricks], used[edges] = True, True
    if not used.all():
        yield make_finding(f"node {say_first(~used)} in no cell, so that nothing holds it; leave it out")
    yield from _find_face_faults(raw)
    yield from _find_line_faults(raw, mesh)


def _find_cell_faults(kind: str, cells: np.ndarray, count: int) -> Iterator[Finding]:
    """Nodes that do not exist, and nodes that a cell has twice."""
    outside = (cells < 0) | (cells >= count)
    if outside.any():
        cell, place = np.argwhere(outside)[0]
        yield make_finding(
            f"{kind} {cell} has node {cells[cell, place]}, which is missing: there are nodes 0 to {count - 1}; put its "
            "nodes right"
        )
        return
    ordered = np.sort(cells, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if twice.any():
        yield make_finding(
            f"{kind} {say_first(twice)} a cell with the same node twice; give each of its corners a node"
        )


def _find_face_faults(raw: RawMesh) -> Iterator[Finding]:
    """Faces that more than two bricks share, and named faces that are not on the surface."""
    if not len(raw.bricks):
        if raw.faces:
            yield make_finding("has faces (quad) and no hexahedra; bricks are what is taken for plates")
        return
    keys = make_face_keys(raw.bricks[:, FACES].reshape(-1, 4))
    _, place, count = np.unique(keys, return_inverse=True, return_counts=True)
    crowded: np.ndarray = np.any((count[place] > 2).reshape(-1, 6), axis=1)
    if crowded.any():
        yield make_finding(
            f"brick {say_first(crowded)} at a face that three or more bricks share; remove those that lie twice"
        )
        return
    outer = make_face_keys(find_surface(raw.bricks)) if raw.faces else np.empty(0)
    for name, faces in raw.faces.items():
        if faces.min() < 0 or faces.max() >= 1 << BITS or not np.isin(make_face_keys(faces), outer).all():
            yield make_finding(
                f"set {name!r} has a face (quad) that is no outer face of a brick; name faces of the surface only"
            )


def _find_line_faults(raw: RawMesh, mesh: Mesh) -> Iterator[Finding]:
    """Lines without element, lines twice, and lines that thin or thick beams cannot take."""
    element = mesh.element if isinstance(mesh, MeshOfLines) else None
    if not len(raw.lines):
        if element is not None:
            yield make_finding(f"is {element!r}, and the file has no lines; leave it and 'section' out", "element")
        return
    if element is None:
        yield make_finding(f"has {len(raw.lines)} lines; say what they are by 'element' and 'section'")
        return
    ordered = np.sort(raw.lines, axis=1)
    _, first = np.unique((ordered[:, 0] << BITS) | ordered[:, 1], return_index=True)
    twice = np.ones(len(raw.lines), dtype=bool)
    twice[first] = False
    if twice.any():
        yield make_finding(f"line {say_first(twice)} there already between the same nodes; remove one")
    elif element == "beam_thin":
        yield from _find_thin_faults(raw)
    elif element == "beam_thick":
        shared = np.intersect1d(raw.lines, raw.bricks)
        if len(shared):
            yield make_finding(
                f"is 'beam_thick', whose nodes turn, and node {shared[0]} belongs to a brick too; take truss or "
                "beam_thin, or a mesh of its own",
                "element",
            )


def _find_thin_faults(raw: RawMesh) -> Iterator[Finding]:
    degree = np.bincount(raw.lines.ravel(), minlength=len(raw.nodes))
    if degree.max() > 2:
        node = int(np.argmax(degree > 2))
        yield make_finding(
            f"is 'beam_thin', and {degree[node]} lines meet at node {node}; thin beams have no branches: take "
            "beam_thick, or meshes of their own",
            "element",
        )
        return
    loose = np.ones(len(raw.lines), dtype=bool)
    loose[find_triples(raw.lines, len(raw.nodes))[1]] = False
    if loose.any():
        yield make_finding(f"line {say_first(loose)} alone, and thin beams bend where two lines meet; divide it")


def find_set_faults(raw: RawMesh, mesh: Mesh) -> Iterator[Finding]:
    """Sets without nodes or with nodes that do not exist, and sets that `fixed` and `bonded` cannot find."""
    count = len(raw.nodes)
    faults = []
    for name, nodes in raw.node_sets.items():
        outside = nodes[(nodes < 0) | (nodes >= count)]
        if not len(nodes):
            faults.append(make_finding(f"the set {name!r} is empty; give it nodes, or leave it out"))
        elif len(outside):
            faults.append(
                make_finding(
                    f"the set {name!r} has node {outside[0]}, which is missing: there are nodes 0 to {count - 1}; put "
                    "the set right"
                )
            )
    yield from faults or _find_holder_faults({"all": np.arange(count), **raw.node_sets}, mesh, count)


def _find_holder_faults(sets: dict[str, np.ndarray], mesh: Mesh, count: int) -> Iterator[Finding]:
    """Sets of `fixed` and `bonded` that do not exist, are empty, or have a node that something else holds already."""
    holders: list[tuple[Path, str, str]] = [(("fixed", i), name, "the world") for i, name in enumerate(mesh.fixed)]
    holders += [(("bonded", name), name, f"body {body!r}") for name, body in mesh.bonded.items()]
    words = [""] + [holder for _, _, holder in holders]
    owner = np.zeros(count, dtype=int)  # places in `words`
    for number, (path, name, holder) in enumerate(holders, start=1):
        unknown = [part.strip() for part in name.split("&") if part.strip() not in sets]
        if unknown:
            yield make_finding(say_unknown("node set", unknown[0], sets), *path)
            continue
        nodes = find_nodes(sets, name)
        if not len(nodes):
            yield make_finding(f"{name!r} is empty: the sets have no node in common; name one of them", *path)
        is_free = np.array([word in ("", holder) for word in words])
        taken = nodes[~is_free[owner[nodes]]]
        if len(taken):
            yield make_finding(
                f"node {taken[0]} of {name!r} is held by {words[owner[taken[0]]]} already, and would be by {holder}; "
                "keep one",
                *path,
            )
        owner[nodes] = number
