"""What a joint has to carry, from the joint graph alone.

Without the joint a tree falls into two parts, and what passes through the joint is the weight of the lighter one. A
part that is joined to the world weighs infinitely much. With m_below the mass that hangs on the joint and m the mass of
all bodies that joints hold together,

    carried = min(m_below, m - m_below),   or m_below where the rest is joined to the world             (1)

A joint of a loop does not divide the graph. Then (1) holds for all loops that hang together (`Cluster`): each of their
joints counts with all that hangs on the body, or on the world, above them.

A mesh counts as one body, whatever its nodes are, and what it is bonded to hangs on it as by a joint.

Forces of contacts, tyres and springs are not looked at: what they bring into a body also passes through its joints.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from grouser.compile.topology import NO_JOINT, make_topology
from grouser.mesh.make import make_mesh_data
from grouser.model.body import WORLD
from grouser.model.carrier import find_owner, is_thick
from grouser.model.model import Model


def calc_carried_masses(model: Model) -> dict[str, float]:
    """Mass that every joint has to carry [kg] by (1); free joints carry nothing and are left out."""
    index: dict[str, int] = {}
    masses: list[float] = []
    for name, mass in _list_masses(model):
        place = index.setdefault(name, len(masses))
        masses += [0.0] * (place == len(masses))
        masses[place] += mass
    names = [name for name, joint in model.joints.items() if joint.type != "free"]
    pairs = [(model.joints[name].frame_a.body, model.joints[name].frame_b.body) for name in names]
    ends = [(index[find_owner(model, a)], index[find_owner(model, b)]) for a, b in [*pairs, *_list_bonds(model)]]
    topology = make_topology(masses, ends)
    below = np.array(masses)
    for body in topology.order[::-1]:
        below[topology.parent[body]] += below[body]
    whole = np.full(len(masses), math.inf)
    for body in topology.order:
        parent = topology.parent[body]
        whole[body] = below[body] if topology.parent_joint[body] == NO_JOINT else whole[parent]

    def calc_carried(body: int, hanging: float) -> float:
        return min(hanging, whole[body] - hanging)

    carried = {
        names[joint]: calc_carried(body, below[body])
        for body, joint in enumerate(topology.parent_joint)
        if joint != NO_JOINT and joint < len(names)
    }
    for cluster in topology.clusters:
        if not cluster.bodies:
            continue
        hanging = sum(below[body] for body in cluster.bodies if topology.parent[body] == cluster.ancestor)
        mass = calc_carried(cluster.bodies[0], hanging)
        joints = [*(topology.loops[i].joint for i in cluster.loops), *topology.parent_joint[list(cluster.bodies)]]
        carried |= {names[joint]: mass for joint in joints if joint < len(names)}
    return carried


def _list_masses(model: Model) -> Iterator[tuple[str, float]]:
    """What joints hold together: the world, bodies, points and whole meshes, with masses; some come more than once."""
    yield WORLD, 0.0
    for name, body in model.bodies.items():
        yield find_owner(model, name), body.mass
    for name, point in model.points.items():
        yield find_owner(model, name), 0.0 if point.is_carried else point.mass
    for name, mesh in model.meshes.items():
        yield name, 0.0 if is_thick(model, name) else float(make_mesh_data(mesh).masses.sum())


def _list_bonds(model: Model) -> Iterator[tuple[str, str]]:
    """Meshes and what they are bonded to."""
    for name, mesh in model.meshes.items():
        yield from ((name, body) for body in dict.fromkeys(mesh.bonded.values()))
        if mesh.fixed or getattr(mesh, "hinged", []):
            yield name, WORLD
