"""What a joint has to carry, from the joint graph alone.

Without the joint a tree falls into two parts, and what passes through the joint is the weight of the lighter one. A
part that is joined to the world weighs infinitely much. With m_below the mass that hangs on the joint and m the mass of
all bodies that joints hold together,

    carried = min(m_below, m - m_below),   or m_below where the rest is joined to the world             (1)

A joint of a loop does not divide the graph. Then (1) holds for all loops that hang together (`Cluster`): each of their
joints counts with all that hangs on the body, or on the world, above them.

Forces of contacts, tyres and springs are not looked at: what they bring into a body also passes through its joints.
"""

from __future__ import annotations

import math

import numpy as np

from grouser.compile.topology import NO_JOINT, make_topology
from grouser.model.body import WORLD
from grouser.model.model import Model


def calc_carried_masses(model: Model) -> dict[str, float]:
    """Mass that every joint has to carry [kg] by (1); free joints carry nothing and are left out."""
    index = {name: i for i, name in enumerate([WORLD, *model.bodies])}
    names = [name for name, joint in model.joints.items() if joint.type != "free"]
    ends = [(index[model.joints[name].frame_a.body], index[model.joints[name].frame_b.body]) for name in names]
    masses = [0.0, *(body.mass for body in model.bodies.values())]
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
        if joint != NO_JOINT
    }
    for cluster in topology.clusters:
        if not cluster.bodies:
            continue
        hanging = sum(below[body] for body in cluster.bodies if topology.parent[body] == cluster.ancestor)
        mass = calc_carried(cluster.bodies[0], hanging)
        joints = [*(topology.loops[i].joint for i in cluster.loops), *topology.parent_joint[list(cluster.bodies)]]
        carried |= {names[joint]: mass for joint in joints}
    return carried
