"""How large bodies are, as joints see them: the length beside which a gap is small or large.

The size of a body is the larger of its radius of gyration and its largest lever, from the centre of mass to one of its
joints:

    size = max(sqrt(tr I/(2 m)), max |p - com|)                                           (1)

A joint is as large as the smaller of its two bodies, because that one is moved out of place first; but no smaller than
the share `LEAST_SIZE` of the larger one, so that a carrier that is next to a point does not decide it. The world has
no size.
"""

from __future__ import annotations

import numpy as np

from grouser.model.body import WORLD, make_inertia_matrix
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
            if frame.body != WORLD and joint.type != "free":
                lever = float(np.linalg.norm(np.subtract(frame.position, model.bodies[frame.body].com)))
                sizes[frame.body] = max(sizes[frame.body], lever)
    return sizes


def calc_joint_sizes(model: Model) -> dict[str, float]:
    """Size of every joint [m]; free joints hold nothing and are left out."""
    sizes = calc_body_sizes(model)
    found = {}
    for name, joint in model.joints.items():
        if joint.type != "free":
            ends = [sizes[body] for body in (joint.frame_a.body, joint.frame_b.body) if body != WORLD]
            found[name] = max(min(ends), LEAST_SIZE * max(ends))
    return found
