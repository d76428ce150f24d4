"""What threads gain, by models: time of an explicit step with one thread and with more, and what was expected of them.

    python bench/threads.py                 all models with one thread, and with as many as there are cores
    python bench/threads.py --threads 2,4   with these numbers
    python bench/threads.py --quick         smaller models, a trial

Numbers of threads take turns in short windows, and the fastest window of each counts. Still nothing else should run
meanwhile: a core that is taken away for a moment holds up all threads. At its end it says whether the bounds are held.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from elements import make_fall

from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.compile.compile import Compiled
from grouser.compile.state import State, copy_state
from grouser.formulations.costs import calc_cost, count_cores
from grouser.integrators.solver import Solver
from grouser.model.builder import ModelBuilder
from grouser.model.model import Model
from grouser.prepare import make_solver, prepare
from grouser.presets import Preset, find_preset

WINDOW, TURNS = 0.01, 150
"""Length of a window [s], and windows of each number of threads."""
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


def main() -> None:
    """See the top."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--threads", default=None, help="numbers besides one, as in 2,4")
    parser.add_argument("--quick", action="store_true", help="smaller models")
    parser.add_argument("--only", default="", help="cases with this in their names")
    options = parser.parse_args()
    cores = count_cores()
    numbers = [cores] if options.threads is None else [int(n) for n in options.threads.split(",")]
    numbers = sorted({1, *numbers})
    print(f"{cores} cores, load {os.getloadavg()[0]:.2f}")
    turns = 20 if options.quick else TURNS
    cases = [case for case in list_cases(quick=options.quick) if options.only in case.name]
    lost = [case for case in cases if not measure(case, numbers, turns)]
    for case in lost:
        print(f"below its bound: {case.name}, {case.bound}")
    raise SystemExit(bool(lost) and not options.quick)


if __name__ == "__main__":
    main()
