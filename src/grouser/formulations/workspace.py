"""Scratch of the time loop: nothing here is needed by a restart (tests fill it with NaN)."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import Any

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.tables import INDEX, make_record
from grouser.families.registry import FAMILIES
from grouser.formulations.surface_work import make_encounters, make_sheets
from grouser.kernels.contact.surface.tables import SIDE
from grouser.opcodes import MAX_DEPTH

VALUED = tuple(family for family in FAMILIES if family.values)
"""Families whose kernels leave values of their elements."""
SCRATCH = {f"{family.name}_{name}": shape for family in FAMILIES for name, shape in family.scratch.items()}
"""Shapes of the scratch that kernels of families need."""


_WORKSPACE: Any = make_record(
    "Workspace",
    [
        # trial state of a pass
        "x_new",
        "R_new",
        "v_new",
        "w_new",
        "z_new",
        # velocities of the formulation at the accepted and at the trial state, their rates; an increment
        "u",
        "u_new",
        "u_rate_old",
        "u_rate",
        "d",
        # velocities of leapfrog steps: `leapfrog_velocities.py`
        "v_behind",
        "w_behind",
        "v_ahead",
        "w_ahead",
        "u_ahead",
        "z_rate_old",
        "z_rate_older",
        "z_rate",
        # what observers look at, one array behind the other, of which those that follow are parts
        "shown",
        # accelerations of all nodes
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
        *(f"{family.name}_value" for family in VALUED),
        *SCRATCH,
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
        # surfaces, what of them may meet, and scratch of one contact
        "sheet",
        "encounter",
        "met",
        "end_row",
        "end",
        "spot",
        "spot_stamp",
        # small scratch
        "q",
        "rate",
        "effort",
        "stack",
    ],
)


class Workspace(_WORKSPACE):
    """Scratch of a solver."""

    __slots__ = ()


def find_shown(compiled: Compiled) -> dict[str, tuple[int, int, int]]:
    """What observers look at: rows and columns of each array, and how many of the first columns are forces or
    accelerations, which results show as means of a step where it has several evaluations."""
    layout = compiled.layout
    rows, frames, joints = len(layout.nodes), layout.frame_count, len(layout.joints)
    shown = {"joint_force": (joints, 3, 3), "joint_moment": (joints, 3, 3)}
    shown |= {"contact_force": (frames, 3, 3), "ground_force": (frames, 3, 3)}
    shown |= {"contact_sum": (len(layout.contacts), 6, 4), "a": (rows, 3, 3), "dw": (frames, 3, 3)}
    values = {f"{f.name}_value": (len(layout.names[f.name]), f.values, f.acted) for f in VALUED}
    return shown | values


def make_workspace(compiled: Compiled, speed_count: int) -> Workspace:
    """Scratch for a compiled model and a formulation with so many speeds."""
    rows, frames = len(compiled.layout.nodes), compiled.layout.frame_count
    joints, drivers = len(compiled.layout.joints), len(compiled.layout.names["driver"])
    states, groups = compiled.layout.state_count, len(compiled.layout.contacts)
    ledger, memory = compiled.initial.ledger.shape[1], compiled.initial.anchor.shape[0]
    by_node = ("x_new", "v_new", "v_behind", "v_ahead", "f")
    by_frame = ("w_new", "w_behind", "w_ahead", "torque", "w_world")
    vectors = {name: np.zeros((rows, 3)) for name in by_node} | {name: np.zeros((frames, 3)) for name in by_frame}
    speeds = {name: np.zeros(speed_count) for name in ("u", "u_new", "u_rate_old", "u_rate", "d", "u_ahead")}
    of_states = {name: np.zeros(states) for name in ("z_new", "z_rate_old", "z_rate_older", "z_rate")}
    powers = ("stored", "dissipated", "supplied", "dissipated_old", "supplied_old")
    shown, parts = _make_parts(find_shown(compiled))
    work = Workspace(
        **vectors,
        **speeds,
        **of_states,
        **{name: np.zeros(ledger) for name in powers},
        **{name: np.zeros(shape) for name, shape in SCRATCH.items()},
        R_new=np.tile(np.eye(3), (frames, 1, 1)),
        shown=shown,
        **parts,
        joint_peak=np.zeros(joints),
        trial_peak=np.zeros(joints),
        pedal=np.zeros((drivers, 2)),
        contact_energy=np.zeros((groups, 5)),
        pair=np.zeros((compiled.candidate_count, 2), dtype=np.int64),
        pair_count=np.zeros(groups, dtype=np.int64),
        touch=np.zeros((compiled.touch_count, 11)),
        touch_owner=np.zeros((compiled.touch_count, 3), dtype=INDEX),
        touch_start=np.zeros(groups + 1, dtype=np.int64),
        anchor=np.zeros((memory, 3)),
        anchor_stamp=np.full(memory, -1, dtype=np.int64),
        sheet=make_sheets(compiled.surfaces),
        encounter=[],
        met=np.zeros(1 + len(compiled.surfaces.meetings), dtype=np.int64),
        end_row=np.full(2 * SIDE, -1, dtype=np.int64),
        end=np.zeros((2 * SIDE, 12)),
        spot=np.zeros((1, 3)),
        spot_stamp=np.zeros(1, dtype=np.int64),
        q=np.zeros(6),
        rate=np.zeros(6),
        effort=np.zeros(6),
        stack=np.zeros(MAX_DEPTH),
    )
    return work._replace(encounter=make_encounters(compiled.surfaces, work.sheet))


def _make_parts(shapes: Mapping[str, tuple[int, int, int]]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """One array, and its parts by name."""
    whole = np.zeros(sum(rows * columns for rows, columns, _ in shapes.values()))
    parts, start = {}, 0
    for name, (rows, columns, _) in shapes.items():
        parts[name] = whole[start : start + rows * columns].reshape(rows, columns)
        start += rows * columns
    return whole, parts


Acted = namedtuple("Acted", ["total", "is_force"])
"""Mean forces of a step: total, like `Workspace.shown`, and 1 for what of it are forces or accelerations."""


def make_acted(compiled: Compiled) -> Acted:
    """For the workspace of a compiled model."""
    shapes = find_shown(compiled)
    is_force, parts = _make_parts(shapes)
    for name, (_, _, acted) in shapes.items():
        parts[name][:, :acted] = 1.0
    return Acted(np.zeros_like(is_force), is_force.astype(np.int64))
