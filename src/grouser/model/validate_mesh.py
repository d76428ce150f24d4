"""Faults of the meshes of a model."""

from __future__ import annotations

from collections.abc import Iterator

from grouser.mesh.make import find_mesh_faults
from grouser.model.body import WORLD
from grouser.model.check import Scope, find_reference_faults
from grouser.model.fault import Fault, Path, make_fault


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
