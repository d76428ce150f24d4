"""Faults of the meshes of a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grouser.mesh.make import find_mesh_faults, make_mesh_data
from grouser.model.body import WORLD
from grouser.model.check import Scope, find_reference_faults
from grouser.model.fault import Fault, Path, make_fault

if TYPE_CHECKING:
    from grouser.model.model import Model


def find_meshes_faults(scope: Scope) -> Iterator[Fault]:
    """Faults of each mesh by itself, and of what it refers to."""
    for name, mesh in scope.model.meshes.items():
        path: Path = ("meshes", name)
        yield from find_mesh_faults(mesh, path)
        for nodes, body in mesh.bonded.items():
            if body == WORLD:
                yield make_fault((*path, "bonded", nodes), "is carried by the world; put the set into 'fixed' instead")
            else:
                yield from find_reference_faults((*path, "bonded", nodes), "body", body, scope.bodies)


def list_mesh_bodies(model: Model) -> set[str]:
    """Names of the bodies that are nodes of thick beams, of all meshes without faults."""
    found: set[str] = set()
    for name, mesh in model.meshes.items():
        if getattr(mesh, "element", "") == "beam_thick" and not find_mesh_faults(mesh):
            data = make_mesh_data(mesh)
            held = {*data.fixed.tolist(), *(i for nodes in data.bonded.values() for i in nodes.tolist())}
            found |= {f"{name}.{i}" for i in range(len(data.nodes)) if i not in held}
    return found
