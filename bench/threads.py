"""What threads gain, by models: time of an explicit step with one thread and with more, and what was expected of them.

    python bench/threads.py                 all models with one thread, and with as many as there are cores
    python bench/threads.py --threads 2,4   with these numbers
    python bench/threads.py --quick         smaller models, a trial
    python bench/threads.py --shares        what each of two shares takes by itself, in CPU time, and what follows

Numbers of threads take turns in short windows, and the fastest window of each counts. Still nothing else should run
meanwhile: a core that is taken away for a moment holds up all threads. At its end it says whether the bounds are held.

Shares by themselves tell also on a busy machine what threads can gain: one thread does both, and what the shorter one
of each task takes is what a second thread would save. Beside it stand steps without shares.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from elements import make_fall

from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.compile.compile import Compiled
from grouser.compile.state import State, copy_state
from grouser.formulations.costs import MEETING, MEETINGS, calc_cost, count_cores
from grouser.integrators.declarations import LEAPFROG
from grouser.integrators.solver import Solver
from grouser.integrators.tasks import (
    ADDS_SUMS,
    DELAY,
    FORCES,
    HAS_FORCES,
    KEEPS_MEMORY,
    KEEPS_NODES,
    KEEPS_RATES,
    MOVES,
    NODES,
    STEP,
    TASK,
    do_share,
)
from grouser.integrators.time_loop import solve_steps
from grouser.kernels._jit import kernel
from grouser.model.builder import ModelBuilder
from grouser.model.model import Model
from grouser.prepare import make_solver, prepare
from grouser.presets import Preset, find_preset

CALL = 5e-7
"""CPU time of a call of compiled code with a look at the clock [s]."""
WINDOW, TURNS = 0.05, 40
"""Length of a window [s], and windows of each number of threads."""
TO_DO = [ADDS_SUMS, HAS_FORCES, KEEPS_RATES, KEEPS_NODES, KEEPS_MEMORY, MOVES]
RUBBER = {"type": "linear", "young": 2e7, "poisson": 0.3, "density": 1200.0, "dilatational": 1e-4}
CORD = {"type": "linear", "young": 1e9, "poisson": 0.3, "density": 1500.0, "damping": 1e-5}


@dataclass
class Case:
    """A model with the gain that two threads should have, or None where the program should stay with one.

    Attributes
    ----------
    name, bound : what is printed of it
    preset : how it is solved
    make : makes the model; or what is compiled, with its step
    lead : simulated time before it is measured [s], so that contacts touch
    """

    name: str
    bound: float | None
    make: Callable[[], Model]
    preset: str = "leapfrog"
    lead: float = 0.0


def make_bricks(side: int) -> Model:
    """A cube of bricks in flight."""
    return make_fall(side, side, side)[0].model


def make_belts(count: int) -> Model:
    """Two belts of thick beams that fall onto the ground flat: a row of spheres on each touches it."""
    builder = ModelBuilder("belts")
    builder.set_terrain({"type": "plane", "point": (0.0, 0.0, 0.0), "normal": (0.0, 0.0, 1.0)})
    for name, y in (("left", 1.0), ("right", -1.0)):
        builder.add_mesh(
            name, "line", start=(0.0, y, 0.02), end=(6.0, y, 0.02), count=count, element="beam_thick", material=CORD,
            section={"rectangle": (0.3, 0.03)},
        )  # fmt: skip
        for i in range(count + 1):
            builder.add_shape(f"{name}{i}", "sphere", f"{name}.{i}", group=name, radius=0.021)
        friction = {"model": "asperity", "mu": 0.6, "velocity": 0.01, "stiffness": 1e4}
        builder.add_contact(f"{name}-ground", name, "terrain", stiffness=1e5, damping=100.0, friction=friction)
    return builder.build()


def make_mat(count: int) -> Model:
    """A mat of bricks on the ground."""
    builder = ModelBuilder("mat")
    builder.set_terrain({"type": "plane", "point": (0.0, 0.0, 0.0), "normal": (0.0, 0.0, 1.0)})
    builder.add_mesh(
        "mat", "block", sides=(4.0, 0.4, 0.05), counts=(count, 10, 2), material=RUBBER, position=(0.0, 0.0, 0.02)
    )
    for i in range(0, 11 * (count + 1), 2):
        builder.add_shape(f"foot{i}", "sphere", f"mat.{i}", group="feet", radius=0.021)
    builder.add_contact("grip", "feet", "terrain", stiffness=1e5, damping=100.0, friction={"model": "tanh", "mu": 0.6})
    return builder.build()


def make_vehicle() -> Model:
    """An M113 in motion."""
    return apply_scenario(load_vehicle("m113"), load_scenario("straight"))


def make_pendulum() -> Model:
    """A body on a joint."""
    builder = ModelBuilder("pendulum")
    builder.add_body("rod", 2.0, (0.17, 0.17, 0.001), position=(0.5, 0.0, 0.0))
    builder.add_joint("hinge", "revolute", "world", "rod", axis=(0, 1, 0), point=(0, 0, 0))
    return builder.build()


def list_cases(*, quick: bool) -> list[Case]:
    """All models."""
    return [
        Case("pendulum", None, make_pendulum),
        Case("100 bricks", None, lambda: make_bricks(5)),
        Case("M113, penalty", None, make_vehicle, "penalty", lead=0.3),
        Case("two belts of thick beams with contacts", 1.5, lambda: make_belts(120 if quick else 400), lead=0.02),
        Case("mat of bricks with contacts", 1.5, lambda: make_mat(40 if quick else 200), lead=0.02),
        Case("10,000 bricks", 1.7, lambda: make_bricks(10 if quick else 22)),
    ]


def find_case_preset(case: Case) -> Preset:
    """The preset of a case: one by its name, or `penalty` with leapfrog steps."""
    return find_preset("penalty").with_integrator("leapfrog") if case.preset == "leapfrog" else find_preset(case.preset)


class Contender:
    """A number of threads with a model."""

    def __init__(self, compiled: Compiled, preset: Preset, start: State, step: float, threads: int) -> None:
        self.solver: Solver = make_solver(compiled, preset, has_step=True)
        self.solver.share(threads)
        self._state, self._step = copy_state(start), step
        self.best, self.count = np.inf, 1
        self._advance()

    def _advance(self) -> float:
        began = time.perf_counter()
        status, name = self.solver.advance(self._state, self.count, self._step)
        assert status == 0, f"it failed at {name}"
        return (time.perf_counter() - began) / self.count

    def measure(self) -> None:
        """One window."""
        taken = self._advance()
        self.best = min(self.best, taken)
        self.count = max(1, round(WINDOW / self.best))


def measure(case: Case, numbers: Sequence[int], turns: int) -> bool:
    """Print a line for each number of threads; whether the bound is held."""
    preset = find_case_preset(case)
    compiled, stable = prepare(case.make(), preset)
    step = 0.5 * min(stable.step, 1e-3)
    start = copy_state(compiled.initial)
    first = make_solver(compiled, preset, has_step=True)
    first.advance(start, round(case.lead / step), step)
    contenders = {n: Contender(compiled, preset, start, step, n) for n in numbers}
    for _ in range(turns):
        for contender in contenders.values():
            contender.measure()
    cost, one, is_held = calc_cost(compiled, first.work.pair_count), contenders[1].best, True
    for n, contender in contenders.items():
        gain, expected = one / contender.best, cost.calc_gain(n)
        print(f"{case.name:40s} {n:3d} threads {1e6 * contender.best:9.1f} us a step   gain {gain:5.2f}   ", end="")
        print(f"expected {expected:5.2f}   (cost {1e-3 * sum(cost):.1f} us an evaluation)")
        if n == 2 and case.bound is not None:
            is_held = gain >= case.bound
        contender.solver.close()
    return is_held


@kernel(entry=True)
def do_one_share(task, k, team_work):
    """Do a task of a share."""
    team_work.choice[TASK] = task
    do_share(k, team_work)


class Alone:
    """Two shares, both done by one thread."""

    def __init__(self, compiled: Compiled, preset: Preset, start: State, step: float) -> None:
        self._solver: Any = make_solver(compiled, preset, has_step=True)
        self._solver.share(2)
        self._state, self._step = copy_state(start), step
        self._team = self._solver.team.bind(self._state)
        self.shares = np.full((2, 2), np.inf)
        self.best = np.inf
        self.measure(2)

    def measure(self, count: int) -> None:
        """A window of steps, and as many evaluations share by share: the longer a window, the better."""
        solver = self._solver
        began = time.thread_time()
        solve_steps(
            solver.declared.scheme, count, self._step, 0.0, solver.pack(self._state), solver.pack(solver.acted),
            solver.equations.packed, self._team,
        )  # fmt: skip
        self.best = min(self.best, (time.thread_time() - began) / count)
        choice, number = self._team.table.choice, self._team.table.number
        choice[TO_DO] = 1
        number[STEP] = 0.0  # nodes stay where they are
        number[DELAY] = 0.5 * self._step if solver.declared.scheme == LEAPFROG else 0.0
        for place, task in enumerate((FORCES, NODES)):
            for k in range(2):
                began = time.thread_time()
                do_one_share(task, k, self._team)
                self.shares[place, k] = min(self.shares[place, k], time.thread_time() - began - CALL)
        choice[TO_DO] = 0


def measure_shares(case: Case, turns: int) -> bool:
    """Print what both shares of each task take; whether the bound can be held."""
    preset = find_case_preset(case)
    compiled, stable = prepare(case.make(), preset)
    step = 0.5 * min(stable.step, 1e-3)
    start = copy_state(compiled.initial)
    one = make_solver(compiled, preset, has_step=True)
    one.advance(start, round(case.lead / step), step)
    two, best, count = Alone(compiled, preset, start, step), np.inf, 2
    for _ in range(turns):
        began = time.thread_time()
        one.advance(start, count, step)
        best = min(best, (time.thread_time() - began) / count)
        two.measure(count)
        count = max(2, round(WINDOW / best))
    evaluations = one.declared.evaluations
    saved = (two.shares.sum() - two.shares.max(axis=1).sum()) * evaluations
    gain = best / (two.best - saved + 1e-9 * MEETINGS * MEETING * evaluations)
    (a, b), (c, d) = 1e6 * two.shares
    print(f"{case.name:40s} {1e6 * best:8.1f} us a step, in shares {1e6 * two.best:8.1f}, of which in turns ", end="")
    print(f"forces {a:6.1f} and {b:6.1f}, nodes {c:5.1f} and {d:5.1f}; gain {gain:.2f}; ", end="")
    print(f"cost of an evaluation {1e-3 * sum(calc_cost(compiled, one.work.pair_count)):.1f}")
    return case.bound is None or gain >= case.bound


def main() -> None:
    """See the top."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--threads", default=None, help="numbers besides one, as in 2,4")
    parser.add_argument("--quick", action="store_true", help="smaller models")
    parser.add_argument("--shares", action="store_true", help="what each share takes by itself")
    parser.add_argument("--only", default="", help="cases with this in their names")
    options = parser.parse_args()
    cores = count_cores()
    numbers = [cores] if options.threads is None else [int(n) for n in options.threads.split(",")]
    numbers = sorted({1, *numbers})
    print(f"{cores} cores, load {os.getloadavg()[0]:.2f}")
    turns = 20 if options.quick else TURNS
    cases = [case for case in list_cases(quick=options.quick) if options.only in case.name]
    if options.shares:
        lost = [case for case in cases if not measure_shares(case, turns)]
    else:
        lost = [case for case in cases if not measure(case, numbers, turns)]
    for case in lost:
        print(f"below its bound: {case.name}, {case.bound}")
    raise SystemExit(bool(lost) and not options.quick)


if __name__ == "__main__":
    main()
