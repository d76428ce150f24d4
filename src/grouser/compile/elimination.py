"""What the block-sparse factorisation needs to know of a graph: order of elimination, fill, where each block lies.

Nodes are bodies (six rows) and ideal joints (one to six rows of multipliers). The matrix has a block for every node and
for every pair of nodes that an edge couples. Every block is stored 6 x 6, rows one after another, whatever the size of
its nodes (what is left over stays zero): so the numeric code has constant strides and loops of constant length. See
`grouser.kernels.block_ldl` for the equations.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from grouser.compile.tables import INT, EliminationTable, make_rows
from grouser.kernels.block_ldl import BLOCK, WIDTH
from grouser.kernels.kinds import WORLD_ROW


def make_elimination(
    sizes: Sequence[int], edges: Sequence[tuple[int, int]], order: Sequence[int], *, multipliers: Collection[int] = ()
) -> tuple:
    """Eliminate symbolically: the table of a matrix and of its factor.

    In `value`, the block of node i lies at 36 i; that of the world, node 0, takes what is added there and is
    never read. Blocks of edges lie where `edge_offset` says. Blocks of nodes have both triangles, blocks of edges are
    stored once.

    Parameters
    ----------
    sizes : rows of every node, 1..6; the world comes first and has none, nor have markers
    edges : pairs (i, j) of nodes with a block between them, rows of i and columns of j; several edges may couple the
        same nodes, and an edge may end at the world
    order : all nodes that have rows, first the one that is eliminated first
    multipliers : nodes with negative pivots; the others have positive ones
    """
    count = len(sizes)
    there = [node for node in range(count) if sizes[node] > 0]
    if sorted(order) != there:
        raise ValueError(f"the order of elimination must name each of the {len(there)} nodes once")
    n = len(order)
    place = np.full(count, -1, dtype=INT)
    place[list(order)] = np.arange(n)
    sorted_edges = [_sort_pair(edge, place) for edge in edges]
    pairs = sorted({pair for pair in sorted_edges if pair is not None})
    ends = np.array(pairs, dtype=INT).reshape(-1, 2)
    rows = _find_factor_rows(place[ends], n)

    # `factor`: for each node in the order, its pivot block and the blocks of its row, without gaps. A block is known by
    # one number, n times the place of its row and the place of its column: these grow from block to block
    keys = np.concatenate([n * row[0] + row for row in rows]) if rows else np.zeros(0, dtype=INT)

    def find_blocks(row: np.ndarray, column: np.ndarray) -> np.ndarray:
        return BLOCK * np.searchsorted(keys, n * row + column)

    target = []
    for row in rows:
        a, b = np.tril_indices(len(row) - 1)
        target.append(find_blocks(row[1 + b], row[1 + a]))

    # `value`: the world, all nodes, all pairs
    there_and_pairs = np.concatenate([np.repeat(np.array(there, dtype=INT)[:, None], 2, axis=1), ends])
    given_factor = find_blocks(*place[there_and_pairs].T)
    value = {pair: BLOCK * (count + i) for i, pair in enumerate(pairs)}
    node_at = np.array(order, dtype=INT)
    lengths = np.array([len(row) for row in rows], dtype=INT)

    columns: dict[str, Any] = {
        "size": list(sizes),
        "sign": [-1 if node in multipliers else 1 for node in range(count)],
        "order": node_at,
        "panel": BLOCK * (np.cumsum(lengths) - lengths),
        "row_start": [0, *np.cumsum(lengths - 1)],
        "row_node": node_at[np.concatenate([row[1:] for row in rows])] if rows else [],
        "target": np.concatenate(target) if rows else [],
        "given_value": [*(BLOCK * node for node in there), *value.values()],
        "given_factor": given_factor,
        "fill": np.setdiff1d(BLOCK * np.arange(len(keys)), given_factor),
        "pair_row": ends[:, 0],
        "pair_column": ends[:, 1],
        "edge_offset": [BLOCK * WORLD_ROW if pair is None else value[pair] for pair in sorted_edges],
        "edge_flip": [int(pair not in (None, edge)) for pair, edge in zip(sorted_edges, edges, strict=True)],
    }
    return make_rows(EliminationTable, columns)


def make_value(table: tuple) -> np.ndarray:
    """The array `value` of a table: blocks of the world, of nodes, of pairs."""
    return np.zeros(BLOCK * (len(table.size) + len(table.pair_row)))  # type: ignore[attr-defined]


def make_factor(table: tuple) -> np.ndarray:
    """The array `factor` of a table."""
    return np.zeros(BLOCK * (len(table.order) + len(table.row_node)))  # type: ignore[attr-defined]


def make_vector(table: tuple) -> np.ndarray:
    """A vector of a table: six numbers for each node, the world included."""
    return np.zeros(WIDTH * len(table.size))  # type: ignore[attr-defined]


def find_least_degree_order(
    sizes: Sequence[int], edges: Sequence[tuple[int, int]], *, multipliers: Collection[int] = ()
) -> list[int]:
    """Order of elimination for any graph: always the node whose row is the shortest, and among those the one that has
    waited for the fewest others. In a chain or a ring that is every other node, then every other one of those that are
    left: nodes that do not wait for each other follow each other, and the processor works on several at a time.

    A multiplier waits until the part of the graph that is gone and that it touches has as many freedoms left as the
    multiplier has rows; where that never comes (redundant rows), it is eliminated after all other nodes.
    """
    count = len(sizes)
    neighbours = _make_neighbours(count, (edge for edge in edges if WORLD_ROW not in edge))
    of_size = [
        (size, _make_set(node for node in range(count) if sizes[node] == size)) for size in sorted({*sizes} - {0})
    ]
    part = list(range(count))  # a representative of the eliminated part that a node belongs to
    touched: list[set[int]] = [set() for _ in range(count)]  # nodes next to it that are gone
    freedom = [-size if node in multipliers else size for node, size in enumerate(sizes)]
    depth = [0] * count  # nodes in the longest row of those that are gone, each of which had to wait for the one before

    def find_part(node: int) -> int:
        while part[node] != node:
            part[node] = part[part[node]]
            node = part[node]
        return node

    def calc_rank(node: int) -> tuple[bool, int, int, int]:
        must_wait = False
        if node in multipliers:
            must_wait = sum(freedom[p] for p in {find_part(gone) for gone in touched[node]}) < sizes[node]
        row = sum(size * (neighbours[node] & nodes).bit_count() for size, nodes in of_size)
        return must_wait, row, depth[node], node

    rank = [calc_rank(node) for node in range(count)]
    heap = sorted(one for one, size in zip(rank, sizes, strict=True) if size > 0)
    order: list[int] = []
    while heap:
        entry = heapq.heappop(heap)
        node = entry[-1]
        if entry != rank[node]:
            continue  # an old entry; the new one is in the heap
        rank[node] = (True, -1, -1, -1)
        order.append(node)
        for p in {find_part(gone) for gone in touched[node]}:
            part[p] = node
            freedom[node] += freedom[p]
        nearby = _remove_node(neighbours, node)
        for other in nearby:
            touched[other].add(node)
            depth[other] = max(depth[other], depth[node] + 1)
        for other in nearby:
            rank[other] = calc_rank(other)
            heapq.heappush(heap, rank[other])
    return order


def _sort_pair(edge: tuple[int, int], place: np.ndarray) -> tuple[int, int] | None:
    """The nodes of an edge, first the one that is eliminated first; None where it ends at the world."""
    i, j = edge
    if i == j:
        raise ValueError(f"an edge couples node {i} with itself; add to the node's own block")
    if WORLD_ROW in edge:
        return None
    return (i, j) if place[i] < place[j] else (j, i)


def _find_factor_rows(pairs: np.ndarray, count: int) -> list[np.ndarray]:
    """Columns of the blocks in each row of the factor, that of the pivot first; all by place in the order."""
    neighbours = _make_neighbours(count, pairs.tolist())
    return [np.array([place, *_remove_node(neighbours, place)], dtype=INT) for place in range(count)]


# Sets of nodes are whole numbers with a bit for each node: what is near many nodes is found by a few operations.


def _make_set(nodes: Iterable[int]) -> int:
    return sum(1 << node for node in nodes)


def _list_nodes(nodes: int) -> list[int]:
    """The nodes of a set, in order."""
    found = []
    while nodes:
        lowest = nodes & -nodes
        found.append(lowest.bit_length() - 1)
        nodes ^= lowest
    return found


def _make_neighbours(count: int, pairs: Iterable[Sequence[int]]) -> list[int]:
    neighbours = [0] * count
    for i, j in pairs:
        neighbours[i] |= 1 << j
        neighbours[j] |= 1 << i
    return neighbours


def _remove_node(neighbours: list[int], node: int) -> list[int]:
    """Eliminate a node: its neighbours, which become neighbours of each other."""
    nearby = neighbours[node]
    found = _list_nodes(nearby)
    for other in found:
        neighbours[other] = (neighbours[other] | nearby) & ~(1 << other | 1 << node)
    neighbours[node] = 0
    return found
