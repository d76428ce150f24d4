"""The tree of a model, with its cuts and the scratch of the recursion."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence, Set

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.cuts import make_cuts
from grouser.compile.plane import leave_plane_rows, make_plane
from grouser.compile.topology import make_topology
from grouser.compile.tree import make_tree
from grouser.errors import UnsupportedError, say_unknown
from grouser.formulations.planar.workspace import make_planar_work
from grouser.formulations.recursive.cuts import CLOSED, CLOSED_RATE
from grouser.formulations.recursive.workspace import make_cut_work, make_tree_work
from grouser.formulations.tree_options import TreeOptions

TreeSystem = namedtuple(
    "TreeSystem",
    [
        "tree",
        "constraint",
        "cut",
        "plane",
        "space",
        "embedding",
        "tolerance",
        "q",
        "q_new",
        "tau",
        "work",
        "cut_work",
    ],
)
"""tree, constraint: tables; cut: table of cuts, or None; plane: plane table where motion is in the plane, or None;
space: the cuts again where it is not, or None; embedding: aggregates of the embedded formulation, which has no cuts, or
None; tolerance (2,): largest violations of cuts that are left [m, rad], [m/s, rad/s]; q, q_new (coordinates,) at the
accepted and at the trial state; tau (speeds,) zero; work, cut_work: scratch."""


def make_tree_system(compiled: Compiled, options: TreeOptions) -> TreeSystem:
    """Tree of a compiled model whose branches are its ideal joints."""
    tree = find_tree(compiled, options.cuts, in_plane=compiled.model.planar)
    constraint, cut = make_cuts(compiled.tables.constraint, tree)
    if compiled.model.planar:
        constraint, cut = leave_plane_rows(compiled, constraint, cut)
    system = make_system_of_tree(compiled, tree, constraint, cut=cut, projected=options.projected)
    if not compiled.model.planar:
        return system
    return system._replace(plane=make_plane(compiled, tree), space=None, work=make_planar_work(tree))


def find_tree(compiled: Compiled, cuts: tuple[str, ...] = (), *, in_plane: bool = False) -> tuple:
    """The tree table of a model; distance joints are never part of it. `in_plane`: bodies without a joint to the world
    move in the plane."""
    model, layout, tables = compiled.model, compiled.layout, compiled.tables
    ideal = set(tables.constraint.joint.tolist())
    ends: list[tuple[int, int] | None] = []
    chosen = [_find_cut(layout.joints, ideal, name) for name in cuts]
    for index, name in enumerate(layout.joints):
        joint = model.joints.get(name)
        if joint is None or index not in ideal:
            ends.append(None)
            continue
        ends.append((layout.find_body(joint.frame_a.body), layout.find_body(joint.frame_b.body)))
        if joint.type == "distance":
            chosen.append(index)
    start = compiled.initial.R if in_plane else None
    return make_tree(model, layout, make_topology(tables.node.mass.tolist(), ends, chosen), start)


def _find_cut(joints: Sequence[str], ideal: Set[int], name: str) -> int:
    """Index of a joint that shall be cut."""
    if name not in joints:
        raise UnsupportedError(f"cuts: {say_unknown('joint', name, joints)}")
    if joints.index(name) not in ideal:
        raise UnsupportedError(f"cuts: joint {name!r} is no ideal one, so it closes no loop: leave it out")
    return joints.index(name)


def make_system_of_tree(
    compiled: Compiled,
    tree: tuple,
    constraint: tuple,
    *,
    cut: tuple | None = None,
    embedding: tuple | None = None,
    projected: bool = True,
) -> TreeSystem:
    """A tree with its cuts, or with its aggregates."""
    speeds, places = int(tree.v_start[-1]), int(tree.q_start[-1])  # type: ignore[attr-defined]
    return TreeSystem(
        tree=tree,
        constraint=constraint,
        cut=cut,
        plane=None,
        space=cut,
        embedding=embedding,
        tolerance=np.array([CLOSED, CLOSED_RATE]) if projected else np.full(2, np.inf),
        q=np.zeros(places),
        q_new=np.zeros(places),
        tau=np.zeros(speeds),
        work=make_tree_work(tree),
        cut_work=make_cut_work(tree, constraint, cut),
    )
