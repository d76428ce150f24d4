"""The symbolic side of the factorisation: orders of elimination, fill, places of blocks."""

import pickle

import numpy as np
import pytest

from grouser.compile.elimination import (
    EliminationTable,
    find_least_degree_order,
    make_elimination,
    make_factor,
    make_value,
    make_vector,
)
from grouser.kernels.block_ldl import BLOCK, WIDTH


def make_ring(count):
    return [(i + 1, (i + 1) % count + 1) for i in range(count)]


def make_joint_system(body_count, joints):
    """Sizes, edges and multipliers where every joint is an ideal revolute joint."""
    sizes = make_sizes(body_count) + [5] * len(joints)
    edges = [(body_count + 1 + j, body) for j, ends in enumerate(joints) for body in ends]
    return sizes, edges, range(body_count + 1, len(sizes))


def make_sizes(body_count):
    """Of bodies, after the world."""
    return [0] + [6] * body_count


def count_blocks(sizes, edges, order):
    return len(make_factor(make_elimination(sizes, edges, order))) // BLOCK


# A hull 1 with two four-bars of which one is braced, a pendulum on the world, and a ring of eight links.
JOINTS = [(1, 2), (2, 3), (3, 4), (4, 1), (1, 5), (5, 6), (6, 7), (7, 1), (5, 7), (0, 8)]
JOINTS += [(8 + a, 8 + b) for a, b in make_ring(8)]


def test_a_tree_has_no_fill():
    rng = np.random.default_rng(0)
    joints = [(int(rng.integers(0, i)) + 1, i + 1) for i in range(1, 40)]
    sizes, edges, multipliers = make_joint_system(40, joints)
    order = find_least_degree_order(sizes, edges, multipliers=multipliers)
    assert count_blocks(sizes, edges, order) == len(sizes) - 1 + len(edges)


@pytest.mark.parametrize("count", [8, 16, 64, 128])
@pytest.mark.parametrize("ideal", [False, True])
def test_the_factor_of_a_closed_chain_grows_linearly(count, ideal):
    """Two blocks right of every pivot but the last two: 3 n - 3 blocks for n nodes in a ring."""
    joints = make_ring(count)
    sizes, edges, multipliers = make_joint_system(count, joints) if ideal else (make_sizes(count), joints, ())
    order = find_least_degree_order(sizes, edges, multipliers=multipliers)
    assert count_blocks(sizes, edges, order) == 3 * (len(sizes) - 1) - 3


def test_a_spring_between_distant_bodies_gives_fill_along_the_way():
    chain = [(i, i + 1) for i in range(1, 10)]
    assert count_blocks(make_sizes(10), chain, range(10, 0, -1)) == 19
    assert count_blocks(make_sizes(10), [*chain, (10, 1)], range(10, 0, -1)) == 19 + 8


def test_least_degree_leaves_the_centre_of_a_star_to_the_end():
    edges = [(1, i) for i in range(2, 21)]
    order = find_least_degree_order(make_sizes(20), edges)
    assert count_blocks(make_sizes(20), edges, order) == 20 + 19
    assert order.index(1) >= 18


def test_least_degree_lets_multipliers_wait_for_freedoms():
    """Whenever a multiplier goes, what is gone around it has freedoms for its rows, or no body is left."""
    sizes, edges, multipliers = make_joint_system(16, JOINTS)
    order = find_least_degree_order(sizes, edges, multipliers=multipliers)
    assert sorted(order) == list(range(1, len(sizes)))
    gone = set()
    early = 0
    for node in order:
        if node in multipliers and not gone.issuperset(range(1, 17)):
            part, border = {node}, [node]
            while border:
                near = border.pop()
                for i, j in edges:
                    for a, b in ((i, j), (j, i)):
                        if a == near and b in gone - part:
                            part.add(b)
                            border.append(b)
            assert sum(-sizes[i] if i in multipliers else sizes[i] for i in part) >= 0
            early += 1
        gone.add(node)
    assert early > 5


def test_edges_find_their_blocks():
    """Edges of the same nodes share a block, flipped where the second node goes first; the world has a block of its
    own."""
    edges = [(1, 2), (2, 1), (3, 2), (3, 0), (0, 1)]
    table = make_elimination([0, 6, 5, 3], edges, [3, 2, 1], multipliers={2})
    value = make_value(table)
    assert len(value) == BLOCK * (3 + 1 + 2)
    assert table.edge_offset[0] == table.edge_offset[1] != table.edge_offset[2]
    assert table.edge_offset[3] == table.edge_offset[4] == 0
    assert table.edge_flip.tolist() == [1, 0, 0, 0, 0]
    assert table.sign.tolist() == [1, 1, -1, 1]
    assert len(make_vector(table)) == WIDTH * 4
    for name, _shape, kind, _unit, _meaning in EliminationTable.FIELDS:
        assert getattr(table, name).dtype == kind


def test_an_order_that_forgets_a_node_is_refused():
    with pytest.raises(ValueError, match="each of the 3 nodes once"):
        make_elimination(make_sizes(3), [(1, 2)], [1, 2])


def test_an_edge_from_a_node_to_itself_is_refused():
    with pytest.raises(ValueError, match="node 1 with itself"):
        make_elimination(make_sizes(2), [(1, 1)], [1, 2])


def test_numba_can_find_the_type_of_the_table_in_its_cache():
    """Numba keys compiled code by the pickled type; a type that pickle cannot find by name never hits the cache."""
    assert pickle.loads(pickle.dumps(EliminationTable)) is EliminationTable
