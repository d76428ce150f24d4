"""Elements by gradients: rows of vectors of a mesh, and how its elements share them.

A node is a place r and gradients; an element has the coordinates r, r_x, r_y, r_z at both ends (a cable r, r_x), the
same vectors as `grouser.families.ancf_beam`. The vectors that move freely are rows of the mesh: first the places of its
nodes, then all gradients. Joints between elements are rows that they share:

    rigid         r and all gradients                                                                     (1)
    pin           r and the gradient along the line of the pin, r_t = [r_x r_y r_z] t                     (2)
    ball          r                                                                                       (3)

So a pin takes six coordinates of both ends and leaves 18, and all conditions are gone before a run: there are neither
multipliers nor drift. Where the gradients of an element are not rows, as at corners or at a pin along a skew line, they
are made of rows by a constant matrix,

    [r_x r_y r_z] = [rows] A                                                              S2-9 (4)

A mesh that is given stretched has r_x of the length 1/(1 + pre-strain), since the coordinate x counts the length
without stress. Its sections are as narrow as a free bar of the material is at that stretch.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from grouser.families.ancf_beam.mass import calc_beam_mass
from grouser.families.ancf_cable.mass import calc_cable_mass
from grouser.mesh.data import INDEX, AncfCells
from grouser.mesh.lines import choose_normal, make_frames
from grouser.mesh.narrow import find_narrowing
from grouser.mesh.raw import RawMesh
from grouser.model.mesh import ANCF, LineMesh, Mesh, PinLine, RingMesh
from grouser.model.section import calc_section

SAME = 1e-9
"""Difference of two gradients below which they are one."""
NAMES = ("x", "y", "z")


@dataclass
class AncfRows:
    """What elements by gradients make of a mesh; empty where there are none.

    Attributes
    ----------
    beam, cable : the elements
    gradients, rates : (g, 3) rows behind those of the nodes, and their rates at the start, world axes
    clamped : (k,) rows of gradients that are held in the world
    masses : (n,) lumped masses of the nodes [kg]
    """

    beam: AncfCells
    cable: AncfCells
    gradients: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    rates: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    clamped: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=INDEX))
    masses: np.ndarray | None = None


def is_ancf(mesh: Mesh) -> bool:
    """Whether the elements of a mesh are ones by gradients."""
    return isinstance(mesh, LineMesh | RingMesh) and mesh.element in ANCF


def make_ancf_rows(raw: RawMesh, mesh: Mesh, nodes: np.ndarray, rotation: np.ndarray) -> AncfRows:
    """Rows and elements of a mesh without faults.

    Parameters
    ----------
    nodes : (n, 3) in the world [m]
    rotation : (3, 3) from mesh to world
    """
    none = {name: AncfCells.make_empty(size) for name, size in zip(ANCF, (8, 4), strict=True)}
    if not isinstance(mesh, LineMesh | RingMesh) or mesh.element not in ANCF:
        return AncfRows(none["ancf_beam"], none["ancf_cable"])
    ends = make_ends(raw, mesh, nodes, rotation)
    shared = share_rows(raw, mesh, ends, rotation)
    cells, masses = _make_cells(raw, mesh, nodes, ends, shared)
    found = none | {mesh.element: cells}
    spin = rotation @ np.array(mesh.angular_velocity)
    gradients = np.array(shared.gradients).reshape(-1, 3)
    clamped = np.unique(np.array(_find_clamped(raw, mesh, shared), dtype=INDEX))
    rates = np.cross(spin, gradients)
    rates[clamped - len(nodes)] = 0.0
    return AncfRows(found["ancf_beam"], found["ancf_cable"], gradients, rates, clamped, masses)


@dataclass(frozen=True)
class Ends:
    """Both ends of every element, world axes.

    Attributes
    ----------
    axes : (m, 2, 3, k) own gradients at the start in columns, three of a beam and one of a cable
    frame : (m, 2, 3, k) the same without stress
    length : (m,) without stress [m]
    """

    axes: np.ndarray
    frame: np.ndarray
    length: np.ndarray


def make_ends(raw: RawMesh, mesh: LineMesh | RingMesh, nodes: np.ndarray, rotation: np.ndarray) -> Ends:
    """Gradients of all elements. Circles are smooth, but elements with pins at both ends are straight."""
    lines, pinned = raw.lines, np.zeros(len(nodes), dtype=bool)
    pinned[list(find_pins(raw, mesh))] = True
    way = nodes[lines[:, 1]] - nodes[lines[:, 0]]
    chord = np.linalg.norm(way, axis=1)
    along = np.repeat((way / chord[:, None])[:, None], 2, axis=1)
    length = chord.copy()
    if raw.tangents is not None:
        bent = ~pinned[lines].all(axis=1)
        along[bent] = (raw.tangents @ rotation.T)[bent]
        half = 0.5 * np.arccos(np.clip((along[:, 0] * along[:, 1]).sum(axis=1), -1.0, 1.0))
        length /= np.sinc(half / np.pi)  # of the arc
    stretch = 1.0 / (1.0 + mesh.pre_strain)
    if mesh.element == "ancf_cable":
        frame = along[..., None]
        return Ends(stretch * frame, frame, length / stretch)
    flat = along.reshape(-1, 3)
    local = choose_normal(flat @ rotation) if mesh.normal is None else np.array(mesh.normal)
    frame = make_frames(flat, rotation @ local).reshape(-1, 2, 3, 3)
    narrow = find_narrowing(mesh.material, stretch)
    return Ends(frame * [stretch, narrow, narrow], frame, length / stretch)


def find_pins(raw: RawMesh, mesh: LineMesh | RingMesh) -> dict[int, PinLine]:
    """Line of the pin at each node where two elements are pinned."""
    sets = {"all": np.arange(len(raw.nodes)), **raw.node_sets}
    degree = np.bincount(raw.lines.ravel(), minlength=len(raw.nodes))
    return {int(i): line for name, line in mesh.pins.items() for i in sets[name] if degree[i] == 2}


@dataclass
class Shared:
    """Which rows each end of an element has.

    Attributes
    ----------
    rows : (m, 2, k) rows of gradients, counted from the first node of the mesh
    turn : (m, 2, k, k) the matrices A of (4)
    gradients : of all rows
    free : rows that a clamp leaves free, by node
    at : rows of gradients, by node
    apart : ends of which a pin or a joint misses what it needs, as words by node
    """

    rows: np.ndarray
    turn: np.ndarray
    gradients: list[np.ndarray] = field(default_factory=list)
    free: dict[int, int] = field(default_factory=dict)
    at: dict[int, list[int]] = field(default_factory=dict)
    apart: dict[int, str] = field(default_factory=dict)


def share_rows(raw: RawMesh, mesh: LineMesh | RingMesh, ends: Ends, rotation: np.ndarray) -> Shared:
    """Rows of all ends, by (1) to (4)."""
    count, size = len(raw.lines), ends.axes.shape[3]
    shared = Shared(np.zeros((count, 2, size), dtype=INDEX), np.tile(np.eye(size), (count, 2, 1, 1)))
    pins = find_pins(raw, mesh)
    at: dict[int, list[tuple[int, int]]] = {}
    for number, (first, second) in enumerate(raw.lines.tolist()):
        at.setdefault(first, []).append((number, 0))
        at.setdefault(second, []).append((number, 1))

    def add(node: int, vector: np.ndarray) -> int:
        shared.gradients.append(vector)
        row = len(raw.nodes) + len(shared.gradients) - 1
        shared.at.setdefault(node, []).append(row)
        return row

    for node, meeting in sorted(at.items()):
        first, *others = meeting
        own = ends.axes[first]
        if node in pins and pins[node] != "ball":
            direction = _find_direction(pins[node], own, rotation)
            line = add(node, direction)
            for end in meeting:
                missed = _put_pin(shared, end, ends.axes[end], pins[node], line, direction, node, add)
                if missed:
                    shared.apart[node] = missed
            continue
        shared.rows[first] = [add(node, own[:, k]) for k in range(size)]
        if node not in pins:
            shared.free[node] = int(shared.rows[first][0])
        for end in others:
            if node in pins:
                shared.rows[end] = [add(node, ends.axes[end][:, k]) for k in range(size)]
                continue
            shared.rows[end] = shared.rows[first]
            if np.abs(ends.axes[end] - own).max() <= SAME:
                continue
            if size == 1:
                shared.apart[node] = "has a corner, and cables bend without corners: give it a pin 'ball' there,"
                continue
            shared.turn[end] = np.linalg.solve(own, ends.axes[end])  # (4)
    return shared


def _find_direction(line: PinLine, own: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """The gradient along the line of a pin: that of the first element, or a unit vector."""
    if isinstance(line, str):
        return np.asarray(own[:, NAMES.index(line)])
    return np.asarray(rotation @ np.array(line) / np.linalg.norm(line))


def _put_pin(shared: Shared, end, own, line, row: int, direction: np.ndarray, node: int, add) -> str:  # type: ignore[no-untyped-def]
    """Rows of an end at a pin (2). Returns what it misses, in words."""
    t = np.linalg.solve(own, direction)
    if isinstance(line, str):
        wanted = np.eye(3)[NAMES.index(line)]
        if np.abs(t - wanted).max() > 1e-6:
            return f"has a pin along {line!r}, and that line is not the same for both elements there: give a direction,"
        t = wanted
    slot = int(np.argmax(np.abs(t)))
    C = np.eye(3)
    C[:, slot] = t
    shared.rows[end] = [row if k == slot else add(node, own[:, k]) for k in range(3)]
    shared.turn[end] = np.linalg.inv(C)
    return ""


def _find_clamped(raw: RawMesh, mesh: LineMesh | RingMesh, shared: Shared) -> list[int]:
    """Rows of gradients at nodes that are fixed. Beams that are right in shear keep r_x free, which is no part of their
    section."""
    sets = {"all": np.arange(len(raw.nodes)), **raw.node_sets}
    is_free = mesh.element == "ancf_beam" and mesh.integration == "axis"
    found = []
    for name in mesh.fixed:
        nodes = set.intersection(*(set(sets[part.strip()].tolist()) for part in name.split("&")))
        for node in nodes:
            found += [row for row in shared.at[node] if not (is_free and shared.free.get(node) == row)]
    return found


def _make_cells(
    raw: RawMesh, mesh: LineMesh | RingMesh, nodes: np.ndarray, ends: Ends, shared: Shared
) -> tuple[AncfCells, np.ndarray]:
    """Elements with their reference and their masses, and lumped masses of the nodes."""
    count, size = len(raw.lines), 1 + ends.axes.shape[3]
    stretch = 1.0 + mesh.pre_strain
    reference = np.empty((count, 2, size, 3))
    reference[:, :, 0] = stretch * nodes[raw.lines]
    reference[:, :, 1:] = ends.frame.swapaxes(2, 3)
    reference = reference.reshape(count, 2 * size, 3)
    section, density = calc_section(mesh.section), mesh.material.density
    if mesh.element == "ancf_beam":
        own = calc_beam_mass(reference, ends.length, section, density)
    else:
        own = calc_cable_mass(reference, ends.length, density * section.area)
    # own coordinates of rows
    make = np.zeros((count, 2 * size, 2 * size))
    for k in range(2):
        make[:, size * k, size * k] = 1.0
        part = slice(size * k + 1, size * (k + 1))
        make[:, part, part] = shared.turn[:, k].swapaxes(1, 2)
    mass = np.einsum("nki,nkl,nlj->nij", make, own, make)
    rows = np.concatenate([raw.lines[:, :, None], shared.rows], axis=2).reshape(count, 2 * size)
    lumped = mass[:, ::size, ::size].sum(axis=2)
    masses = np.bincount(raw.lines.ravel(), lumped.ravel(), len(nodes))
    is_plain = np.abs(shared.turn - np.eye(size - 1)).max(axis=(1, 2, 3)) <= SAME
    turn = np.where(is_plain, -1, np.cumsum(~is_plain) - 1)
    cells = AncfCells(
        node=raw.lines,
        row=rows.astype(INDEX),
        turn=turn,
        turns=shared.turn[~is_plain],
        length=ends.length,
        reference=reference,
        make=make,
        mass=mass,
        half=np.sqrt([3.0 * section.iz / section.area, 3.0 * section.iy / section.area]) * (size == 4),
    )
    return cells, masses
