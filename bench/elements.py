"""Cost of flexible elements: time of an evaluation per element on one core, and memory.

    python bench/elements.py                        all of it, half a minute
    python bench/elements.py --quick                small meshes only

Forces with damping, gather and scatter included, on skewed bricks. Time of the process, the least of many repeats,
after compiling: what other programs on the machine do counts little, but they share its memory.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from grouser.families.brick.geometry import SIGNS, calc_geometry
from grouser.families.brick.kernel import calc_brick_forces
from grouser.families.brick.layout import STRESS_COLUMNS, TANGENT_WORK_SIZE, WORK_SIZE
from grouser.families.brick.material import make_linear, make_mooney_rivlin, make_neo_hookean
from grouser.families.brick.step import calc_brick_frequencies, find_mesh_frequency
from grouser.families.brick.stress import calc_brick_stress
from grouser.families.brick.table import make_brick_table
from grouser.families.brick.tangent import calc_brick_tangents

DAMPING = {"dilatational": 1e-3, "deviatoric": 1e-3}
MATERIALS = {
    "linear": make_linear(1.0, 0.3, **DAMPING),
    "linear by volume": make_linear(1.0, 0.3, by_volume=True, **DAMPING),
    "Neo-Hookean": make_neo_hookean(1.0, 10.0, **DAMPING),
    "Mooney-Rivlin": make_mooney_rivlin(0.3, 0.2, 10.0, **DAMPING),
}


def make_cube(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the nodes of a cube of `count` skewed bricks a side, and the nodes of each brick."""
    i, j, k = np.meshgrid(*[np.arange(count + 1)] * 3, indexing="ij")
    positions = np.stack([i.ravel(), j.ravel(), k.ravel()], axis=1) / count
    positions += np.random.default_rng(0).uniform(-0.15, 0.15, positions.shape) / count
    i, j, k = (a.ravel() for a in np.meshgrid(*[np.arange(count)] * 3, indexing="ij"))
    steps = ((SIGNS + 1.0) / 2.0).astype(int)
    nodes = [((i + a) * (count + 1) + j + b) * (count + 1) + k + c for a, b, c in steps]
    return positions, np.stack(nodes, axis=1)


def measure(work: Callable[[], object], count: int, budget: float = 1.0) -> float:
    """Least time of the process per element [us]; `budget` [s] is what all repeats may take."""
    best, spent, repeats = np.inf, 0.0, 0
    while spent < budget or repeats < 5:
        start = time.process_time()
        work()
        taken = time.process_time() - start
        best, spent, repeats = min(best, taken), spent + taken, repeats + 1
    return 1e6 * best / count


def measure_bricks(count: int, name: str) -> None:
    """Print cost and memory of forces of a cube of `count` bricks a side."""
    positions, nodes = make_cube(count)
    table = make_brick_table(nodes, calc_geometry(positions[nodes]), [MATERIALS[name]])
    rng = np.random.default_rng(1)
    x = positions + rng.uniform(-0.02, 0.02, positions.shape) / count
    v, f = rng.uniform(-1.0, 1.0, positions.shape), np.zeros_like(positions)
    sums, work = np.zeros(2), np.zeros(WORK_SIZE)
    cost = measure(lambda: calc_brick_forces(table, x, v, f, sums, work), len(nodes))
    size = sum(array.nbytes for array in (*table, x, v, f))
    print(f"brick forces   {name:18s} {len(nodes):7d} bricks   {cost:6.3f} us a brick   {1e-6 * size:6.1f} MB")


def measure_rest(count: int) -> None:
    """Print the cost of tangents, stresses and largest frequencies of a cube of `count` bricks a side."""
    positions, nodes = make_cube(count)
    geometry = calc_geometry(positions[nodes])
    table = make_brick_table(nodes, geometry, [MATERIALS["linear"]])
    n, still, work = len(nodes), np.zeros_like(positions), np.zeros(TANGENT_WORK_SIZE)
    stiffness, damping, stress = np.zeros((n, 24, 24)), np.zeros((n, 24, 24)), np.zeros((n, STRESS_COLUMNS))
    mass = np.zeros(len(positions))
    np.add.at(mass, nodes, geometry.node_volume)
    for what, do in {
        "tangents": lambda: calc_brick_tangents(table, 0, positions, still, stiffness, damping, work),
        "stresses": lambda: calc_brick_stress(table, positions, stress, work[:WORK_SIZE]),
        "frequencies, one by one": lambda: calc_brick_frequencies(table, positions, geometry.node_volume),
        "frequency of the mesh": lambda: find_mesh_frequency(table, positions, mass),
    }.items():
        print(f"brick {what:27s} {n:11d} bricks   {measure(do, n):6.2f} us a brick")


def main() -> None:
    """Print all."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small meshes only")
    options = parser.parse_args()
    for count in (10, 20) if options.quick else (10, 20, 32, 47):
        measure_bricks(count, "linear")
    for name in MATERIALS:
        measure_bricks(20, name)
    measure_rest(12)


if __name__ == "__main__":
    main()
