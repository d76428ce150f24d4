"""simulate: a session run to its end, written while it goes on."""

from __future__ import annotations

import datetime
import gc
import math
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from grouser._version import __version__
from grouser.checkpoint import Checkpoints
from grouser.compile.state import State, save_state
from grouser.errors import SolveError, check_path
from grouser.formulations.embedded.system import say_large
from grouser.model.model import Model
from grouser.prepare import LONGEST_STEP, prepare
from grouser.presets import Preset
from grouser.result.claim import Claim
from grouser.result.doubts import TOO_COARSE
from grouser.result.result import Result
from grouser.result.writer import ResultWriter
from grouser.run import Run
from grouser.run_end import finish_run
from grouser.run_words import say_coarse_step, say_costly, say_inaccurate
from grouser.settings import Settings
from grouser.start import Phase, Progress, settle
from grouser.stepper import Stepper, choose_method

__all__ = ["LONGEST_STEP", "Phase", "Progress", "Settings", "prepare", "settle", "simulate"]


def simulate(
    model: Model,
    *,
    preset: str | Preset | None = None,
    integrator: str | None = None,
    tolerance: float | None = None,
    duration: float = 10.0,
    step: float | None = None,
    output_interval: float = 0.01,
    out: str | Path | None = None,
    settle: bool | None = None,
    threads: int | None = None,
    initial: State | str | Path | None = None,
    save_initial: str | Path | None = None,
    progress: Progress | None = None,
    about: Mapping[str, Any] | None = None,
    strict: bool = False,
    force: bool = False,
) -> Result:
    """Simulate a model.

    Parameters
    ----------
    model : the system
    preset : name of a preset, or a preset of one's own; None takes `recursive` for models in the plane, with
        tracks by the integrator `adams` at 5e-4; else `implicit` for those with tracks, on bands at a tolerance of
        0.025; `embedded` for those with tyres, and `penalty` for all others
    integrator : name of an integrator that replaces that of the preset
    tolerance : relative tolerance of an integrator that chooses its steps
    duration, step, output_interval, settle, threads : see `Settings`
    out : result file (HDF5), written while the run goes on; None keeps the result in memory
    initial : state to start from (of `settle`, or a file of `save_initial`); replaces settling
    save_initial : file for the state from which the run started, settled if it was
    progress : called while it goes on
    about : further facts for the header of the result, such as the command that made it
    strict : whether a run that is not to be trusted, by the `doubts` of its summary, is an error
    force : whether `out` may replace any file; else it replaces nothing but an earlier result

    Returns
    -------
    Result, with status ``done``, or ``interrupted`` if the user pressed Ctrl-C

    Raises
    ------
    SolveError : the run diverged or could not go on; its `result` has what was computed until then. With `strict` also
        with the status ``doubtful`` after a run that is not to be trusted; its `result` is the whole one
    """
    settings = Settings(duration, step, output_interval, settle, threads)
    if out is not None:
        check_path(out, "out")
    chosen = choose_method(model, preset, integrator, tolerance, settings)
    # whole frames: where the interval does not divide the duration, it is shortened until it does
    frame_count = max(1, math.ceil(settings.duration / settings.output_interval - 1e-9))
    settings = replace(settings, output_interval=settings.duration / frame_count)
    with Claim(None if out is None else Path(out), force=force) as claim:
        stepper = Stepper(model, chosen, settings, initial, progress)
        if save_initial is not None:
            save_state(save_initial, stepper.start, stepper.compiled.layout)
        header = {**_make_header(stepper), **(about or {})}
        blocks = stepper.observer.blocks + stepper.record.blocks
        stored = stepper.compiled.model
        with ResultWriter(claim.path, header=header, blocks=blocks, model=stored, claim=claim) as writer:
            tell_start(stepper, writer)
            result = go_to_end(Run(stepper, writer, frame_count), progress)
    return check_trust(result) if strict else result


def go_to_end(run: Run, progress: Progress | None) -> Result:
    """Make all frames of a run, and finish its result; what is written to a file has checkpoints."""
    has_checkpoints = run.writer.path is not None and not run.stepper.solver.has_foreign_history
    checkpoints = Checkpoints(run) if has_checkpoints else None
    with closing(run.stepper), _freeze_memory():
        run.go(progress, None if checkpoints is None else checkpoints.look)
        if checkpoints is not None and run.status == "done":
            checkpoints.store()
        return finish_run(run)


def check_trust(result: Result) -> Result:
    """The result, if it is to be trusted."""
    doubts = result.summary["doubts"]
    if doubts:
        message, time = f"the run is not to be trusted: {' '.join(doubts)}", result.summary["simulated_time"]
        raise SolveError(message, status="doubtful", time=time, result=result)
    return result


def tell_start(stepper: Stepper, writer: ResultWriter) -> None:
    """Tell what is known before the first step."""
    stable, step = stepper.stable, stepper.control.step
    warning = say_coarse_step(stepper.preset, stable, step)
    if warning is not None:
        writer.add_event(0.0, TOO_COARSE, stable.body, warning)
    for accurate in (stepper.impact, stepper.turning):
        if accurate.step < step / (1.0 + 1e-9):
            writer.add_event(0.0, TOO_COARSE, accurate.body, say_inaccurate(accurate, step))
    for name, text in say_costly(stepper.compiled, stepper.preset, stable, step):
        writer.add_event(0.0, "costly joint", name, text)
    tree = stepper.solver.tree
    for name, text in [] if tree is None else say_large(stepper.compiled, tree):
        writer.add_event(0.0, "large linkage", name, text)


@contextmanager
def _freeze_memory() -> Iterator[None]:
    """What was there before is not searched for garbage meanwhile: that takes 0.2 s. Where the caller has frozen
    something, all is left as it is, since thawing would thaw that too."""
    if gc.get_freeze_count():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _make_header(stepper: Stepper) -> dict[str, Any]:
    preset, settings = stepper.preset, stepper.settings
    return {
        "grouser_version": __version__,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "model_name": stepper.compiled.model.name,
        "preset": preset.name,
        "formulation": preset.formulation,
        "integrator": preset.integrator,
        "tolerance": (preset.tolerance or preset.declared.tolerance) if preset.declared.is_adaptive else None,
        "spectral_radius": preset.spectral_radius if preset.integrator == "generalised-alpha" else None,
        "realizations": {group: repr(r) for group, r in preset.realizations.items()},
        "step": stepper.control.step,
        "stable_step": stepper.stable.step,
        "threads": stepper.sharing.threads,
        "threads_gain": stepper.sharing.gain,
        "duration": settings.duration,
        "output_interval": settings.output_interval,
    }
