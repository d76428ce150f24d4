"""How large bodies are, as joints see them: the length beside which a gap is small or large.

The size of a body is the larger of its radius of gyration and its largest lever, from the centre of mass to one of its
joints:

    size = max(sqrt(tr I/(2 m)), max |p - com|)                                           (1)

A joint is as large as the smaller of its two bodies, because that one is moved out of place first; but no smaller than
the share `LEAST_SIZE` of the larger one, so that a carrier that is next to a point does not decide it. A mesh is as
large as its radius of gyration. The world and points have no size; a joint between them alone is `LEAST_SIZE` times as
large as all of the model.
"""

from __future__ import annotations

import numpy as np

from grouser.mesh.make import make_mesh_data
from grouser.model.body import make_inertia_matrix
from grouser.model.carrier import find_owner
from grouser.model.mesh import Mesh
from grouser.model.model import Model

LEAST_SIZE = 0.1
"""Share of the larger body that a joint is large at least."""


def calc_body_sizes(model: Model) -> dict[str, float]:
    """Size of every body [m] by (1)."""
    sizes = {
        name: float(np.sqrt(0.5 * np.trace(make_inertia_matrix(body.inertia)) / body.mass))
        for name, body in model.bodies.items()
    }
    for joint in model.joints.values():
        for frame in (joint.frame_a, joint.frame_b):
            if frame.body in model.bodies and joint.type != "free":
                lever = float(np.linalg.norm(np.subtract(frame.position, model.bodies[frame.body].com)))
                sizes[frame.body] = max(sizes[frame.body], lever)
    return sizes


def _calc_mesh_size(mesh: Mesh) -> float:
    data = make_mesh_data(mesh)
    weights = data.masses / data.masses.sum()
    return float(np.sqrt(weights @ ((data.nodes - weights @ data.nodes) ** 2).sum(axis=1)))


def _calc_extent(model: Model) -> float:
    """Extent of all bodies, points and meshes at the start [m]."""
    places = [body.position for body in model.bodies.values()] + [point.position for point in model.points.values()]
    nodes = [np.reshape(places, (-1, 3)), *(make_mesh_data(mesh).nodes for mesh in model.meshes.values())]
    return float(np.linalg.norm(np.ptp(np.concatenate(nodes), axis=0)))


def calc_joint_sizes(model: Model) -> dict[str, float]:
    """Size of every joint [m]; free joints hold nothing and are left out."""
    sizes = calc_body_sizes(model)
    sizes |= {name: _calc_mesh_size(mesh) for name, mesh in model.meshes.items()}
    found = {}
    for name, joint in model.joints.items():
        if joint.type != "free":
            owners = [find_owner(model, frame.body) for frame in (joint.frame_a, joint.frame_b)]
            ends = [sizes[owner] for owner in owners if owner in sizes] or [LEAST_SIZE * _calc_extent(model) or 1.0]
            found[name] = max(min(ends), LEAST_SIZE * max(ends))
    return found
