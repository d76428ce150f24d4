"""Scratch of the aggregates of a tree. The choice of the independent speeds goes on from step to step, and a restart
makes it anew; everything else is overwritten by every evaluation."""

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
        "is_seen",
        # per speed of an aggregate
        "order",
        "order_new",
        "slot",
        "is_speed_used",
        # matrices of the aggregates, row by row
        "Y",
        "R",
        "X",
        "D",
        "column",
        # the same, column by column
        "scaled",
        "Q",
        "Q_seen",
        # per speed of the tree
        "kappa",
        "move",
        # vectors and six-vectors for one aggregate
        "right",
        "answer",
        "force",
    ],
)
"""Per aggregate: rank of its constraint rows, -1 before they have been looked at; switches (int64), how often its
independent speeds were changed; is_closed: 1 where closed forms suit the independent speeds;
is_seen: 1 where `Q_seen` is that of the last accepted state. order: places of its speeds, the `rank` dependent ones
first; slot: the opposite, where in `order` a place stands; order_new, is_speed_used: the same while they are looked
for, the latter 2 for dependent speeds, and 1 for those that must not become so.

Y (rows, speeds) and the same, scaled; Q (rows, rank) and R (rank, rank): factors of the columns of dependent speeds;
X (rank, independent speeds) of the dependent speeds; D (independent, independent) and its Cholesky factor; column
(bodies, independent, 6): C.

kappa, move (speeds of the tree,): accelerations with constant independent speeds, and a correction; right, answer
(most rows or speeds of an aggregate,); force (most speeds, 6)."""


def make_embedded_work(aggregate: tuple) -> EmbeddedWork:
    """Scratch for an aggregate table."""
    t = aggregate
    count, speeds = len(t.ancestor), len(t.speed)  # type: ignore[attr-defined]
    most = max([0, *np.diff(t.speed_start), *np.diff(t.line_start)])  # type: ignore[attr-defined]
    names = ("order", "order_new", "slot", "is_speed_used")
    whole = {name: np.zeros(speeds, dtype=np.int64) for name in names}
    names = ("Y", "scaled", "Q", "Q_seen")
    matrices = {name: np.zeros(int(t.matrix_start[-1])) for name in names}  # type: ignore[attr-defined]
    matrices |= {name: np.zeros(int(t.square_start[-1])) for name in ("R", "X", "D")}  # type: ignore[attr-defined]
    return EmbeddedWork(
        rank=np.full(count, -1, dtype=np.int64),
        switches=np.zeros(count, dtype=np.int64),
        is_closed=np.zeros(count, dtype=np.int64),
        is_seen=np.zeros(count, dtype=np.int64),
        **whole,
        **matrices,
        column=np.zeros((int(t.column_start[-1]), 6)),  # type: ignore[attr-defined]
        kappa=np.zeros(len(t.place)),  # type: ignore[attr-defined]
        move=np.zeros(len(t.place)),  # type: ignore[attr-defined]
        right=np.zeros(most),
        answer=np.zeros(most),
        force=np.zeros((most, 6)),
    )
