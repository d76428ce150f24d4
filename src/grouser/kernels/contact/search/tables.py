"""Arrays of the search: surfaces, clouds of points, lists of candidates. Memory is taken here and nowhere else.

Trees are perfect binary trees without pointers: node 1 is the root, 2 i and 2 i + 1 are the children of i, and leaves
are the last half. Members of node i at depth d are those from j n // 2^d to (j + 1) n // 2^d, with j = i - 2^d.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

LEAF = 16
"""Most members of a leaf; there are more than half as many."""
FRONT = 64
"""Boxes with which a sphere of points is compared at the same time; more are not opened."""
STACK = 128
"""Words of the stack of a descent: two for each level, and those of a front."""

Surface = namedtuple("Surface", ["node", "order", "box", "ring_start", "ring", "is_shell"])
"""Polygons, in the order of their tree: polygon k is row k in all that the search takes and gives.

node (n, 4) uint32 rows of the nodes, anticlockwise seen from outside, the last one twice in a triangle; order (n,)
uint32 what polygon k was called by whoever made the surface; box (2 leaves, 6) float32 least and largest x, y, z of
each tree node, rounded outwards; ring_start (nodes + 1,) and ring (corners,) uint32 polygons about each node; is_shell
int64 1 if both sides are outside."""

Cloud = namedtuple("Cloud", ["order", "ball", "near_start", "near"])
"""Points, and the tree of spheres on them.

order (n,) uint32 points in the order of the tree; ball (2 leaves, 4) float64 centre and radius of each tree node;
near_start (n + 1,), near (m,) uint32 nodes in the neighbourhood of each point: polygons with one of them do not touch
it. Without rows for a cloud that is no part of the surface."""

Reach = namedtuple("Reach", ["radius", "depth", "skin", "is_own"], defaults=[0])
"""radius: distance at which a point touches, zero for points without size on solids, half the thickness of
shells; depth: how far inside a solid a point is sought; skin: how far points and polygons may move, both ways added,
until a list is made again; is_own: 1 where points and polygons belong to one solid."""

SearchWork = namedtuple("SearchWork", ["front", "front_count", "stack", "far", "lane"])
"""Scratch: front (levels, FRONT) and front_count (levels,) int64 boxes near each sphere on the way down; stack (STACK,)
int64 and far (STACK,) float64 boxes to look at, and the squares of their distances; lane (11, 4 LEAF) float64 triangles
of a leaf."""

Meeting = namedtuple("Meeting", ["surface", "x", "cloud", "points", "origin", "R", "reach"])
"""A surface and a cloud as they are now: x (nodes, 3) in the frame of the surface, points (n, 3) in their own; seen
from the surface a point is at origin (3,) + R (3, 3) p. Compiled code is faster with it packed
(`grouser.kernels._packed`)."""

PairList = namedtuple("PairList", ["point", "start", "polygon", "distance", "guide", "marked", "count"])
"""Candidates. point (points,) uint32 points that are near, start (points + 1,) int64 where the candidates of each
begin; polygon (capacity,) uint32 and distance (capacity,) float64 polygons that may touch the point, the nearest first,
and how far they were when the list was made; guide (points, 4) float64 of each near point, then; marked (points,)
uint32 points with a guide; count (4,) int64 number of near points, of candidates, the capacity needed, and the number
of marked ones."""

TouchList = namedtuple("TouchList", ["point", "polygon", "value", "count"])
"""Contacts. point (capacity,) uint32; polygon (capacity,) uint32; value (capacity, 11) float64 depth, normal out of the
surface, place on the surface, weights of the polygon's nodes; count (2,) int64 number, and the capacity needed."""


def make_tree(count: int, columns: int, kind: type = np.float64) -> np.ndarray:
    """Memory of a tree on `count` members, all zero."""
    if count == 0:
        raise ValueError("a search tree needs at least one member; leave out surfaces and clouds without any")
    leaves = 1
    while leaves * LEAF < count:
        leaves *= 2
    return np.zeros((2 * leaves, columns), dtype=kind)


def make_surface(polygons: np.ndarray, node_count: int, *, is_shell: bool = False) -> Surface:
    """A surface whose tree is yet to be built (`build_boxes`).

    Parameters
    ----------
    polygons : (n, 3) or (n, 4) rows of the nodes, anticlockwise seen from outside; a triangle among quadrilaterals has
        its last node twice
    node_count : rows of the positions
    is_shell : both sides are outside
    """
    node = np.empty((len(polygons), 4), dtype=np.uint32)
    node[:, : polygons.shape[1]] = polygons
    node[:, 3] = polygons[:, -1]
    corners = int(np.sum(3 + (node[:, 3] != node[:, 2])))
    return Surface(
        node,
        np.arange(len(node), dtype=np.uint32),
        make_tree(len(node), 6, np.float32),
        np.zeros(node_count + 1, dtype=np.uint32),
        np.zeros(corners, dtype=np.uint32),
        int(is_shell),
    )


def make_cloud(count: int, near_start: np.ndarray | None = None, near: np.ndarray | None = None) -> Cloud:
    """A cloud whose tree is yet to be built (`build_balls`); see `Cloud` for the neighbourhoods."""
    index = np.dtype(np.uint32)
    start = np.zeros(0, dtype=index) if near_start is None else np.asarray(near_start, dtype=index)
    nodes = np.zeros(0, dtype=index) if near is None else np.asarray(near, dtype=index)
    return Cloud(np.arange(count, dtype=index), make_tree(count, 4), start, nodes)


def make_search_work(cloud: Cloud) -> SearchWork:
    """Scratch for a cloud against any surface."""
    levels = len(cloud.ball).bit_length()
    index = np.dtype(np.int64)
    front, front_count = np.zeros((levels, FRONT), dtype=index), np.zeros(levels, dtype=index)
    return SearchWork(front, front_count, np.zeros(STACK, dtype=index), np.zeros(STACK), np.zeros((11, 4 * LEAF)))


def make_pair_list(points: int, capacity: int) -> PairList:
    """An empty list."""
    return PairList(
        np.zeros(points, dtype=np.uint32),
        np.zeros(points + 1, dtype=np.int64),
        np.zeros(capacity, dtype=np.uint32),
        np.zeros(capacity),
        np.zeros((points, 4)),
        np.zeros(points, dtype=np.uint32),
        np.zeros(4, dtype=np.int64),
    )


def grow_pair_list(pair: PairList) -> PairList:
    """A list that had no room, with room for what it needs and some more. It still knows which points are marked."""
    capacity = int(1.2 * pair.count[2]) + 64
    return pair._replace(polygon=np.zeros(capacity, dtype=np.uint32), distance=np.zeros(capacity))


def make_touch_list(capacity: int) -> TouchList:
    """An empty list."""
    return TouchList(
        np.zeros(capacity, dtype=np.uint32),
        np.zeros(capacity, dtype=np.uint32),
        np.zeros((capacity, 11)),
        np.zeros(2, dtype=np.int64),
    )
