"""The tree of bodies: each body hangs on its parent by one joint; joints that close loops are cut.

Breadth first from the world, so that the tree is as flat as it can be: a closed chain (a track) becomes two half chains
and one cut joint. Bodies without a way to the world hang on it by a free joint that no model names; the heaviest of
them is the root. The world is body 0.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from grouser.kernels.kinds import WORLD_ROW

NO_JOINT = -1
"""Parent joint of a root that hangs free on the world."""

Joints = Sequence[tuple[int, int] | None]


@dataclass(frozen=True)
class Loop:
    """What a cut joint closes: two branches that meet in one body.

    Attributes
    ----------
    joint : index of the cut joint
    branch_a : bodies from the joint's body a towards the root, without the ancestor
    branch_b : bodies from the joint's body b towards the root, without the ancestor
    ancestor : lowest body (or the world) above both ends of the joint
    """

    joint: int
    branch_a: tuple[int, ...]
    branch_b: tuple[int, ...]
    ancestor: int

    @property
    def bodies(self) -> tuple[int, ...]:
        """All bodies of the loop below the ancestor."""
        return self.branch_a + self.branch_b


@dataclass(frozen=True)
class Cluster:
    """Loops that share bodies below their ancestors: they can only be solved together.

    Attributes
    ----------
    loops : indices into `Topology.loops`
    bodies : all bodies of the loops below the ancestor, leaf to root
    ancestor : the body (or the world) above all of them
    """

    loops: tuple[int, ...]
    bodies: tuple[int, ...]
    ancestor: int


@dataclass(frozen=True, eq=False)
class Topology:
    """Spanning tree of the joint graph, and the loops that its cut joints close.

    Attributes
    ----------
    parent : (n + 1,) parent body, the world for roots and for itself
    parent_joint : (n + 1,) joint to the parent, `NO_JOINT` where a root hangs free on the world, and for the world
    is_side_b : (n + 1,) whether the body is side b of its parent joint and the parent side a; true for free roots
    depth : (n + 1,) joints between the body and the world
    order : (n,) all bodies without the world, parents before children
    loops : one for each cut joint, in the order of the joints
    clusters : loops merged where they share bodies; every loop is in one cluster
    """

    parent: np.ndarray
    parent_joint: np.ndarray
    is_side_b: np.ndarray
    depth: np.ndarray
    order: np.ndarray
    loops: tuple[Loop, ...]
    clusters: tuple[Cluster, ...]

    @property
    def cuts(self) -> tuple[int, ...]:
        """Indices of the cut joints."""
        return tuple(loop.joint for loop in self.loops)


def make_topology(masses: Sequence[float], joints: Joints, cuts: Collection[int] = ()) -> Topology:
    """Find the tree of a model.

    Parameters
    ----------
    masses : mass of every body [kg], the world first
    joints : bodies (a, b) of every joint; None for a free joint, which joins nothing
    cuts : joints that must not be part of the tree

    Examples
    --------
    Two bodies on the world, joined with each other: the joint between them closes a loop and is cut.

    >>> topology = make_topology([0.0, 1.0, 1.0], [(0, 1), (1, 2), (2, 0)])
    >>> topology.parent.tolist(), topology.cuts
    ([0, 0, 0], (1,))
    """
    count = len(masses)
    edges: list[list[tuple[int, int, bool]]] = [[] for _ in range(count)]
    for joint, ends in enumerate(joints):
        if ends is None or joint in cuts:
            continue
        a, b = ends
        edges[a].append((joint, b, True))
        edges[b].append((joint, a, False))

    parent = np.full(count, WORLD_ROW, dtype=np.int64)
    parent_joint = np.full(count, NO_JOINT, dtype=np.int64)
    is_side_b = np.ones(count, dtype=bool)
    depth = np.zeros(count, dtype=np.int64)
    order: list[int] = []
    reached = np.zeros(count, dtype=bool)
    heaviest_first = sorted(range(1, count), key=lambda body: -masses[body])  # stable: the first of equal ones
    for root in (WORLD_ROW, *heaviest_first):
        if reached[root]:
            continue
        reached[root] = True
        if root != WORLD_ROW:
            depth[root] = 1
            order.append(root)
        queue = deque([root])
        while queue:
            body = queue.popleft()
            for joint, child, child_is_b in edges[body]:
                if reached[child]:
                    continue
                reached[child] = True
                parent[child], parent_joint[child], is_side_b[child] = body, joint, child_is_b
                depth[child] = depth[body] + 1
                order.append(child)
                queue.append(child)

    in_tree = set(parent_joint.tolist())
    loops = tuple(
        _make_loop(joint, ends, parent, depth)
        for joint, ends in enumerate(joints)
        if ends is not None and joint not in in_tree
    )
    return Topology(
        parent=parent,
        parent_joint=parent_joint,
        is_side_b=is_side_b,
        depth=depth,
        order=np.array(order, dtype=np.int64),
        loops=loops,
        clusters=_merge_loops(loops, order, depth),
    )


def _make_loop(joint: int, ends: tuple[int, int], parent: np.ndarray, depth: np.ndarray) -> Loop:
    """Climb from both ends, always from the deeper one, until they meet."""
    a, b = ends
    branch_a: list[int] = []
    branch_b: list[int] = []
    while a != b:
        if depth[a] >= depth[b]:
            branch_a.append(a)
            a = int(parent[a])
        else:
            branch_b.append(b)
            b = int(parent[b])
    return Loop(joint, tuple(branch_a), tuple(branch_b), a)


def _merge_loops(loops: Sequence[Loop], order: Sequence[int], depth: np.ndarray) -> tuple[Cluster, ...]:
    """Merge loops with common bodies. The shallowest ancestor of merged loops is above all their bodies, because a body
    that two loops share lies below both of their ancestors."""
    groups: list[tuple[list[int], set[int]]] = []
    for index, loop in enumerate(loops):
        bodies = set(loop.bodies)
        joined = [group for group in groups if group[1] & bodies]
        groups = [group for group in groups if not group[1] & bodies]
        members = sorted([index, *(i for group in joined for i in group[0])])
        groups.append((members, bodies.union(*(group[1] for group in joined))))
    position = {body: i for i, body in enumerate(order)}
    return tuple(
        Cluster(
            loops=tuple(members),
            bodies=tuple(sorted(bodies, key=lambda body: -position[body])),
            ancestor=min((loops[i].ancestor for i in members), key=lambda body: depth[body]),
        )
        for members, bodies in sorted(groups, key=lambda group: group[0])
    )
