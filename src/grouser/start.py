"""The state from which a run starts: as the model says, settled, or given."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from pathlib import Path

from grouser.compile.compile import Compiled
from grouser.compile.state import (
    State,
    check_state,
    load_state,
    with_plane,
    with_rest,
    with_restart,
    with_start_motion,
)
from grouser.compile.surface import is_surface_contact
from grouser.errors import SolveError
from grouser.kernels._jit import is_compiled
from grouser.kernels._workers import report_compiling
from grouser.model.hold import begins_at_rest, with_held_drives
from grouser.model.model import Model
from grouser.prepare import check_model, choose_preset, find_first_step, make_solver, prepare
from grouser.presets import Preset
from grouser.settings import Settings, check_threads, check_time
from grouser.settling import is_at_rest, solve_rest
from grouser.sharing import check_sharing, share_work

Phase = str
"""The phase "compiling", "settling" or "running", behind which may stand a remark: "running, 2 threads"."""
Progress = Callable[[Phase, float, float], None]
"""Called with the phase, the simulated time [s] and the time at which the phase ends [s] (nan if unknown); while
compiling, with the number of parts that are compiled, and of those that are needed as far as known."""

REST_TOLERANCE = 1.0e-3
"""Largest tolerance with which implicit integrators settle: what they leave of a correction is slow beside rest."""
REST_TOLERANCE_OF_SURFACES = 1.0e-4
"""The same where surfaces touch: corrections keep the polygon and the normal that were found, so that more is left."""


def settle(
    model: Model,
    *,
    preset: str | Preset | None = None,
    step: float | None = None,
    initial: State | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> State:
    """State of rest of a model, drives held still; use it as `initial` of runs, or save it.

    Another state of rest as `initial`, found with another preset, saves most of the way. Where the integrator of the
    preset chooses its steps and is not implicit, the trapezoidal rule is used here: for rest no accuracy in time is
    needed.

    Raises
    ------
    SolveError : it diverged or did not come to rest
    """
    step = None if step is None else check_time("step", step)
    threads = None if threads is None else check_threads(threads)
    check_model(model)
    say_compiling(progress)
    preset = choose_preset(preset, model)
    check_sharing(preset, threads)
    if preset.declared.is_adaptive and preset.declared.is_implicit:
        has_surfaces = any(is_surface_contact(model, contact) for contact in model.contacts.values())
        largest = REST_TOLERANCE_OF_SURFACES if has_surfaces else REST_TOLERANCE
        preset = replace(preset, tolerance=min(preset.tolerance or largest, largest))
    elif preset.declared.is_adaptive:
        preset = preset.with_integrator("trapezoidal")
    compiled, stable = prepare(with_held_drives(model), preset)
    report = None if progress is None else (lambda t: progress("settling", t, math.nan))
    start = with_rest(compiled.initial) if initial is None else check_state(initial, compiled.initial)
    first, is_chosen = find_first_step(preset, stable), preset.declared.is_adaptive and step is None
    for tried in (first, 0.5 * first) if step is None else (step,):
        solver = make_solver(compiled, preset, has_step=step is not None)
        try:
            with show_compiling(progress), closing(solver):
                share_work(solver, start, tried, threads)
                rest = solve_rest(solver, start, tried, stable.step, report, is_chosen=is_chosen)
            return with_restart(rest)
        except SolveError as error:
            failure = error
            if error.status != "diverged":
                break
    raise failure


def find_start(
    compiled: Compiled,
    preset: Preset,
    settings: Settings,
    initial: State | str | Path | None,
    progress: Progress | None,
) -> tuple[State, bool]:
    """The state from which a run starts, and whether it is settled; `initial` is a state or the file of one."""
    model, start, settled = compiled.model, compiled.initial, False
    if initial is not None:
        if isinstance(initial, State):
            start = check_state(initial, compiled.initial)
        else:
            start = load_state(initial, compiled.initial, compiled.layout)
        if model.planar:
            start = with_plane(start, compiled.initial)
        settled = is_at_rest(compiled, start)
    elif settings.settle or (settings.settle is None and begins_at_rest(model)):
        start = settle(model, preset=preset, step=settings.step, progress=progress, threads=settings.threads)
        settled = True
    if settled and (compiled.layout.names["tyre"] or compiled.layout.names["driver"]):
        start = with_start_motion(start, compiled.initial, compiled.layout)
    return start, settled


def say_compiling(progress: Progress | None) -> None:
    """Tell users of the Python interface why nothing seems to happen; the command line says it by itself."""
    if progress is None and not is_compiled():
        logging.getLogger("grouser").warning("compiling kernels, once after an install, some ten seconds")


def show_compiling(progress: Progress | None) -> AbstractContextManager[None]:
    """Have progress told of what is compiled while the block is open."""
    if progress is None:
        return report_compiling(None)
    return report_compiling(lambda made, total: progress("compiling", float(made), float(total)))
