"""Whether the work of a run is shared among threads, and among how many."""

from __future__ import annotations

import logging
from typing import NamedTuple

from grouser.compile.state import State, copy_state
from grouser.errors import UnsupportedError
from grouser.formulations.costs import calc_cost, choose_threads, find_most_threads
from grouser.integrators.declarations import INTEGRATORS
from grouser.integrators.solver import Counts, Solver
from grouser.kernels._words import HAS_THREADS
from grouser.presets import Preset


class Sharing(NamedTuple):
    """How the work of a run is shared.

    Attributes
    ----------
    threads : their number
    gain : how many times as fast steps should be, by the costs of elements, where there are as many cores
    """

    threads: int = 1
    gain: float = 1.0


def share_work(solver: Solver, state: State, step: float, threads: int | None) -> Sharing:
    """Have threads share the work of a solver from a state on: so many, or as many as it pays for."""
    cores = find_most_threads() if threads is None else threads
    if cores == 1 or not can_share(solver):
        return Sharing()
    if not HAS_THREADS:
        logging.getLogger("grouser").warning("this system has no threads that can share a run: it takes one")
        return Sharing()
    counts = Counts(**vars(solver.counts))
    solver.advance(copy_state(state), 0, step)  # for the pairs of shapes that are near each other
    solver.counts = counts
    cost = calc_cost(solver.compiled, solver.work.pair_count)
    chosen = choose_threads(cost, cores) if threads is None else threads
    solver.share(chosen)
    return Sharing(chosen, cost.calc_gain(chosen))


def can_share(solver: Solver) -> bool:
    """Whether threads can share the work of a solver."""
    equations = solver.equations
    return equations.system is None and equations.tree is None and solver.declared.scheme is not None


def check_sharing(preset: Preset, threads: int | None) -> None:
    """Refuse several threads where steps are not explicit ones of the time loop."""
    if threads is not None and threads > 1 and (preset.formulation != "explicit" or preset.declared.scheme is None):
        schemes = [name for name, one in INTEGRATORS.items() if one.scheme is not None and not one.is_implicit]
        raise UnsupportedError(
            f"threads = {threads}: the preset {preset.name!r} runs on one thread, with the formulation "
            f"{preset.formulation!r} and the integrator {preset.integrator!r}; steps are shared by the formulation "
            f"'explicit' with one of the integrators {', '.join(schemes)}, as in the preset 'penalty'"
        )
