"""Block-sparse factorisation against dense linear algebra; redundant rows with regularisation and refinement."""

import numpy as np
import pytest

from grouser.compile.elimination import (
    find_least_degree_order,
    make_elimination,
    make_factor,
    make_value,
    make_vector,
)
from grouser.kernels._jit import kernel
from grouser.kernels.block_ldl import (
    BLOCK,
    FACTORED,
    WIDTH,
    add_to_block,
    calc_factor,
    calc_product,
    solve_refined,
)

ROUNDING = 1e-12
"""Matrices of the random graphs have condition numbers below 1e3."""


@kernel(entry=True)
def run_solve(table, value, shift, b, step_count, factor_out, x_out, w_work, r_work):
    """Factor and solve: status."""
    status = calc_factor(table, value, shift, factor_out, w_work)
    if status == FACTORED:
        solve_refined(table, value, factor_out, b, step_count, -1.0, x_out, r_work)
    return status


@kernel(entry=True)
def run_product(table, value, x, y_out):
    """y = A x."""
    calc_product(table, value, x, y_out)


@kernel(entry=True)
def run_add_blocks(table, edge, rows, columns, block, value_out):
    """Add a block to an edge."""
    for r in range(rows):
        for c in range(columns):
            add_to_block(table.edge_offset[edge], table.edge_flip[edge], r, c, block[r, c], value_out)


class System:
    """A matrix given by the blocks of nodes and edges, sparse by blocks and dense. Nodes are counted from zero here,
    and the world is the one after all of them; the table has the world first."""

    def __init__(self, diagonal, edges, blocks, multipliers=(), order=None):
        self.sizes = [len(block) for block in diagonal]
        sizes, pairs = [0, *self.sizes], [(self.place(i), self.place(j)) for i, j in edges]
        negative = {self.place(i) for i in multipliers}
        places = [self.place(i) for i in order or ()]
        places = places or find_least_degree_order(sizes, pairs, multipliers=negative)
        self.table = make_elimination(sizes, pairs, places, multipliers=negative)
        self.value = make_value(self.table)
        self.start = np.concatenate(([0], np.cumsum(self.sizes)))
        self.dense = np.zeros((self.start[-1], self.start[-1]))
        for i, block in enumerate(diagonal):
            size = len(block)
            self.value[BLOCK * self.place(i) :][:BLOCK].reshape(6, 6)[:size, :size] = block
            self.dense[self.rows(i), self.rows(i)] = block
        for e, ((i, j), block) in enumerate(zip(edges, blocks, strict=True)):
            run_add_blocks(self.table, e, *block.shape, block, self.value)
            if len(self.sizes) not in (i, j):
                self.dense[self.rows(i), self.rows(j)] += block
                self.dense[self.rows(j), self.rows(i)] += block.T

    def place(self, node):
        """Number of a node in the table."""
        return 0 if node == len(self.sizes) else node + 1

    def rows(self, node):
        return slice(self.start[node], self.start[node + 1])

    def spread(self, vector):
        """From the dense numbering to six numbers a node; the world's are NaN, for nothing may read them."""
        out = make_vector(self.table)
        for node, size in enumerate(self.sizes):
            out[WIDTH * self.place(node) :][:size] = vector[self.rows(node)]
        out[:WIDTH] = np.nan
        return out

    def gather(self, vector):
        return np.concatenate([vector[WIDTH * self.place(i) :][:size] for i, size in enumerate(self.sizes)])

    def solve(self, b, shift=None, step_count=0):
        """Status and solution. All scratch is NaN before."""
        shift = np.zeros(len(self.dense)) if shift is None else shift
        nan = np.full_like(make_vector(self.table), np.nan)
        x = nan.copy()
        factor = np.full_like(make_factor(self.table), np.nan)
        status = run_solve(
            self.table,
            self.value,
            self.spread(shift),
            self.spread(b),
            step_count,
            factor,
            x,
            np.full(BLOCK, np.nan),
            nan,
        )
        return status, self.gather(x)


def make_edges(kind, rng):
    if kind == "tree":
        return 20, [(int(rng.integers(0, i)), i) for i in range(1, 20)]
    if kind == "ring":
        return 20, [(i, (i + 1) % 20) for i in range(20)]
    if kind == "grid":
        return 25, [(i, i + 1) for i in range(25) if i % 5 < 4] + [(i + 5, i) for i in range(20)]
    if kind == "random":  # some edges double, some to the world
        return 15, [tuple(int(i) for i in rng.choice(16, size=2, replace=False)) for _ in range(40)]
    return 3, []


def make_random_system(kind, seed, order, *, multiplier_share=0.0):
    """Strong diagonals of the right sign, so that condition numbers are small."""
    rng = np.random.default_rng(seed)
    count, edges = make_edges(kind, rng)
    sizes = rng.integers(1, 7, size=count)
    multipliers = {i for i in range(count) if rng.random() < multiplier_share}
    all_sizes = [*sizes, 6]
    blocks = [rng.normal(size=(all_sizes[i], all_sizes[j])) for i, j in edges]
    # couplings of two bodies or of two multipliers must not outweigh the diagonal; the others may be anything
    diagonal = []
    for i, size in enumerate(sizes):
        root = rng.normal(size=(size, size))
        weight = sum(6.0 for edge in edges if i in edge)
        diagonal.append((-1 if i in multipliers else 1) * (root @ root.T + (weight + 1.0) * np.eye(size)))
    nodes = [int(i) for i in rng.permutation(count)] if order == "any" else None
    return System(diagonal, edges, blocks, multipliers, nodes), rng


@pytest.mark.parametrize("order", ["least degree", "any"])
@pytest.mark.parametrize("kind", ["tree", "ring", "grid", "random", "no edges"])
@pytest.mark.parametrize("multiplier_share", [0.0, 0.4])
def test_solution_and_product_agree_with_dense_algebra(kind, order, multiplier_share):
    """Definite and quasi-definite matrices, nodes of all sizes, any order."""
    for seed in range(3):
        system, rng = make_random_system(kind, seed, order, multiplier_share=multiplier_share)
        b = rng.normal(size=len(system.dense))
        status, x = system.solve(b)
        assert status == FACTORED
        np.testing.assert_allclose(x, np.linalg.solve(system.dense, b), rtol=0, atol=ROUNDING)
        y = np.full_like(make_vector(system.table), np.nan)
        run_product(system.table, system.value, system.spread(x), y)
        np.testing.assert_allclose(system.gather(y), system.dense @ x, rtol=0, atol=ROUNDING)


def test_the_shift_is_in_the_factor_and_refinement_takes_it_out():
    system, rng = make_random_system("ring", 5, "tree")
    b = rng.normal(size=len(system.dense))
    shift = rng.uniform(0.1, 1.0, size=len(b))
    _, shifted = system.solve(b, shift)
    np.testing.assert_allclose(shifted, np.linalg.solve(system.dense + np.diag(shift), b), rtol=0, atol=ROUNDING)
    _, refined = system.solve(b, shift, step_count=30)
    np.testing.assert_allclose(refined, np.linalg.solve(system.dense, b), rtol=0, atol=ROUNDING)


def test_what_is_added_to_the_world_changes_nothing():
    system, rng = make_random_system("random", 1, "least degree")
    b = rng.normal(size=len(system.dense))
    _, x = system.solve(b)
    system.value[:BLOCK] = np.nan
    assert system.solve(b)[0] == FACTORED
    np.testing.assert_array_equal(system.solve(b)[1], x)


# Tracks of ideal revolute joints -------------------------------------------------------------------------------------


def make_skew(r):
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def make_track(count):
    """A closed chain on an oval, tilted in space: [M G^T; G 0] with five rows for each pin. Three rows of all of them
    are redundant, because the pins are parallel."""
    angle = 2 * np.pi * np.arange(count) / count
    radius = 0.15 * count / (2 * np.pi)
    axis = np.array([1.0, 2.0, 2.0]) / 3
    u, v = np.array([2.0, 1.0, -2.0]) / 3, np.array([2.0, -2.0, 1.0]) / 3
    pin = 2 * radius * np.outer(np.cos(angle), u) + 0.5 * radius * np.outer(np.sin(angle), v)
    ahead = np.roll(pin, -1, axis=0)
    mass = np.diag([11.0, 11.0, 11.0, 0.12, 0.03, 0.1])
    joints = [(i, (i + 1) % count) for i in range(count)]
    edges, blocks = [], []
    for joint, ends in enumerate(joints):
        for body, sign in zip(ends, (-1.0, 1.0), strict=True):
            along = (ahead[body] - pin[body]) / np.linalg.norm(ahead[body] - pin[body])
            R = np.stack([along, axis, np.cross(along, axis)], axis=1)
            arm = pin[ends[1]] - (pin[body] + ahead[body]) / 2
            block = np.zeros((5, 6))
            block[:3, :3] = np.eye(3)
            block[:3, 3:] = -make_skew(arm) @ R
            block[3:, 3:] = np.stack([u, v]) @ R
            edges.append((count + joint, body))
            blocks.append(sign * block)
    multipliers = range(count, 2 * count)
    return System([mass] * count + [np.zeros((5, 5))] * count, edges, blocks, multipliers, None)


@pytest.mark.parametrize(("share", "step_count"), [(1e-10, 1), (1e-8, 2)])
def test_redundant_joints_of_a_track_are_solved_to_rounding(share, step_count):
    count = 64
    system = make_track(count)
    bodies = 6 * count
    mass, G = system.dense[:bodies, :bodies], system.dense[bodies:, :bodies]
    inverse = np.linalg.inv(mass)
    mobility = G @ inverse @ G.T
    eigenvalues = np.linalg.eigvalsh(mobility)
    assert eigenvalues[2] < 1e-13 * eigenvalues[-1] < 1e-6 * eigenvalues[3]  # three redundant rows

    rng = np.random.default_rng(3)
    force, gamma = 100.0 * rng.normal(size=bodies), G @ rng.normal(size=bodies)
    multiplier = np.linalg.pinv(mobility, rcond=1e-10, hermitian=True) @ (G @ inverse @ force - gamma)
    acceleration = inverse @ (force - G.T @ multiplier)

    shift = np.concatenate([np.zeros(bodies), np.full(5 * count, -share * np.max(np.diag(mobility)))])
    b = np.concatenate([force, gamma])
    status, x = system.solve(b, shift, step_count)
    assert status == FACTORED
    residual = system.dense @ x - b
    assert np.max(np.abs(residual[:bodies])) < 1e-12 * np.max(np.abs(force))
    assert np.max(np.abs(residual[bodies:])) < 1e-12 * np.max(np.abs(gamma))
    # the least multipliers, although others fit as well
    np.testing.assert_allclose(x[:bodies], acceleration, rtol=0, atol=1e-11 * np.max(np.abs(acceleration)))
    rounding = np.finfo(float).eps / share  # along redundant rows the shift alone stands against rounding
    np.testing.assert_allclose(x[bodies:], multiplier, rtol=0, atol=rounding * np.max(np.abs(multiplier)))
    # refinement is needed for that
    _, rough = system.solve(b, shift, 0)
    assert np.max(np.abs((system.dense @ rough - b)[bodies:])) > 1e-9 * np.max(np.abs(gamma))


# Singular matrices ---------------------------------------------------------------------------------------------------


def make_pendulum(rows, *, extra=()):
    """A body on the world by a joint with the given rows (node 1), and another body (node 2) that is free."""
    edges = [(1, 0), (1, 3), *extra]
    blocks = [rows, rows, *([np.zeros((6, 6))] * len(extra))]
    return System([np.eye(6), np.zeros((len(rows), len(rows))), np.eye(6)], edges, blocks, {1}, [2, 0, 1])


def test_rows_that_depend_on_each_other_need_a_shift():
    rows = np.array([[0.3, 0.1, 0.7, 0.0, 0.2, 0.9], [0.2, 0.0, 0.3, 0.4, 0.0, 0.1]])
    dependent = np.vstack([rows, rows[0] / 3 + rows[1] / 7])
    b = np.ones(15)
    assert make_pendulum(rows).solve(b[:14])[0] == FACTORED
    system = make_pendulum(dependent)
    assert system.solve(b)[0] == system.place(1)
    shift = np.zeros(15)
    shift[6:9] = -1e-10
    assert make_pendulum(dependent).solve(b, shift)[0] == FACTORED


@pytest.mark.parametrize("number", [0.0, -1.0, np.nan])
def test_a_body_without_mass_is_named(number):
    system = make_pendulum(np.eye(6)[:3], extra=[(0, 2)])
    system.value[BLOCK * system.place(2) + 14] = number
    status, x = system.solve(np.ones(15))
    assert status == system.place(2)
    assert np.all(np.isnan(x))  # nothing was solved


def test_a_body_that_loses_its_mass_to_a_spring_of_negative_stiffness_is_named():
    """The pivot that is left, 1e-15 of the diagonal, is noise."""
    block = -np.eye(6)
    system = System([np.eye(6), np.eye(6) * (1 + 1e-15)], [(0, 1)], [block], order=[0, 1])
    assert system.solve(np.ones(12))[0] == system.place(1)
    system = System([np.eye(6), np.eye(6) * (1 + 1e-12)], [(0, 1)], [block], order=[0, 1])
    assert system.solve(np.ones(12))[0] == FACTORED
