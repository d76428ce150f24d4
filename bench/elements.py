"""Flexible elements beside other programs, in one run: time of an evaluation per element on one core, and memory.

    python bench/elements.py                        all of it with the peers that are installed, two minutes
    python bench/elements.py --ours                 without other programs
    python bench/elements.py --quick --json         a trial: small meshes

Forces with damping, gather and scatter included, on skewed bricks and bent chains; explicit steps of a whole cube. All
programs take turns, and the least CPU time of each counts, after compiling: what other programs on the machine do
counts little, but they share its memory. Peers: MuJoCo (flex), Exudyn (beams, springs), CalculiX (explicit bricks). A
ratio is the cost over that of the first row of the same case, which is ours. What is alike and what is not:
`peer_flex.py`, `peer_exudyn.py`, `peer_calculix.py`.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import os
import sys
import time
from collections import namedtuple
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from beams import make_thick, make_thin
from contender import Contender, measure_in_turns
from rows import Row, make_entries, print_entries, say_missing

from grouser._version import __version__
from grouser.compile.compile import Compiled
from grouser.compile.state import copy_state
from grouser.compile.stiffness import StableStep
from grouser.families.brick.geometry import SIGNS, calc_geometry
from grouser.families.brick.kernel import calc_brick_forces
from grouser.families.brick.layout import STRESS_COLUMNS, TANGENT_WORK_SIZE, WORK_SIZE
from grouser.families.brick.material import make_linear, make_mooney_rivlin, make_neo_hookean
from grouser.families.brick.step import calc_brick_frequencies, find_mesh_frequency
from grouser.families.brick.stress import calc_brick_stress
from grouser.families.brick.table import make_brick_table
from grouser.families.brick.tangent import calc_brick_tangents
from grouser.families.truss.kernel import add_trusses
from grouser.families.truss.rows import TrussTable
from grouser.integrators.solver import Solver
from grouser.integrators.solvers import make_integrator
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import LEDGER_ELEMENTS
from grouser.model.builder import ModelBuilder
from grouser.prepare import prepare
from grouser.presets import find_preset

OURS = f"grouser {__version__}"
YOUNG, DENSITY = 2e7, 1200.0
DAMPING = {"dilatational": 1e-3, "deviatoric": 1e-3}
MATERIALS = {
    "linear": make_linear(1.0, 0.3, **DAMPING),
    "linear by volume": make_linear(1.0, 0.3, by_volume=True, **DAMPING),
    "Neo-Hookean": make_neo_hookean(1.0, 10.0, **DAMPING),
    "Mooney-Rivlin": make_mooney_rivlin(0.3, 0.2, 10.0, **DAMPING),
}
PEERS = ("mujoco", "exudyn")
"""Modules of the peers, and names of their packages; CalculiX is a program."""
BOUNDS = {"bricks": 0.15, "thick beams": 0.10, "trusses": 0.02}
"""Largest cost of the forces of an element [us]."""
LARGEST_MEMORY = 250e6
"""Of 1e5 bricks [byte]."""
MANY = (50, 50, 40)
"""Bricks along the sides of the model whose memory is measured."""
STATM = Path("/proc/self/statm")
"""Where Linux tells how large a process is."""
SIDES, QUICK_SIDES, SIDE = (10, 22, 47), (6, 8), 10
"""Bricks a side of the cubes that are measured: 1e3, 1e4 and 1e5; that of the comparison."""
CHAIN = 1000
"""Elements of the chains."""
TURNS, QUICK_TURNS = 10, 2

TrussView = namedtuple("TrussView", ["x", "v"])
TrussWork = namedtuple("TrussWork", ["f", "truss_value", "stored", "dissipated"])


@kernel(entry=True)
def run_trusses(table, view, count, work):
    """Forces, `count` times."""
    for _ in range(count):
        add_trusses(table, view, None, work)


def make_cube(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the nodes of a cube of `count` skewed bricks a side, and the nodes of each brick."""
    positions, nodes = make_straight_cube(count)
    return positions + np.random.default_rng(0).uniform(-0.15, 0.15, positions.shape) / count, nodes


def make_straight_cube(count: int) -> tuple[np.ndarray, np.ndarray]:
    """The same of cubes."""
    i, j, k = np.meshgrid(*[np.arange(count + 1)] * 3, indexing="ij")
    positions = np.stack([i.ravel(), j.ravel(), k.ravel()], axis=1) / count
    i, j, k = (a.ravel() for a in np.meshgrid(*[np.arange(count)] * 3, indexing="ij"))
    steps = ((SIGNS + 1.0) / 2.0).astype(int)
    nodes = [((i + a) * (count + 1) + j + b) * (count + 1) + k + c for a, b, c in steps]
    return positions, np.stack(nodes, axis=1)


def time_it(work: Callable[[], object]) -> float:
    """CPU time of the process [s]."""
    began = time.process_time()
    work()
    return time.process_time() - began


class Cube:
    """Forces of a cube of bricks that is deformed and moves."""

    def __init__(self, count: int, material: str = "linear") -> None:
        positions, nodes = make_cube(count)
        self.count = len(nodes)
        self._table = make_brick_table(nodes, calc_geometry(positions[nodes]), [MATERIALS[material]])
        rng = np.random.default_rng(1)
        self._x = positions + rng.uniform(-0.02, 0.02, positions.shape) / count
        self._v, self._f = rng.uniform(-1.0, 1.0, positions.shape), np.zeros_like(positions)
        self._sums, self._work = np.zeros(2), np.zeros(WORK_SIZE)

    def run(self) -> None:
        """Once."""
        calc_brick_forces(self._table, self._x, self._v, self._f, self._sums, self._work)

    @property
    def memory(self) -> int:
        """Of all arrays that belong to the elements and their nodes [byte]."""
        return sum(array.nbytes for array in (*self._table, self._x, self._v, self._f))


def make_brick_contender(cube: Cube, case: str) -> Contender:
    """Forces, repeated until there are 2e4 of them."""
    repeats = max(1, 20_000 // cube.count)

    def run() -> tuple[float]:
        return (time_it(lambda: [cube.run() for _ in range(repeats)]),)

    return Contender(case, OURS, run, repeats * cube.count)


def make_trusses(n: int) -> Callable[[int], object]:
    """Forces of a chain of trusses, stretched and bent by some percent."""
    rng = np.random.default_rng(0)
    x = 0.003 * rng.normal(size=(n + 1, 3))
    x[:, 0] += 0.1 * np.arange(n + 1)
    ends = np.arange(n + 1, dtype=np.uint32)
    same, none = np.ones(n), np.zeros(n, dtype=np.int64)
    table = TrussTable(ends[:-1].copy(), ends[1:].copy(), 0.1 * same, 50.0 * same, 5e-3 * same, none)
    work = TrussWork(np.zeros_like(x), np.zeros((n, 7)), *np.zeros((2, LEDGER_ELEMENTS + 1)))
    view = TrussView(x, rng.normal(size=x.shape))
    return lambda count: run_trusses(table, view, count, work)


def make_chain_contenders(cases: dict[str, str], count: int, repeats: int) -> list[Contender]:
    """Forces of chains of trusses and beams; `cases` by element."""
    works = {
        "trusses": make_trusses(count),
        "thin beams": make_thin(count, 1e-4, True)[0],
        "thick beams": make_thick(count, 1e-4)[0],
    }
    contenders = []
    for element, work in works.items():

        def run(work: Callable[[int], object] = work) -> tuple[float]:
            return (time_it(lambda: work(repeats)),)

        contenders.append(Contender(cases[element], OURS, run, repeats * count))
    return contenders


def make_fall(*counts: int) -> tuple[Compiled, StableStep, Solver]:
    """A cube of 1 m that falls by explicit steps."""
    builder = ModelBuilder("cube")
    material = {"type": "linear", "young": YOUNG, "poisson": 0.3, "density": DENSITY, **dict.fromkeys(DAMPING, 1e-4)}
    builder.add_mesh("cube", "block", sides=(1.0, 1.0, 1.0), counts=counts, material=material)
    preset = find_preset("penalty").with_integrator("leapfrog")
    compiled, stable = prepare(builder.build(), preset)
    return compiled, stable, make_integrator(compiled, preset.formulation, preset.integrator)


def make_step_contender(case: str, side: int, steps: int) -> Contender:
    """Explicit steps of a whole model."""
    compiled, stable, solver = make_fall(side, side, side)

    def run() -> tuple[float]:
        state = copy_state(compiled.initial)
        return (time_it(lambda: solver.advance(state, steps, 0.1 * stable.step)),)

    return Contender(case, f"{OURS} leapfrog", run, steps * side**3, "natural modes, damping")


def measure_model_memory(*counts: int) -> float:
    """By how much a process grows that prepares a model of bricks and makes a step, as it is afterwards [byte]."""
    _step_once(2, 2, 2)  # compiles
    before = _read_memory()
    kept = _step_once(*counts)
    grown = _read_memory() - before
    del kept
    return grown


def _step_once(*counts: int) -> object:
    """All that is there after a step."""
    compiled, stable, solver = make_fall(*counts)
    state = copy_state(compiled.initial)
    solver.advance(state, 1, 0.1 * stable.step)
    return compiled, solver, state


def _read_memory() -> float:
    gc.collect()
    return float(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def make_peers(names: dict[str, str], side: int, chain: int, calls: int) -> tuple[list[Contender], dict[str, str]]:
    """Contenders of the peers that are installed, and what to say of the others; `names` of the cases."""
    contenders: list[Contender] = []
    skipped = {module: say_missing(module) for module in PEERS if importlib.util.find_spec(module) is None}
    if "mujoco" not in skipped:
        import peer_flex

        contenders += peer_flex.make_contenders(names["bricks"], names["steps"], side, YOUNG, DENSITY, calls)
    if "exudyn" not in skipped:
        import peer_exudyn

        contenders += peer_exudyn.make_contenders(names, chain, calls)
    import peer_calculix

    if peer_calculix.is_installed():
        cube = make_straight_cube(side)
        contenders += peer_calculix.make_contenders(names["steps"], *cube, YOUNG, DENSITY, 20 * calls)
    else:
        skipped["calculix"] = peer_calculix.MISSING
    return contenders, skipped


def list_bounds(rows: list[Row], memory: dict[str, float]) -> list[str]:
    """What is asked of our elements, and whether it holds."""
    said = []
    for element, bound in BOUNDS.items():
        cost = max(row.cost for row in rows if row.program == OURS and row.case.startswith(f"{element}, forces"))
        said.append(f"{element}: {cost:.3f} us, at most {bound:g} us: {'holds' if cost <= bound else 'DOES NOT HOLD'}")
    for what, size in memory.items():
        holds = "holds" if size <= LARGEST_MEMORY else "DOES NOT HOLD"
        said.append(f"memory of {what}: {1e-6 * size:.0f} MB, at most {1e-6 * LARGEST_MEMORY:.0f} MB: {holds}")
    return said


def measure_rest(count: int) -> list[Row]:
    """Tangents, stresses and largest frequencies of a cube of `count` bricks a side."""
    positions, nodes = make_cube(count)
    geometry = calc_geometry(positions[nodes])
    table = make_brick_table(nodes, geometry, [MATERIALS["linear"]])
    n, still, work = len(nodes), np.zeros_like(positions), np.zeros(TANGENT_WORK_SIZE)
    stiffness, damping, stress = np.zeros((n, 24, 24)), np.zeros((n, 24, 24)), np.zeros((n, STRESS_COLUMNS))
    mass = np.zeros(len(positions))
    np.add.at(mass, nodes, geometry.node_volume)
    works: dict[str, Callable[[], object]] = {
        "tangents": lambda: calc_brick_tangents(table, 0, positions, still, stiffness, damping, work),
        "stresses": lambda: calc_brick_stress(table, positions, stress, work[:WORK_SIZE]),
        "frequencies, one by one": lambda: calc_brick_frequencies(table, positions, geometry.node_volume),
        "frequency of the mesh": lambda: find_mesh_frequency(table, positions, mass),
    }
    contenders = [
        Contender(f"bricks, {what}, {n}", OURS, lambda do=do: (time_it(do),), n)  # type: ignore[misc]
        for what, do in works.items()
    ]
    return measure_in_turns(contenders, 3)


def main() -> None:
    """Print all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small meshes, two turns: a trial, not a measurement")
    parser.add_argument("--ours", action="store_true", help="without other programs")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    sides = QUICK_SIDES if options.quick else SIDES
    side, chain = sides[0], 100 if options.quick else CHAIN
    calls, turns = (2, QUICK_TURNS) if options.quick else (5, TURNS)
    names = {
        "bricks": f"bricks, forces, {side**3}",
        "steps": f"bricks, explicit step, {side**3}",
        **{element: f"{element}, forces, {chain}" for element in ("trusses", "thin beams", "thick beams")},
    }
    cubes = {count: Cube(count) for count in sides}
    contenders = [make_brick_contender(cube, f"bricks, forces, {cube.count}") for cube in cubes.values()]
    contenders.append(make_step_contender(names["steps"], side, 10 * calls))
    contenders += make_chain_contenders(names, chain, max(1, 100_000 // chain))
    peers, skipped = ([], {}) if options.ours else make_peers(names, side, chain, calls)
    for message in skipped.values():
        print(message, file=sys.stderr)
    rows = measure_in_turns(contenders + peers, turns)
    rows.sort(key=lambda row: list(dict.fromkeys(c.case for c in contenders)).index(row.case))
    materials = [Cube(sides[-2], name) for name in MATERIALS]
    rows += measure_in_turns(
        [make_brick_contender(c, f"{name}, forces, {c.count}") for name, c in zip(MATERIALS, materials, strict=True)],
        turns,
    )
    rows += measure_rest(6 if options.quick else 12)
    largest = cubes[sides[-1]]
    memory = {"arrays of 1e5 bricks": 1e5 * largest.memory / largest.count}
    if STATM.exists() and not options.quick:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
            memory["a model of 1e5 bricks"] = fresh.submit(measure_model_memory, *MANY).result()
    said = list_bounds(rows, memory)
    costs = [row.cost for row in rows if row.case.startswith("bricks, forces") and row.program == OURS]
    for (a, b), (first, then) in zip(pairwise(cubes.values()), pairwise(costs), strict=True):
        said.append(f"cost of a brick among {b.count} over that among {a.count}: {then / first:.2f}")
    if options.json:
        print(json.dumps({"rows": make_entries(rows), "bounds": said, "skipped": skipped}, indent=2))
    else:
        print_entries(make_entries(rows))
        print("\n".join(["", *said]))


if __name__ == "__main__":
    main()
