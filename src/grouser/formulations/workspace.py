"""Scratch of the time loop: nothing here is needed by a restart (tests fill it with NaN)."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.tables import INDEX
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
        # velocities of the formulation at the accepted and at the trial state, their rates, an increment of positions
        "u",
        "u_new",
        "u_rate_old",
        "u_rate",
        "d",
        # velocities of leapfrog steps: `staggered.py`
        "v_behind",
        "w_behind",
        "v_ahead",
        "w_ahead",
        "u_ahead",
        "z_rate_old",
        "z_rate_older",
        "z_rate",
        # accelerations of all bodies
        "a",
        "dw",
        # sums of an evaluation
        "f",
        "torque",
        "w_world",
        "contact_force",
        "ground_force",
        "joint_force",
        "joint_moment",
        "joint_peak",
        "trial_peak",
        "scalar_value",
        "tyre_value",
        "powertrain_value",
        "brake_value",
        "driver_value",
        "pedal",
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
        "touch",
        "touch_owner",
        "touch_start",
        "anchor",
        "anchor_stamp",
        # small scratch
        "q",
        "rate",
        "effort",
        "stack",
    ],
)


def make_workspace(compiled: Compiled, speed_count: int) -> Workspace:
    """Scratch for a compiled model and a formulation with so many speeds; arrays by node have the world as their first
    row."""
    rows, frames = len(compiled.layout.nodes), compiled.layout.frame_count
    joints, scalars = len(compiled.layout.joints), len(compiled.layout.scalars)
    states = compiled.layout.state_count
    groups, families = len(compiled.layout.contacts), FAMILY_COUNT
    memory = compiled.initial.anchor.shape[0]
    by_node = ("x_new", "v_new", "v_behind", "v_ahead", "a", "f")
    by_frame = ("w_new", "w_behind", "w_ahead", "dw", "torque", "w_world", "contact_force", "ground_force")
    vectors = {name: np.zeros((rows, 3)) for name in by_node} | {name: np.zeros((frames, 3)) for name in by_frame}
    speeds = {name: np.zeros(speed_count) for name in ("u", "u_new", "u_rate_old", "u_rate", "d", "u_ahead")}
    rotation = np.tile(np.eye(3), (frames, 1, 1))
    return Workspace(
        **vectors,
        **speeds,
        R_new=rotation,
        z_new=np.zeros(states),
        z_rate_old=np.zeros(states),
        z_rate_older=np.zeros(states),
        z_rate=np.zeros(states),
        joint_force=np.zeros((joints, 3)),
        joint_moment=np.zeros((joints, 3)),
        joint_peak=np.zeros(joints),
        trial_peak=np.zeros(joints),
        scalar_value=np.zeros((scalars, 5)),
        tyre_value=np.zeros((len(compiled.layout.tyres), 8)),
        powertrain_value=np.zeros((len(compiled.layout.powertrains), 5)),
        brake_value=np.zeros((len(compiled.layout.brakes), 2)),
        driver_value=np.zeros((len(compiled.layout.drivers), 4)),
        pedal=np.zeros((len(compiled.layout.drivers), 2)),
        contact_sum=np.zeros((groups, 6)),
        contact_energy=np.zeros((groups, 5)),
        stored=np.zeros(families),
        dissipated=np.zeros(families),
        supplied=np.zeros(families),
        dissipated_old=np.zeros(families),
        supplied_old=np.zeros(families),
        pair=np.zeros((compiled.candidate_count, 2), dtype=np.int64),
        pair_count=np.zeros(groups, dtype=np.int64),
        touch=np.zeros((compiled.touch_count, 11)),
        touch_owner=np.zeros((compiled.touch_count, 3), dtype=INDEX),
        touch_start=np.zeros(groups + 1, dtype=np.int64),
        anchor=np.zeros((memory, 3)),
        anchor_stamp=np.full(memory, -1, dtype=np.int64),
        q=np.zeros(6),
        rate=np.zeros(6),
        effort=np.zeros(6),
        stack=np.zeros(MAX_DEPTH),
    )


FORCES = {"joint_force": 3, "joint_moment": 3, "contact_force": 3, "ground_force": 3, "scalar_value": 1}
FORCES |= {"contact_sum": 4, "tyre_value": 4, "brake_value": 1, "a": 3, "dw": 3}
"""Arrays of the workspace that show forces and accelerations, and how many of their columns do."""

Acted = namedtuple("Acted", tuple(FORCES))  # type: ignore[misc]
"""Mean forces of a step, in arrays like those of the workspace."""


def make_acted(work: Workspace) -> Acted:
    """For the forces of a workspace."""
    return Acted(*(np.zeros_like(getattr(work, name)[:, :columns]) for name, columns in FORCES.items()))
