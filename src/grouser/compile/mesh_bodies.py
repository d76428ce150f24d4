"""Nodes of thick beams are rigid bodies: a model in which they stand among the others."""

from __future__ import annotations

import numpy as np

from grouser.families.beam_thick.mass import calc_thick_lumps
from grouser.mesh.make import make_mesh_data
from grouser.model.body import Body
from grouser.model.model import Model


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
    spin = np.array(model.meshes[name].angular_velocity)
    return {
        f"{name}.{i}": Body(
            mass=float(lumps.mass[i]),
            inertia=tuple(float(lumps.inertia[i][j]) for j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))),
            com=tuple((lumps.x[i] - data.nodes[i]).tolist()),
            position=tuple(data.nodes[i].tolist()),
            velocity=tuple(data.velocities[i].tolist()),
            angular_velocity=tuple(spin.tolist()),
        )
        for i in np.setdiff1d(np.arange(len(data.nodes)), [*data.fixed, *np.concatenate([[], *data.bonded.values()])])
    }
