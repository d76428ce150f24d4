"""Nodes of thick beams are rigid bodies: a model in which they stand among the others."""

from __future__ import annotations

import numpy as np
from pydantic import ValidationError

from grouser.errors import ModelError
from grouser.families.beam_thick.mass import Lumps, calc_thick_lumps
from grouser.mesh.data import MeshData
from grouser.mesh.make import make_mesh_data
from grouser.model.body import Body
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix


def with_mesh_bodies(model: Model) -> Model:
    """The model itself, or a copy with a body for each node of its thick beams, named ``mesh.number``.

    Nodes that are fixed, or bonded to a body, are none: what ends there is held by the world or by that body. A model
    that has these bodies already stays as it is.
    """
    bodies: dict[str, Body] = {}
    for name in model.meshes:
        bodies |= _make_bodies(model, name)
    if not bodies:
        return model
    return model.model_copy(update={"bodies": {**model.bodies, **bodies}})


def _make_bodies(model: Model, name: str) -> dict[str, Body]:
    data = make_mesh_data(model.meshes[name])
    beam = data.beam_thick
    if not len(beam.node):
        return {}
    lumps = calc_thick_lumps(
        beam.node[:, 0],
        beam.node[:, 1],
        node=data.nodes,
        centre=beam.centre,
        frame=beam.frame,
        length=beam.length,
        mass_per_length=beam.mass_per_length,
        rotary=beam.rotary,
    )
    mesh = model.meshes[name]
    # their axes are those of the world
    spin = quaternion_to_matrix(mesh.orientation) @ np.array(mesh.angular_velocity)
    held = np.concatenate([data.fixed, *data.bonded.values()])
    free = np.setdiff1d(np.arange(len(data.nodes)), held)
    return {f"{name}.{i}": _make_body(name, i, data, lumps, spin) for i in free.tolist()}


def _make_body(name: str, i: int, data: MeshData, lumps: Lumps, spin: np.ndarray) -> Body:
    mass, inertia = float(lumps.mass[i]), lumps.inertia[i]
    try:
        return Body(
            mass=mass,
            inertia=tuple(float(inertia[j]) for j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))),
            com=tuple((lumps.x[i] - data.nodes[i]).tolist()),
            position=tuple(data.nodes[i].tolist()),
            velocity=tuple(data.velocities[i].tolist()),
            angular_velocity=tuple(spin.tolist()),
        )
    except ValidationError:
        raise ModelError(
            f"meshes.{name}: node {i} would be a body of {mass:.3g} kg with moments of inertia up to "
            f"{np.abs(inertia).max():.3g} kg m^2, beyond all range: check the lengths, the section [m] and the density"
        ) from None
