"""The tree of a model, with its cuts and the scratch of the recursion."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.cuts import make_cuts
from grouser.compile.topology import make_topology
from grouser.compile.tree import make_tree
from grouser.formulations.recursive.workspace import make_cut_work, make_tree_work

TreeSystem = namedtuple(
    "TreeSystem",
    [
        "tree",
        "constraint",
        "cut",
        "q",
        "q_new",
        "tau",
        "extra",
        "extra_speed",
        "f",
        "torque",
        "coupled",
        "work",
        "cut_work",
    ],
)
"""tree, constraint, cut: tables; q, q_new (coordinates,) at the accepted and at the trial state; tau (speeds,) zero;
extra, extra_speed: blocks of a linearly implicit step, or of length zero; f, torque (n + 1, 3): forces with those of
such a step; coupled (6 n,): forces between bodies that touch; work, cut_work: scratch."""


def make_tree_system(compiled: Compiled, *, blocks: np.ndarray | None, cuts: tuple[str, ...] = ()) -> TreeSystem:
    """Tree of a compiled model whose branches are its ideal joints.

    `blocks` (n + 1, 6, 6) are those of linearly implicit steps; `cuts` names joints that shall be cut.
    """
    model, layout, tables = compiled.model, compiled.layout, compiled.tables
    ideal = set(tables.constraint.joint.tolist())
    ends: list[tuple[int, int] | None] = []
    for index, name in enumerate(layout.joints):
        joint = model.joints.get(name)
        held = joint is not None and index in ideal
        ends.append((layout.find_body(joint.frame_a.body), layout.find_body(joint.frame_b.body)) if held else None)  # type: ignore[union-attr]
    chosen = [layout.joints.index(name) for name in cuts]
    topology = make_topology(tables.body.mass.tolist(), ends, chosen)
    tree = make_tree(model, layout, topology)
    constraint, cut = make_cuts(tables.constraint, tree)
    rows, speeds, places = len(tables.body.mass) + 1, int(tree.v_start[-1]), int(tree.q_start[-1])  # type: ignore[attr-defined]
    return TreeSystem(
        tree=tree,
        constraint=constraint,
        cut=cut,
        q=np.zeros(places),
        q_new=np.zeros(places),
        tau=np.zeros(speeds),
        extra=np.zeros((0, 6, 6)) if blocks is None else blocks,
        extra_speed=np.zeros(0),
        f=np.zeros((rows, 3)),
        torque=np.zeros((rows, 3)),
        coupled=np.zeros(6 * (rows - 1)),
        work=make_tree_work(tree),
        cut_work=make_cut_work(tree, constraint, cut),
    )
