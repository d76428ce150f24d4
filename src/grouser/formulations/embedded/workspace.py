"""Scratch of the aggregates of a tree. What a restart would choose anew are the independent speeds; the rest is made by
every evaluation."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

EmbeddedWork = namedtuple(
    "EmbeddedWork",
    [
        # per aggregate
        "rank",
        "switches",
        "is_closed",
        "spread",
        # per constraint row of an aggregate
        "line",
        "line_new",
        "is_line_used",
        # per speed of an aggregate
        "order",
        "order_new",
        "slot",
        "is_speed_used",
        "weight",
        "permutation",
        # matrices of the aggregates, row by row
        "Y",
        "scaled",
        "lu",
        "X",
        "D",
        "column",
        # per speed of the tree
        "kappa",
        "move",
        # per closed form
        "branch",
        # vectors and six-vectors for one aggregate
        "right",
        "answer",
        "force",
    ],
)
"""Per aggregate: rank of its constraint rows, -1 before they have been looked at; switches (int64), how often its
independent speeds were changed; is_closed: 1 where closed forms suit the independent speeds;
spread: least pivot of Y1 beside its largest, when its rows were chosen, 0 before it is known. line: its independent
rows, by their place in it, `rank` of them; order: places of its speeds, the `rank` dependent ones first; slot: the
opposite, where in `order` a place stands; line_new, order_new, is_line_used, is_speed_used: the same while they are
looked for; weight: scale of a speed. permutation: rows of Y1 in the order of its pivots.

Y (rows, speeds) and the same, scaled; lu: factors of Y1 (rank, rank); X (rank, independent speeds) of the dependent
speeds; D (independent, independent) and its Cholesky factor; column (bodies, independent, 6): C.

branch (closed forms,): 1 or -1, 0 before it is known.

kappa, move (speeds of the tree,): accelerations with constant independent speeds, and a correction; right, answer
(most rows or speeds of an aggregate,); force (most speeds, 6)."""


def make_embedded_work(aggregate: tuple, closed: tuple) -> EmbeddedWork:
    """Scratch for an aggregate table with its closed forms."""
    t = aggregate
    count, speeds, lines = len(t.ancestor), len(t.speed), int(t.line_start[-1])  # type: ignore[attr-defined]
    most = max([0, *np.diff(t.speed_start), *np.diff(t.line_start)])  # type: ignore[attr-defined]
    whole = {name: np.zeros(lines, dtype=np.int64) for name in ("line", "line_new", "is_line_used")}
    names = ("order", "order_new", "slot", "is_speed_used", "permutation")
    whole |= {name: np.zeros(speeds, dtype=np.int64) for name in names}
    matrices = {name: np.zeros(int(t.matrix_start[-1])) for name in ("Y", "scaled")}  # type: ignore[attr-defined]
    matrices |= {name: np.zeros(int(t.square_start[-1])) for name in ("lu", "X", "D")}  # type: ignore[attr-defined]
    return EmbeddedWork(
        rank=np.full(count, -1, dtype=np.int64),
        switches=np.zeros(count, dtype=np.int64),
        is_closed=np.zeros(count, dtype=np.int64),
        spread=np.zeros(count),
        branch=np.zeros(len(closed.kind), dtype=np.int64),  # type: ignore[attr-defined]
        **whole,
        **matrices,
        weight=np.ones(speeds),
        column=np.zeros((int(t.column_start[-1]), 6)),  # type: ignore[attr-defined]
        kappa=np.zeros(len(t.place)),  # type: ignore[attr-defined]
        move=np.zeros(len(t.place)),  # type: ignore[attr-defined]
        right=np.zeros(most),
        answer=np.zeros(most),
        force=np.zeros((most, 6)),
    )
