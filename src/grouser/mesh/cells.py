"""Elements of a mesh with their constants, and the masses of its nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grouser.families.beam_thin.table import calc_edge_weights
from grouser.mesh.data import INDEX, BrickCells, ThickBeamCells, ThinBeamCells, TrussCells
from grouser.mesh.lines import choose_normal, find_triples, make_frames
from grouser.mesh.raw import RawMesh
from grouser.mesh.trilinear import calc_node_volumes
from grouser.model.material import Material, calc_moduli
from grouser.model.mesh import ANCF, Mesh, MeshOfLines, WebsMesh
from grouser.model.section import calc_section


class LineValues(NamedTuple):
    """Lines of one kind: nodes (k, 2), and what each has: modulus [Pa], area [m^2], second moment [m^4], density
    [kg/m^3], damping [s], pre-strain, whether it is a rope; each (k,)."""

    lines: np.ndarray
    modulus: np.ndarray
    area: np.ndarray
    iy: np.ndarray
    density: np.ndarray
    time: np.ndarray
    pre_strain: np.ndarray
    is_rope: np.ndarray


class Cells(NamedTuple):
    """Elements by family, masses (n,) of the nodes [kg], and the lines (m, 2) of which each thin beam is made."""

    truss: TrussCells
    beam_thin: ThinBeamCells
    beam_thick: ThickBeamCells
    brick: BrickCells
    masses: np.ndarray
    thin_lines: np.ndarray


def make_cells(raw: RawMesh, mesh: Mesh, nodes: np.ndarray, rotation: np.ndarray) -> Cells:
    """Elements of a mesh without faults.

    Parameters
    ----------
    nodes : (n, 3) in the world [m]
    rotation : (3, 3) from mesh to world
    """
    lines = _list_lines(raw, mesh)
    chosen = np.zeros(len(raw.bricks), dtype=np.int32) if raw.material is None else raw.material
    brick = BrickCells(raw.bricks, chosen, np.full(len(raw.bricks), mesh.pre_strain))
    given, nodes = nodes, nodes if raw.relaxed is None else raw.relaxed
    thin, thin_lines = _make_thin(lines["beam_thin"], nodes)
    masses = np.zeros(len(nodes))
    for values in (part for parts in lines.values() for part in parts):
        half = 0.5 * values.density * values.area * _calc_lengths(nodes, values.lines)
        for k in range(2):
            masses += np.bincount(values.lines[:, k], half, len(nodes))
    density = np.array([material.density for material in list_materials(mesh)])[chosen]
    shape = raw.nodes if raw.relaxed is None else raw.relaxed
    volumes = density[:, None] * calc_node_volumes(shape, raw.bricks)
    masses += np.bincount(raw.bricks.ravel(), volumes.ravel(), len(nodes))
    thick = _make_thick(_join(lines["beam_thick"]), raw, mesh, given, rotation)
    return Cells(_make_trusses(_join(lines["truss"]), nodes), thin, thick, brick, masses, thin_lines)


def list_materials(mesh: Mesh) -> tuple[Material, ...]:
    """Materials of the bricks of a mesh, by number."""
    if isinstance(mesh, WebsMesh):
        return tuple(row.material or mesh.material for row in mesh.rows)
    return (mesh.material,)


def _list_lines(raw: RawMesh, mesh: Mesh) -> dict[str, list[LineValues]]:
    """All lines by element, each layer of cords by itself: several may lie between the same nodes."""
    parts: dict[str, list[LineValues]] = {"truss": [], "beam_thin": [], "beam_thick": []}
    if (
        isinstance(mesh, MeshOfLines)
        and mesh.section is not None
        and mesh.element is not None
        and mesh.element not in ANCF
    ):
        section, material = calc_section(mesh.section), mesh.material
        young = calc_moduli(material).young
        constants = (young, section.area, section.iy, material.density, material.damping, mesh.pre_strain)
        parts[mesh.element].append(_fill(raw.lines, constants, mesh.is_rope))
    for cord, lines, share in ((one.cord, one.lines, one.share) for one in raw.cords):
        constants = (cord.modulus, cord.area, cord.iy or 0.0, cord.density, cord.damping, cord.pre_strain)
        values = _fill(lines, constants, cord.is_rope)
        parts[cord.element].append(values._replace(area=values.area * share, iy=values.iy * share))
    return parts


def _join(parts: list[LineValues]) -> LineValues:
    none = _fill(np.empty((0, 2), dtype=INDEX), (0.0,) * 6, False)
    return LineValues(*(np.concatenate(columns) for columns in zip(none, *parts, strict=True)))


def _fill(lines: np.ndarray, constants: tuple[float, ...], is_rope: bool) -> LineValues:
    columns = (lines, *(np.full(len(lines), value) for value in constants), np.full(len(lines), is_rope))
    return LineValues(*columns)


def _calc_lengths(nodes: np.ndarray, lines: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(nodes[lines[:, 1]] - nodes[lines[:, 0]], axis=1))


def _make_trusses(values: LineValues, nodes: np.ndarray) -> TrussCells:
    return TrussCells(
        values.lines,
        _calc_lengths(nodes, values.lines),
        values.modulus,
        values.area,
        values.time,
        values.pre_strain,
        values.density * values.area,
        values.is_rope,
    )


def _make_thin(parts: list[LineValues], nodes: np.ndarray) -> tuple[ThinBeamCells, np.ndarray]:
    """Thin beams where two lines of a part meet."""
    found = [find_triples(part.lines, len(nodes)) for part in parts]
    node = np.concatenate([np.empty((0, 3), dtype=INDEX), *(triple for triple, _ in found)])
    weights = np.concatenate([np.empty((0, 2)), *(calc_edge_weights(triple) for triple, _ in found)])
    before = np.cumsum([0, *(len(part.lines) for part in parts)])
    edges = [lines + start for (_, lines), start in zip(found, before, strict=False)]
    thin_lines = np.concatenate([np.empty((0, 2), dtype=INDEX), *edges])
    values, first = _join(parts), thin_lines[:, 0]
    modulus, area = values.modulus[first], values.area[first]
    cells = ThinBeamCells(
        node,
        np.stack([_calc_lengths(nodes, node[:, :2]), _calc_lengths(nodes, node[:, 1:])], axis=1),
        weights,
        modulus * area,
        modulus * values.iy[first],
        values.time[first],
        values.pre_strain[first],
        values.density[first] * area,
    )
    return cells, thin_lines


def _make_thick(
    values: LineValues, raw: RawMesh, mesh: Mesh, nodes: np.ndarray, rotation: np.ndarray
) -> ThickBeamCells:
    """Thick beams. Those with tangents t lie bent and are relaxed straight: with the length l = c/cos(b/2), c the chord
    and b the angle between the tangents at both nodes, the centre points x_a + l/2 t_a and x_b - l/2 t_b coincide."""
    lines, count = values.lines, len(values.lines)
    way = nodes[lines[:, 1]] - nodes[lines[:, 0]]
    length = np.linalg.norm(way, axis=1)
    centre = 0.5 * (nodes[lines[:, 0]] + nodes[lines[:, 1]])
    frame = frame_b = np.empty((0, 3, 3))
    row, rotary, times = np.zeros(6), np.zeros(2), np.repeat(values.time[:, None], 6, axis=1)
    if count and isinstance(mesh, MeshOfLines) and mesh.section is not None:
        along = way / length[:, None]
        local = choose_normal(along @ rotation) if mesh.normal is None else np.array(mesh.normal)
        frame = frame_b = make_frames(along, rotation @ local)
        if len(raw.turned):
            t_a, t_b = (raw.turned[lines[:, k]] @ rotation.T for k in range(2))
            frame, frame_b = make_frames(t_a, rotation @ local), make_frames(t_b, rotation @ local)
            length = length / np.sqrt(0.5 + 0.5 * np.einsum("ni,ni->n", t_a, t_b))
            centre = nodes[lines[:, 0]] + 0.5 * length[:, None] * t_a
        section, moduli = calc_section(mesh.section), calc_moduli(mesh.material)
        E, G, A = moduli.young, moduli.shear, section.area
        shear = [G * A * section.shear_y, G * A * section.shear_z]
        row = np.array([E * A, *shear, G * section.j, E * section.iy, E * section.iz])
        rotary = mesh.material.density * np.array([section.iy, section.iz])
        if mesh.section.times is not None:
            times = np.tile(mesh.section.times, (count, 1))
    return ThickBeamCells(
        lines,
        centre,
        frame,
        frame_b,
        length,
        np.tile(row, (count, 1)),
        times,
        values.pre_strain,
        values.density * values.area,
        np.tile(rotary, (count, 1)),
    )
