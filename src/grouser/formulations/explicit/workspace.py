"""Scratch of the `explicit` formulation: nothing here is needed by a restart (tests fill it with NaN)."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from grouser.compile.compile import Compiled
from grouser.kernels.kinds import FAMILY_COUNT
from grouser.opcodes import MAX_DEPTH

Workspace = namedtuple(
    "Workspace",
    [
        # trial state of a pass
        "x_new",
        "R_new",
        "v_new",
        "w_new",
        "z_new",
        # accelerations of the last accepted state and of the pass
        "a_old",
        "dw_old",
        "z_rate_old",
        "z_rate_older",
        "a",
        "dw",
        "z_rate",
        # sums of an evaluation
        "f",
        "torque",
        "w_world",
        "joint_force",
        "joint_moment",
        "joint_peak",
        "scalar_value",
        "contact_sum",
        "contact_energy",
        "stored",
        "dissipated",
        "supplied",
        "dissipated_old",
        "supplied_old",
        # contact search and friction memory of a pass
        "pair",
        "pair_count",
        "anchor",
        "anchor_stamp",
        # small scratch
        "q",
        "rate",
        "effort",
        "direction",
        "stack",
    ],
)


def make_workspace(compiled: Compiled) -> Workspace:
    """Scratch for a compiled model; per-body arrays have the world as their last row."""
    rows = len(compiled.layout.bodies) + 1
    joints, scalars = len(compiled.layout.joints), len(compiled.layout.scalars)
    groups, families = len(compiled.layout.contacts), FAMILY_COUNT
    memory = compiled.initial.anchor.shape[0]
    vectors = {
        name: np.zeros((rows, 3))
        for name in ("x_new", "v_new", "w_new", "a_old", "dw_old", "a", "dw", "f", "torque", "w_world")
    }
    rotation = np.tile(np.eye(3), (rows, 1, 1))
    return Workspace(
        **vectors,
        R_new=rotation,
        z_new=np.zeros(scalars),
        z_rate_old=np.zeros(scalars),
        z_rate_older=np.zeros(scalars),
        z_rate=np.zeros(scalars),
        joint_force=np.zeros((joints, 3)),
        joint_moment=np.zeros((joints, 3)),
        joint_peak=np.zeros(joints),
        scalar_value=np.zeros((scalars, 4)),
        contact_sum=np.zeros((groups, 6)),
        contact_energy=np.zeros((groups, 4)),
        stored=np.zeros(families),
        dissipated=np.zeros(families),
        supplied=np.zeros(families),
        dissipated_old=np.zeros(families),
        supplied_old=np.zeros(families),
        pair=np.zeros((compiled.candidate_count, 2), dtype=np.int32),
        pair_count=np.zeros(groups, dtype=np.int32),
        anchor=np.zeros((memory, 3)),
        anchor_stamp=np.full(memory, -1, dtype=np.int64),
        q=np.zeros(6),
        rate=np.zeros(6),
        effort=np.zeros(6),
        direction=np.zeros(12),
        stack=np.zeros(MAX_DEPTH),
    )
