"""Scratch of the recursion along the tree: nothing here is needed by a restart."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from grouser.opcodes import MAX_DEPTH

INERTIA_SIZE = 21
"""Numbers by which a symmetric 6 x 6 matrix is stored: `articulated.py`, (6)."""

TreeWork = namedtuple(
    "TreeWork",
    [
        # per body, the world first
        "w_world",
        "reach",
        "bias",
        "load",
        "inertia",
        "wrench",
        "running",
        "response",
        # per speed
        "column",
        "effect",
        "inverse",
        "effort",
    ],
)
"""Per body, the world first: w_world (n + 1, 3) angular velocity, world axes [rad/s]; reach (n + 1, 3) from the centre
of the parent to the body's [m]; inertia (n + 1, 21) of the articulated body; and six-vectors (n + 1, 6) of linear and
angular parts, world axes, at the centre of mass: bias, the acceleration with all speeds constant; load, what acts on
the body besides its joints; wrench, the right-hand side of the tree; running, sums along the tree; response, the
accelerations that a right-hand side makes.

Per speed: column (m, 6), the motion that it gives to its body; effect (m, 6), the force that this motion takes; inverse
(m,) of the inertia that resists the speed; effort (m,) that drives it."""


def make_tree_work(tree: tuple) -> TreeWork:
    """Scratch for a tree table."""
    rows, speeds = len(tree.row), int(tree.v_start[-1])  # type: ignore[attr-defined]
    return TreeWork(
        w_world=np.zeros((rows, 3)),
        reach=np.zeros((rows, 3)),
        bias=np.zeros((rows, 6)),
        load=np.zeros((rows, 6)),
        inertia=np.zeros((rows, INERTIA_SIZE)),
        wrench=np.zeros((rows, 6)),
        running=np.zeros((rows, 6)),
        response=np.zeros((rows, 6)),
        column=np.zeros((speeds, 6)),
        effect=np.zeros((speeds, 6)),
        inverse=np.zeros(speeds),
        effort=np.zeros(speeds),
    )


CutWork = namedtuple(
    "CutWork",
    [
        # per constraint row
        "phi",
        "nu",
        "gamma",
        "G",
        "push",
        "mobility",
        "right",
        "multiplier",
        "impulse",
        "W",
        "K",
        "normal",
        "pivot",
        "rest",
        # per cluster
        "rank",
        # per speed of the path of an entry
        "effort",
        # per body
        "running",
        # per speed
        "move",
        "stack",
        "block",
        "ready",
    ],
)
"""Per row of the cuts: phi, nu, gamma (m,) and G (m, 12) of `calc_constraints`; push (m, 12), G with its angular parts
in world axes; mobility (m,) of the row if no joint held its bodies; right (m,)
hand side; multiplier (m,); impulse (m,) of the last closure; W, its factors K and normal (m, m), pivot (m,) and scratch
rest (m,). rank: independent rows of each cluster. effort (p, 6): what unit multipliers of the up to six rows of an
entry do to a speed on its path; running (n + 1, 6, 6): likewise, sums along the tree. move (speeds,): a correction.
stack: for expressions. block (6, 6): of W. ready (1,): 1 while there are factors of a state close by."""


def make_cut_work(tree: tuple, constraint: tuple, cut: tuple | None) -> CutWork:
    """Scratch for constraints of a tree, and for its cuts if it has them."""
    rows, speeds = len(constraint.row_kind), int(tree.v_start[-1])  # type: ignore[attr-defined]
    names = ("phi", "nu", "gamma", "mobility", "right", "multiplier", "impulse", "rest")
    vectors = {name: np.zeros(rows) for name in names}
    return CutWork(
        **vectors,
        G=np.zeros((rows, 12)),
        push=np.zeros((rows, 12)),
        effort=np.zeros((0 if cut is None else len(cut.speed), 6)),  # type: ignore[attr-defined]
        running=np.zeros((len(tree.row) if rows else 0, 6, 6)),  # type: ignore[attr-defined]
        W=np.zeros((rows, rows)),
        K=np.zeros((rows, rows)),
        normal=np.zeros((rows, rows)),
        pivot=np.zeros(rows, dtype=np.int64),
        rank=np.zeros(0 if cut is None else len(cut.cluster_start) - 1, dtype=np.int64),  # type: ignore[attr-defined]
        move=np.zeros(speeds),
        stack=np.zeros(MAX_DEPTH),
        block=np.zeros((6, 6)),
        ready=np.zeros(1, dtype=np.int64),
    )
