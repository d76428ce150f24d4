"""Cost of an evaluation of the beam elements, and of their matrices, by element.

    python bench/beams.py

One core; process time, the least of many repeats, gather and scatter included. `elements.py` has forces of all elements
beside other programs.
"""

from __future__ import annotations

import time
from collections import namedtuple
from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from grouser.families.beam_thick.kernel import add_thick_beam_forces
from grouser.families.beam_thick.slopes import add_thick_beam_slopes
from grouser.families.beam_thick.table import make_thick_beams
from grouser.families.beam_thin.kernel import add_thin_beam_forces, calc_thin_beam_tangent
from grouser.families.beam_thin.table import make_thin_beams
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import LEDGER_ELEMENTS
from grouser.kernels.view import View

SIZES = (1000, 100_000)
REPEATS = 40
EVALUATIONS = 100_000
"""Elements that one repeat evaluates: at least 2 ms."""

Matrix = namedtuple("Matrix", ["h", "value", "diagonal", "f", "torque"])
"""What the slopes of thick beams need of the matrix of implicit steps."""
Scratch = namedtuple("Scratch", ["stored"])

Repeated = Callable[[int], object]
"""Does something for all elements, so many times."""


@kernel(entry=True)
def run_thick(table, x, R, v, w_world, count, f_out, torque_out, section_out, strain_out):
    """Forces, `count` times."""
    for _ in range(count):
        add_thick_beam_forces(table, x, R, v, w_world, f_out, torque_out, section_out, strain_out)


@kernel(entry=True)
def run_thick_slopes(table, view, edge, count, matrix_out, work):
    """Slopes of all elements, `count` times."""
    for _ in range(count):
        for i in range(table.length.shape[0]):
            add_thick_beam_slopes(table, i, edge[i], view, matrix_out, work)


@kernel(entry=True)
def run_thin(table, x, v, count, f_out, section_out):
    """Forces, `count` times."""
    for _ in range(count):
        add_thin_beam_forces(table, x, v, f_out, section_out)


@kernel(entry=True)
def run_thin_tangent(table, x, count, K_out, C_out):
    """Matrices of all elements, `count` times."""
    for _ in range(count):
        for i in range(table.length.shape[0]):
            calc_thin_beam_tangent(table, i, x, 1.0, K_out, C_out)


def measure(run: Repeated, n: int, evaluations: int = EVALUATIONS) -> float:
    """Least process time of one element [us]."""
    count = max(1, evaluations // n)
    run(1)  # compiles
    best = np.inf
    for _ in range(REPEATS):
        start = time.process_time()
        run(count)
        best = min(best, (time.process_time() - start) / (count * n))
    return 1e6 * best


def make_thick(n: int, damping: float) -> tuple[Repeated, Repeated]:
    """Forces and matrices of a chain of thick beams, deformed by some 0.1 rad an element."""
    rng = np.random.default_rng(0)
    x, R = np.zeros((n + 1, 3)), np.tile(np.eye(3), (n + 1, 1, 1))
    x[:, 0] = 0.1 * np.arange(n + 1)
    table = make_thick_beams(
        *(np.arange(n), np.arange(1, n + 1)),
        x=x,
        R=R,
        centre=0.5 * (x[1:] + x[:-1]),
        frame=np.tile(np.eye(3), (n, 1, 1)),
        length=np.full(n, 0.1),
        section=np.array([5.0, 3.0, 2.0, 1.0, 1.5, 2.0]),
        time=damping,
    )
    R, x = R @ Rotation.from_rotvec(0.05 * rng.normal(size=(n + 1, 3))).as_matrix(), x + 0.01 * rng.normal(size=x.shape)
    v, w, f, torque = rng.normal(size=(4, n + 1, 3))
    section, strain = np.zeros((2, n, 6))
    view, order = View(0.0, x, R, v, w, np.zeros(0)), np.arange(2 * n + 1)
    edge = np.column_stack([36 * order[n + 1 :], np.zeros(n, dtype=int)])
    matrix = Matrix(np.array([1e-3]), np.zeros(36 * len(order)), 36 * order[: n + 1], f, torque)
    work = Scratch(np.zeros(LEDGER_ELEMENTS + 1))
    return (
        lambda count: run_thick(table, x, R, v, w, count, f, torque, section, strain),
        lambda count: run_thick_slopes(table, view, edge, count, matrix, work),
    )


def make_thin(n: int, damping: float, is_straight: bool) -> tuple[Repeated, Repeated]:
    """Forces and matrices of a chain of thin beams, bent by some 0.1 rad an element."""
    rng = np.random.default_rng(0)
    x = np.zeros((n + 2, 3))
    x[:, 0] = 0.1 * np.arange(n + 2)
    x += 0.003 * rng.normal(size=x.shape)
    node = np.stack([np.arange(n), np.arange(1, n + 1), np.arange(2, n + 2)], axis=1)
    table = make_thin_beams(
        node, x=x, EA=5.0, EI=2.0, is_straight=is_straight, time_axial=damping, time_bending=damping
    )
    x += 0.001 * rng.normal(size=x.shape)
    v, f = rng.normal(size=(2, n + 2, 3))
    section = np.zeros((n, 3))
    K, C = np.zeros((2, 9, 9))
    return (
        lambda count: run_thin(table, x, v, count, f, section),
        lambda count: run_thin_tangent(table, x, count, K, C),
    )


def main() -> None:
    """Print the table."""
    print(f"{'element':40s} {'number':>8s} {'forces us':>10s} {'matrices us':>12s}")
    for n in SIZES:
        for damping, words in ((0.0, ""), (1e-4, ", damped")):
            rows = [
                ("thick beam", make_thick(n, damping), EVALUATIONS // 5),
                ("thin beam, stress-free straight", make_thin(n, damping, True), EVALUATIONS // 5),
                ("thin beam, stress-free curved", make_thin(n, damping, False), EVALUATIONS // 5),
            ]
            for name, (forces, matrices), evaluations in rows:
                cost, matrix_cost = measure(forces, n), measure(matrices, n, evaluations)
                print(f"{name + words:40s} {n:8d} {cost:10.4f} {matrix_cost:12.3f}")


if __name__ == "__main__":
    main()
