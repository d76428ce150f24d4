"""Where the blocks of carried rows lie, and which blocks of the matrix they are pulled back to."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.layout import Layout
from grouser.compile.tables import INT
from grouser.kernels.block_ldl import BLOCK, HALF_DIAGONAL, WIDTH
from grouser.kernels.kinds import WORLD_ROW
from grouser.kernels.nodes import FRAME_SIZE, POINT_SIZE
from grouser.kernels.pulled import ALONE
from grouser.kernels.scatter import BOTH, BOTH_FLIPPED

Array = np.ndarray

Pulled = namedtuple(
    "Pulled",
    [
        "entry",
        "jacobian",
        "source",
        "pair",
        "sizes",
        "target",
        "is_own",
        "is_full",
        "acts",
        "scratch",
        "marker",
        "lead",
        "is_marker",
        "moved",
        "pushed",
        "touches",
    ],
)
"""entry (e, 3): marker, its link to a point and the carried point of each J, or -1; jacobian (e, 6, 6); of each product
source (n,) where the block of carried rows begins in the matrix, pair (n, 2) the J on both sides or `ALONE`, sizes
(n, 4) rows and columns of the block and of the product, target (n, 2) where the product is added and how it is stored,
is_own (n,) 1 where the block of two rows becomes one of a single node, is_full (n,) 1 where the block is not empty;
acts (e,) 1 for each J that a full block asks for; scratch (2, 6, 6). For contacts of markers:
marker (e,) row of the marker of each J, or -1; lead (e, 2) where the numbers of the row that it leads to begin in
vectors, and how many there are; is_marker (frames,) 1 for markers; moved, pushed (6 frames,) velocities and forces of
markers; touches (1,) 1 where shapes sit on markers."""


@dataclass(frozen=True)
class Rows:
    """Rows of nodes as the matrix knows them.

    Attributes
    ----------
    owner : node of the elimination that each row belongs to; `WORLD_ROW` for what is none of its own
    half : 1 where it is the second of two points there
    size : numbers of each row
    carriers : for each carried row the entries of `Pulled` and the rows that they lead to
    entry : marker, link and carried point of each entry
    """

    owner: Array
    half: Array
    size: Array
    carriers: dict[int, list[tuple[int, int]]]
    entry: list[tuple[int, int, int]]

    def find_diagonal(self, row: int) -> int:
        """Where the own block of a row that is no carried one begins."""
        return int(BLOCK * self.owner[row] + HALF_DIAGONAL * self.half[row])

    def expand(self, row: int) -> list[tuple[int, int]]:
        """Entries and rows of unknowns that a row follows; itself if it is one, nothing for the world."""
        if row in self.carriers:
            return self.carriers[row]
        return [] if self.owner[row] == WORLD_ROW else [(ALONE, row)]


def find_rows(compiled: Compiled) -> Rows:
    """The rows of a compiled model."""
    layout, carried = compiled.layout, compiled.tables.carried
    bodies, frames, free = len(layout.bodies), layout.frame_count, len(layout.free_points)
    owner = np.zeros(len(layout.nodes), dtype=INT)
    half = np.zeros_like(owner)
    owner[: bodies + 1] = np.arange(bodies + 1)
    owner[frames : frames + free] = frames + np.arange(free) // 2
    half[frames : frames + free] = np.arange(free) % 2
    size = np.full(len(owner), POINT_SIZE, dtype=INT)
    size[:frames] = FRAME_SIZE
    entry: list[tuple[int, int, int]] = []
    carriers: dict[int, list[tuple[int, int]]] = {}
    number = {int(row): i for i, row in enumerate(carried.point)}

    def add(row: int, marker: int, link: int, point: int, leads_to: int) -> None:
        if leads_to != WORLD_ROW:
            carriers[row].append((len(entry), leads_to))
            entry.append((marker, link, point))

    for i, row in enumerate(carried.point.tolist()):
        carriers[row] = []
        add(row, -1, -1, i, int(carried.body[i]))
    for i, row in enumerate(carried.marker.tolist()):
        carriers[row] = []
        for link in range(carried.start[i], carried.start[i + 1]):
            point = number.get(int(carried.node[link]), -1)
            add(row, i, link, point, int(carried.node[link]) if point < 0 else int(carried.body[point]))
    return Rows(owner, half, size, carriers, entry)


def find_pulled_edges(rows: Rows, coupled: Array) -> set[tuple[int, int]]:
    """Pairs of rows of unknowns, different ones, that blocks of carried rows lead to."""
    found: set[tuple[int, int]] = set()
    sources = [(row, row) for row in rows.carriers]
    sources += [(int(a), int(b)) for a, b in coupled if int(a) in rows.carriers or int(b) in rows.carriers]
    for a, b in sources:
        for _, p in rows.expand(a):
            for _, q in rows.expand(b):
                if p != q:
                    found.add((min(p, q), max(p, q)))
    return found


def make_pulled(
    compiled: Compiled, rows: Rows, coupled: Array, places: dict[tuple[int, int], tuple[int, int]], start: int
) -> tuple[Pulled, dict[int, int], dict[int, int], int]:
    """What is pulled back where, with the blocks of carried rows from `start` on in the matrix.

    `places`: where the block of each pair of rows begins, and how it is stored. Returns it, and where the blocks of
    carried rows begin, and those of the pairs `coupled` that have one by their number, and where all of them end.
    """
    columns: dict[str, list] = {name: [] for name in ("source", "pair", "sizes", "target", "is_own")}
    diagonal: dict[int, int] = {}
    edges: dict[int, int] = {}

    def add(source: int, a: int, b: int, is_same: bool) -> None:
        for i, (e, p) in enumerate(rows.expand(a)):
            for j, (f, q) in enumerate(rows.expand(b)):
                if is_same and j < i:
                    continue
                own = p == q
                # of a row's own block both triangles are there, so the product with itself is whole
                doubled = own and not (is_same and i == j)
                target = (rows.find_diagonal(p), 0) if own else places[p, q]
                columns["source"].append(source)
                columns["pair"].append((e, f))
                columns["sizes"].append((rows.size[a], rows.size[b], rows.size[p], rows.size[q]))
                columns["target"].append(target)
                columns["is_own"].append(int(doubled))

    for row in rows.carriers:
        diagonal[row] = start
        add(start, row, row, True)
        start += BLOCK
    for n, (a, b) in enumerate(coupled.tolist()):
        if a in rows.carriers or b in rows.carriers:
            edges[n] = start
            add(start, a, b, False)
            start += BLOCK
    count = len(columns["source"])
    carried, frames = compiled.tables.carried, compiled.layout.frame_count
    lead = np.zeros((len(rows.entry), 2), dtype=INT)
    for row in rows.carriers:
        for entry, owner in rows.carriers[row]:
            is_frame = owner < frames
            place = FRAME_SIZE * owner if is_frame else FRAME_SIZE * frames + POINT_SIZE * (owner - frames)
            lead[entry] = place, FRAME_SIZE if is_frame else POINT_SIZE
    is_marker = np.zeros(frames, dtype=INT)
    is_marker[carried.marker] = 1
    pulled = Pulled(
        entry=np.array(rows.entry, dtype=INT).reshape(-1, 3),
        jacobian=np.zeros((len(rows.entry), FRAME_SIZE, FRAME_SIZE)),
        source=np.array(columns["source"], dtype=INT),
        pair=np.array(columns["pair"], dtype=INT).reshape(count, 2),
        sizes=np.array(columns["sizes"], dtype=INT).reshape(count, 4),
        target=np.array(columns["target"], dtype=INT).reshape(count, 2),
        is_own=np.array(columns["is_own"], dtype=INT),
        is_full=np.zeros(count, dtype=INT),
        acts=np.zeros(len(rows.entry), dtype=INT),
        scratch=np.zeros((2, WIDTH, WIDTH)),
        marker=np.array([-1 if i < 0 else carried.marker[i] for i, _, _ in rows.entry], dtype=INT),
        lead=lead,
        is_marker=is_marker,
        moved=np.zeros(FRAME_SIZE * frames),
        pushed=np.zeros(FRAME_SIZE * frames),
        touches=np.array([int(is_marker[compiled.tables.shape.body].any())], dtype=INT),
    )
    return pulled, diagonal, edges, start


def place_pair(rows: Rows, p: int, q: int, offset: int, flip: int) -> tuple[int, int]:
    """Where the block of the rows p and q begins, and how it is stored, from the place of the block of their nodes."""
    if rows.owner[p] == rows.owner[q]:
        return int(BLOCK * rows.owner[p]) + POINT_SIZE, BOTH if rows.half[p] == 0 else BOTH_FLIPPED
    first, second = (q, p) if flip == 1 else (p, q)
    return offset + POINT_SIZE * int(WIDTH * rows.half[first] + rows.half[second]), flip


def find_layout_sizes(layout: Layout) -> list[int]:
    """Rows of every node of the elimination: none of the world and of markers, which are no unknowns."""
    bodies, markers, free = len(layout.bodies), len(layout.markers), len(layout.free_points)
    sizes = [0] + [FRAME_SIZE] * bodies + [0] * markers + [2 * POINT_SIZE] * (free // 2)
    return sizes + [POINT_SIZE] * (free % 2)  # the last point may be alone in its block
