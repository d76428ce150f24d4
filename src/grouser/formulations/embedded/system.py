"""The tree of a model with its aggregates, and the scratch that goes with them."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from grouser.compile.aggregate import make_aggregates
from grouser.compile.closed_forms import make_closed_forms
from grouser.compile.compile import Compiled
from grouser.errors import UnsupportedError, say_unknown
from grouser.formulations.embedded.workspace import make_embedded_work
from grouser.formulations.recursive.system import TreeSystem, find_tree, make_system_of_tree
from grouser.formulations.tree_options import TreeOptions

Embedding = namedtuple("Embedding", ["aggregate", "closed", "work"])
"""aggregate, closed: tables; work: scratch."""

LARGEST = 60
"""Speeds of an aggregate above which a run is told that it will be slow."""


def make_embedded_system(compiled: Compiled, options: TreeOptions) -> TreeSystem:
    """Tree of a compiled model whose branches are its ideal joints, loops and motions aggregated."""
    tree = find_tree(compiled, in_plane=compiled.model.planar)
    chosen = [_find_row(compiled, tree, name) for name in options.independent]
    constraint, aggregate = make_aggregates(compiled.tables.constraint, tree, chosen)
    closed = make_closed_forms(compiled, tree, constraint, aggregate)
    embedding = Embedding(aggregate, closed, make_embedded_work(aggregate))
    return make_system_of_tree(compiled, tree, constraint, embedding=embedding)


def _find_row(compiled: Compiled, tree: tuple, name: str) -> int:
    """Row of the tree that belongs to a joint."""
    joints = compiled.layout.joints
    rows = {joints[joint]: row for row, joint in enumerate(tree.joint.tolist()) if joint >= 0}  # type: ignore[attr-defined]
    if name in rows:
        return rows[name]
    if name not in joints:
        raise UnsupportedError(f"independent: {say_unknown('joint', name, joints)}")
    raise UnsupportedError(
        f"independent: joint {name!r} is not ideal, or closes a loop of the others, and has no speed of its own; "
        f"choose among {', '.join(sorted(rows))}"
    )


def find_chosen(compiled: Compiled, system: TreeSystem | None) -> list[str]:
    """Joints that the user has chosen to be independent."""
    if system is None or system.embedding is None:
        return []
    starts = system.tree.v_start
    chosen = system.embedding.aggregate.chosen
    rows = [row for row in range(len(starts) - 1) if chosen[starts[row] : starts[row + 1]].any()]
    return [compiled.layout.joints[system.tree.joint[row]] for row in rows]


def say_large(compiled: Compiled, system: TreeSystem) -> list[tuple[str, str]]:
    """For each aggregate that is too large to be quick: an element of it, and a sentence."""
    if system.embedding is None:
        return []
    aggregate, found = system.embedding.aggregate, []
    for c, size in enumerate(np.diff(aggregate.speed_start).tolist()):
        if size > LARGEST:
            entry = int(aggregate.entry_start[c])
            name = name_entry(compiled, system, entry)
            bodies = int(aggregate.row_start[c + 1] - aggregate.row_start[c])
            found.append(
                (
                    name,
                    f"the loop that {name!r} closes has {bodies} bodies and {size} speeds, which the formulation "
                    "embedded takes as one dense aggregate: it is made for short loops and slow for this one; take the "
                    "preset recursive or constrained",
                )
            )
    return found


def name_entry(compiled: Compiled, system: TreeSystem, entry: int) -> str:
    """Name of the joint or motion of an entry of the constraints of a tree."""
    joint = int(system.constraint.joint[entry])
    return compiled.layout.joints[joint] if joint >= 0 else compiled.layout.scalars[system.constraint.scalar[entry]]


def find_independent(compiled: Compiled, system: TreeSystem) -> list[str]:
    """For each independent speed of the aggregates the name of its joint; of a free root, that of its body."""
    aggregate, work, tree = system.embedding.aggregate, system.embedding.work, system.tree
    owners = np.searchsorted(tree.v_start, np.arange(tree.v_start[-1]), side="right") - 1
    names = []
    for c, first in enumerate(aggregate.speed_start[:-1]):
        for place in work.order[first + work.rank[c] : aggregate.speed_start[c + 1]]:
            row = owners[aggregate.speed[first + place]]
            joint = tree.joint[row]
            names.append(compiled.layout.joints[joint] if joint >= 0 else compiled.layout.nodes[tree.body[row]])
    return names
