"""Meshes of a model as arrays, with their faults and warnings. What was made is kept and shared.

A mesh is known by its fields, and one of a file also by the time of the file's last change, so that a copy of a model
costs nothing and a changed file is read again.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np

from grouser.errors import ModelError
from grouser.mesh.ancf import make_ancf_rows
from grouser.mesh.ancf_faults import find_ancf_faults
from grouser.mesh.ball import make_ball
from grouser.mesh.belt import make_belt
from grouser.mesh.block import make_block, make_plate
from grouser.mesh.cells import Cells, list_materials, make_cells
from grouser.mesh.data import MeshData, find_nodes, freeze, freeze_sets
from grouser.mesh.file import find_stamp, make_from_file
from grouser.mesh.finding import Finding
from grouser.mesh.lines import make_line, make_lines, make_ring
from grouser.mesh.quality import find_shape_faults, find_shape_warnings
from grouser.mesh.raw import RawMesh
from grouser.mesh.spec_faults import find_spec_faults
from grouser.mesh.structure import find_set_faults, find_structure_faults
from grouser.mesh.surface import find_surface, find_surface_sets
from grouser.mesh.webs import make_webs
from grouser.model.fault import Fault, Path, make_fault
from grouser.model.mesh import FileMesh, Mesh
from grouser.model.rotation import quaternion_to_matrix

KEPT = 32
"""So many results of each kind are kept."""

MAKERS: dict[str, Callable[[Any], RawMesh]] = {
    "line": make_line,
    "ring": make_ring,
    "lines": make_lines,
    "block": make_block,
    "plate": make_plate,
    "ball": make_ball,
    "belt": make_belt,
    "webs": make_webs,
    "file": make_from_file,
}
"""What makes a mesh of each type."""

_kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
_texts: dict[int, str] = {}
"""The data of meshes as text, by identity."""


def find_mesh_faults(mesh: Mesh, path: Path = ("mesh",)) -> list[Fault]:
    """Faults of a mesh by itself, each with the remedy. The numbers of nodes and cells count from 0.

    Parameters
    ----------
    path : of the mesh in its model
    """
    if found := list(find_spec_faults(path, mesh)):
        return found
    return [make_fault((*path, *place), text) for place, text in _judge(mesh)]


def find_mesh_warnings(mesh: Mesh, path: Path = ("mesh",)) -> list[Fault]:
    """What makes a mesh without faults less accurate or slow; arguments as `find_mesh_faults`."""
    raw = _make_raw(mesh)
    found = keep("warnings", mesh, lambda: list(find_shape_warnings(raw)))
    return [make_fault((*path, *place), text) for place, text in found]


def make_mesh_data(mesh: Mesh, path: Path = ("mesh",)) -> MeshData:
    """A mesh as arrays; a `ModelError` lists its faults. Arguments as `find_mesh_faults`."""

    def make() -> MeshData:
        if faults := find_mesh_faults(mesh, path):
            raise ModelError(faults)
        return _finish(_make_raw(mesh), mesh)

    data: MeshData = keep("data", mesh, make)
    return data


def keep(kind: str, mesh: Mesh, make: Callable[[], Any]) -> Any:
    """What `make` gives for a mesh, made once; `kind` tells what it is."""
    stamp = find_stamp(mesh.path) if isinstance(mesh, FileMesh) else ()
    key = (kind, _find_text(mesh), *stamp)
    if key in _kept:
        _kept.move_to_end(key)
        return _kept[key]
    made = make()
    _kept[key] = made
    while sum(other[0] == kind for other in _kept) > KEPT:
        del _kept[next(other for other in _kept if other[0] == kind)]
    return made


def _find_text(mesh: Mesh) -> str:
    """All data of a mesh as text; the mesh never changes, so it is written once."""
    text = _texts.get(id(mesh))
    if text is None:
        text = _texts[id(mesh)] = mesh.model_dump_json()
        weakref.finalize(mesh, _texts.pop, id(mesh), None).atexit = False
    return text


def _make_raw(mesh: Mesh) -> RawMesh:
    raw: RawMesh = keep("raw", mesh, lambda: MAKERS[mesh.type](mesh))
    return raw


def _judge(mesh: Mesh) -> list[Finding]:
    """Findings about nodes, cells and sets; a file that cannot be read, or a curve that crosses itself, is one."""
    try:
        raw = _make_raw(mesh)
        found: list[Finding] = keep("faults", mesh, lambda: _find_all(raw, mesh))
    except ModelError as error:
        place: Path = ("path",) if isinstance(mesh, FileMesh) else ()
        return [(place, text) for text in error.faults]
    return found


def _find_all(raw: RawMesh, mesh: Mesh) -> list[Finding]:
    if found := list(find_structure_faults(raw, mesh)):
        return found
    return [*find_shape_faults(raw, mesh), *find_set_faults(raw, mesh)] or list(find_ancf_faults(raw, mesh))


def _finish(raw: RawMesh, mesh: Mesh) -> MeshData:
    """Arrays of a mesh without faults, in the world."""
    rotation = quaternion_to_matrix(mesh.orientation)
    lever = raw.nodes @ rotation.T
    nodes = np.array(mesh.position) + lever
    spin = rotation @ np.array(mesh.angular_velocity)
    velocities = np.array(mesh.velocity) + np.cross(spin, lever)
    cells = make_cells(raw, mesh, nodes, rotation)
    ancf = make_ancf_rows(raw, mesh, nodes, rotation)
    node_sets = {"all": np.arange(len(nodes)), **raw.node_sets}
    faces = find_surface(raw.bricks)
    surface_sets = find_surface_sets(faces, raw.node_sets, raw.faces, len(nodes))
    fixed = [find_nodes(node_sets, name) for name in (*mesh.fixed, *getattr(mesh, "hinged", ()))]
    bonded: dict[str, list[np.ndarray]] = {}
    for name, body in mesh.bonded.items():
        bonded.setdefault(body, []).append(find_nodes(node_sets, name))
    data = MeshData(
        nodes=nodes,
        relaxed=nodes if raw.relaxed is None else raw.relaxed,
        velocities=velocities,
        masses=cells.masses if ancf.masses is None else ancf.masses,
        truss=cells.truss,
        beam_thin=cells.beam_thin,
        beam_thick=cells.beam_thick,
        brick=cells.brick,
        ancf_beam=ancf.beam,
        ancf_cable=ancf.cable,
        gradients=ancf.gradients,
        gradient_rates=ancf.rates,
        materials=list_materials(mesh),
        node_sets=freeze_sets(node_sets),
        surface_sets=freeze_sets(surface_sets),
        cell_sets=MappingProxyType(
            {name: freeze_sets(_find_cell_set(found, mesh, cells)) for name, found in raw.cell_sets.items()}
        ),
        fixed=np.unique(np.concatenate([ancf.clamped, *fixed])),
        bonded=freeze_sets({body: np.unique(np.concatenate(parts)) for body, parts in bonded.items()}),
    )
    for part in (data, data.truss, data.beam_thin, data.beam_thick, data.brick, data.ancf_beam, data.ancf_cable):
        freeze(part)
    return data


def _find_cell_set(found: Any, mesh: Mesh, cells: Cells) -> dict[str, np.ndarray]:
    """Elements of a set of a file by family: of thin beams those that have one of its lines."""
    chosen = {"brick": found["brick"].copy()} if "brick" in found else {}
    if "line" in found and isinstance(mesh, FileMesh) and mesh.element is not None:
        lines = found["line"].copy()
        if mesh.element == "beam_thin":
            lines = np.flatnonzero(np.isin(cells.thin_lines, lines).any(axis=1))
        chosen[mesh.element] = lines
    return chosen
