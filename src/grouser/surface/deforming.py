"""Surfaces on flexible meshes: faces of bricks as polygons, nodes of lines as balls."""

from __future__ import annotations

import math

import numpy as np

from grouser.errors import say_unknown
from grouser.mesh.data import MeshData
from grouser.model.mesh import Mesh
from grouser.model.section import Section
from grouser.model.surface import Surface
from grouser.surface.raw import INDEX, Array, RawSurface, drop_unused


def take_faces_of(data: MeshData, faces: str) -> tuple[RawSurface, Array]:
    """Polygons of a surface set of a mesh, with the vertices that they have, and the nodes that these are."""
    return drop_unused(RawSurface(data.nodes, np.asarray(data.surface_sets[faces], dtype=INDEX)))


def list_lines(data: MeshData) -> Array:
    """Lines (k, 2) of trusses and beams, each once."""
    thin = data.beam_thin.node
    others = [data.beam_thick.node, data.ancf_beam.node, data.ancf_cable.node]
    lines = np.concatenate([data.truss.node, thin[:, :2], thin[:, 1:], *others]).astype(INDEX)
    return np.unique(np.sort(lines, axis=1), axis=0)


def find_diameter(mesh: Mesh, surface: Surface) -> float:
    """Diameter of the balls along lines [m]: what is asked for, or that of the section, the smaller side of a
    rectangle."""
    if surface.thickness is not None:
        return surface.thickness
    section = getattr(mesh, "section", None)
    assert isinstance(section, Section)
    if section.circle is not None:
        return section.circle
    if section.rectangle is not None:
        return min(section.rectangle)
    return 2.0 * math.sqrt((section.area or 0.0) / math.pi)


def find_set_fault(mesh: str, data: MeshData, faces: str) -> str | None:
    """Why a mesh has no such faces, or None."""
    if faces in data.surface_sets or (not data.surface_sets and faces == "surface"):
        return None
    if not data.surface_sets:
        return f"is {faces!r}, and mesh {mesh!r} has lines and no faces; leave it out"
    return say_unknown(f"surface set of mesh {mesh!r}", faces, data.surface_sets)
