"""Scratch of the recursion in the plane: nothing here is needed by a restart."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

PlanarWork = namedtuple(
    "PlanarWork",
    [
        # per body, the world first
        "pose",
        "angle",
        "w_world",
        "reach",
        "bias",
        "load",
        "inertia",
        "running",
        "response",
        # per speed
        "column",
        "effect",
        "inverse",
        "effort",
    ],
)
"""Per body, the world first: pose (n + 1, 3), cos and sin of its angle about y and its rate [rad/s]; angle (n + 1,)
[rad]; w_world (n + 1, 3) angular velocity; reach (n + 1, 2) from the centre of the parent [m]; bias (n + 1, 2),
acceleration with all speeds constant; inertia (n + 1, 6) of the articulated body; and (n + 1, 3) along x, along z,
about y: load, running, response as in `recursive/workspace.py`.

Per speed: column, effect (m, 3), inverse (m,), effort (m,), likewise."""


def make_planar_work(tree: tuple) -> PlanarWork:
    """Scratch for a tree table."""
    rows, speeds = len(tree.row), int(tree.v_start[-1])  # type: ignore[attr-defined]
    return PlanarWork(
        pose=np.zeros((rows, 3)),
        angle=np.zeros(rows),
        w_world=np.zeros((rows, 3)),
        reach=np.zeros((rows, 2)),
        bias=np.zeros((rows, 2)),
        load=np.zeros((rows, 3)),
        inertia=np.zeros((rows, 6)),
        running=np.zeros((rows, 3)),
        response=np.zeros((rows, 3)),
        column=np.zeros((speeds, 3)),
        effect=np.zeros((speeds, 3)),
        inverse=np.zeros(speeds),
        effort=np.zeros(speeds),
    )
