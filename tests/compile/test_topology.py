"""The spanning tree: every body hangs on the world once, cut joints close loops, loops that share bodies are merged."""

import itertools

import numpy as np
import pytest

from grouser.compile.topology import NO_JOINT, make_topology


def make_random(seed):
    """Masses and joints of a random graph, some joints free, some to the world, some of 12 bodies alone."""
    rng = np.random.default_rng(seed)
    joints = []
    for _ in range(int(rng.integers(0, 25))):
        a, b = rng.choice(13, size=2, replace=False)
        joints.append(None if rng.random() < 0.1 else (int(a), int(b)))
    return np.array([0.0, *rng.uniform(1.0, 9.0, size=12)]), joints


def make_ring(count):
    return [(i + 1, (i + 1) % count + 1) for i in range(count)]


@pytest.mark.parametrize("seed", range(20))
def test_every_body_hangs_on_the_world(seed):
    masses, joints = make_random(seed)
    topology = make_topology(masses, joints)
    place = {int(body): i for i, body in enumerate(topology.order)} | {0: -1}
    assert sorted(topology.order) == list(range(1, 13))
    for body in topology.order:
        parent, joint, is_side_b = topology.parent[body], topology.parent_joint[body], topology.is_side_b[body]
        assert place[int(parent)] < place[body]
        assert topology.depth[body] == 1 + topology.depth[parent]
        if joint == NO_JOINT:
            assert parent == 0
        else:
            assert joints[joint] == ((parent, body) if is_side_b else (body, parent))


@pytest.mark.parametrize("seed", range(20))
def test_every_joint_is_in_the_tree_or_closes_a_loop(seed):
    masses, joints = make_random(seed)
    topology = make_topology(masses, joints)
    tree = [int(j) for j in topology.parent_joint if j != NO_JOINT]
    assert sorted([*tree, *topology.cuts]) == [j for j, ends in enumerate(joints) if ends is not None]
    for loop in topology.loops:
        for end, branch in zip(joints[loop.joint], (loop.branch_a, loop.branch_b), strict=True):
            way = (*branch, loop.ancestor)
            assert way[0] == end
            assert all(topology.parent[body] == above for body, above in itertools.pairwise(way))
        assert len({*loop.bodies, loop.ancestor}) == len(loop.bodies) + 1


@pytest.mark.parametrize("seed", range(20))
def test_no_way_in_the_tree_is_longer_than_the_shortest_way_of_the_graph(seed):
    masses, joints = make_random(seed)
    topology = make_topology(masses, joints)
    distance = np.full((13, 13), np.inf)
    np.fill_diagonal(distance, 0.0)
    for ends in joints:
        if ends is not None:
            distance[ends] = distance[ends[::-1]] = 1.0
    for k in range(13):
        distance = np.minimum(distance, distance[:, k : k + 1] + distance[k])
    for body in range(1, 13):
        root = body
        while topology.parent_joint[root] != NO_JOINT and topology.parent[root] != 0:
            root = int(topology.parent[root])
        if topology.parent_joint[root] == NO_JOINT:
            part = np.flatnonzero(np.isfinite(distance[body]))
            assert 0 not in part
            assert masses[root] == max(masses[part])
            assert topology.depth[body] == 1 + distance[root, body]
        else:
            assert topology.depth[body] == distance[0, body]


def test_a_track_of_64_links_has_one_cut_and_two_half_chains():
    topology = make_topology(np.ones(65), make_ring(64))
    (loop,) = topology.loops
    assert sorted(map(len, (loop.branch_a, loop.branch_b))) == [31, 32]
    assert loop.ancestor == 1
    assert max(topology.depth) == 33
    (cluster,) = topology.clusters
    assert set(cluster.bodies) == set(range(2, 65))


def test_a_joint_that_the_user_cuts_is_not_in_the_tree():
    topology = make_topology(np.ones(9), [*make_ring(8), (0, 1)], cuts=[0])
    assert topology.cuts == (0,)
    (loop,) = topology.loops
    assert (loop.branch_a, loop.branch_b, loop.ancestor) == ((), (2, 3, 4, 5, 6, 7, 8), 1)


def test_a_cut_that_parts_the_graph_closes_a_loop_through_the_world():
    topology = make_topology([0.0, 1.0, 2.0, 1.0], [(0, 1), (1, 2), (2, 3)], cuts=[1])
    assert topology.parent[1:].tolist() == [0, 0, 2]
    assert topology.parent_joint[1:].tolist() == [0, NO_JOINT, 2]
    (loop,) = topology.loops
    assert (loop.branch_a, loop.branch_b, loop.ancestor) == ((1,), (2,), 0)


def test_free_joints_join_nothing():
    topology = make_topology([0.0, 1.0, 5.0], [None, (1, 2)])
    assert topology.parent[1:].tolist() == [2, 0]
    assert topology.parent_joint[1:].tolist() == [1, NO_JOINT]
    assert topology.is_side_b[1:].tolist() == [False, True]
    assert topology.cuts == ()


def test_two_joints_between_the_same_bodies_close_a_loop():
    topology = make_topology([0.0, 2.0, 1.0], [(1, 2), (2, 1)])
    (loop,) = topology.loops
    assert (loop.joint, loop.branch_a, loop.branch_b, loop.ancestor) == (1, (2,), (), 1)


def test_a_model_without_bodies_has_an_empty_tree():
    topology = make_topology([0.0], [])
    assert len(topology.order) == len(topology.loops) == len(topology.clusters) == 0


# Hull 1 with four-bars 1-2-3-4 and 1-5-6-7; a second loop on 3.
FOUR_BARS = [(1, 2), (2, 3), (3, 4), (4, 1), (1, 5), (5, 6), (6, 7), (7, 1)]


def test_loops_that_share_only_their_ancestor_stay_apart():
    topology = make_topology([0.0, 9.0, *np.ones(6)], FOUR_BARS)
    assert [set(c.bodies) for c in topology.clusters] == [{2, 3, 4}, {5, 6, 7}]
    assert [c.ancestor for c in topology.clusters] == [1, 1]


def test_a_loop_that_hangs_on_a_body_of_another_one_stays_apart():
    topology = make_topology([0.0, 9.0, *np.ones(8)], [*FOUR_BARS, (3, 8), (8, 9), (9, 3)])
    assert [(set(c.bodies), c.ancestor) for c in topology.clusters] == [
        ({2, 3, 4}, 1),
        ({5, 6, 7}, 1),
        ({8, 9}, 3),
    ]


def test_loops_that_share_bodies_are_merged_below_the_ancestor_of_all():
    topology = make_topology([0.0, 9.0, *np.ones(6)], [*FOUR_BARS, (3, 6), (2, 4)])
    (cluster,) = topology.clusters
    assert cluster.loops == tuple(range(len(topology.loops)))
    assert sorted(cluster.bodies) == [2, 3, 4, 5, 6, 7]
    assert cluster.ancestor == 1
    place = {int(body): i for i, body in enumerate(topology.order)}
    assert [place[b] for b in cluster.bodies] == sorted((place[b] for b in cluster.bodies), reverse=True)


def test_of_merged_loops_the_ancestor_is_the_one_nearest_to_the_world():
    topology = make_topology([0.0, 9.0, *np.ones(5)], [(1, 2), (2, 3), (2, 4), (3, 4), (1, 5), (5, 6), (6, 3)])
    assert [loop.ancestor for loop in topology.loops] == [2, 1]
    (cluster,) = topology.clusters
    assert (sorted(cluster.bodies), cluster.ancestor) == ([2, 3, 4, 5, 6], 1)
