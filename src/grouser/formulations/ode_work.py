"""The vector y of `ode.py`: how long it is, whose its numbers are, and the scratch that goes with it."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.mesh_mass import calc_total_mass
from grouser.families.registry import FAMILIES
from grouser.formulations.recursive.system import TreeSystem

OdeWork = namedtuple("OdeWork", ["y", "y_new", "rate", "ledger", "x_seen", "R_seen", "is_searched"])
"""y, y_new, rate (size,): accepted state, trial state, its rate; ledger (2, families) of the trial state [J]; x_seen,
R_seen: where bodies were when contacts were last searched; is_searched (1,): whether they are there."""


def make_ode_work(compiled: Compiled, tree: TreeSystem | None) -> OdeWork:
    """Scratch for a compiled model, by its tree if there is one."""
    layout, states = compiled.layout, compiled.layout.state_count
    rows, frames, moving = len(layout.nodes), layout.frame_count, len(layout.free_points)
    motion = 13 * (frames - 1) + 6 * moving if tree is None else len(tree.q) + len(tree.tau)
    ledger = np.zeros_like(compiled.initial.ledger)
    size = motion + states + ledger.size
    return OdeWork(
        y=np.zeros(size),
        y_new=np.zeros(size),
        rate=np.zeros(size),
        ledger=ledger,
        x_seen=np.zeros((rows, 3)),
        R_seen=np.zeros((frames, 3, 3)),
        is_searched=np.zeros(1, dtype=np.int64),
    )


def find_owners(compiled: Compiled, tree: TreeSystem | None) -> list[str]:
    """For each number of y the node that it belongs to; empty for energies."""
    layout, tables = compiled.layout, compiled.tables
    ends = ["", *layout.nodes[1:]]
    if tree is None:
        owners = [
            name
            for size in (7, 6)
            for names, count in ((layout.nodes[1 : layout.frame_count], size), (layout.free_points, 3))
            for name in names
            for _ in range(count)
        ]
    else:
        table = tree.tree
        owners = [
            ends[table.body[k]]
            for starts in (table.q_start, table.v_start)
            for k in range(len(table.body))
            for _ in range(starts[k], starts[k + 1])
        ]
    for family in FAMILIES:
        if family.find_owners is not None:
            owners += [ends[row] for row in family.find_owners(tables) for _ in range(family.states)]
    return owners + [""] * compiled.initial.ledger.size


def calc_absolute_tolerance(compiled: Compiled, tree: TreeSystem | None, tolerance: float) -> np.ndarray:
    """Absolute tolerance of each number of y that goes with a relative one: that share of 1 m, rad, m/s or rad/s; for
    energies, of the kinetic energy that the whole mass has at 1 m/s."""
    size = len(find_owners(compiled, tree))
    absolute = np.full(size, tolerance)
    absolute[size - compiled.initial.ledger.size :] *= 0.5 * calc_total_mass(compiled.tables.node)
    return absolute
