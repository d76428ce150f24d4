"""simulate: the only orchestration. Compile, settle, advance frame by frame, write, summarise."""

from __future__ import annotations

import datetime
import gc
import logging
import math
import time as clock
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from grouser._version import __version__
from grouser.compile.accuracy import AccurateStep, find_impact_step
from grouser.compile.compile import Compiled, compile_model
from grouser.compile.state import (
    State,
    check_state,
    copy_state,
    load_state,
    save_state,
    with_plane,
    with_rest,
    with_restart,
    with_start_motion,
)
from grouser.compile.stiffness import StableStep, find_stable_step
from grouser.errors import ModelError, SolveError, check_path, check_type
from grouser.formulations.advance import DIVERGED, DONE, OPEN, UNDETERMINED
from grouser.formulations.embedded.system import say_large
from grouser.formulations.failure import say_failure
from grouser.formulations.observe import Observer
from grouser.formulations.presets import Preset, check_preset, check_step, find_default, find_preset
from grouser.formulations.schemes import EULER
from grouser.formulations.settle import CHECK_EVERY, is_at_rest, solve_rest
from grouser.formulations.solver import Solver
from grouser.frames import FrameQueue
from grouser.integrators.record import Record
from grouser.integrators.solvers import check_integrator, make_integrator
from grouser.integrators.step_control import StepControl
from grouser.integrators.step_watch import StepWatch
from grouser.kernels._jit import is_compiled
from grouser.model.hold import with_held_drives
from grouser.model.model import Model
from grouser.model.start import find_start_faults
from grouser.result.claim import Claim
from grouser.result.doubts import (
    BALANCE_OPEN,
    ENERGY_GAINED,
    JOINT_OPEN,
    TOO_COARSE,
    find_open_balance,
    make_doubts,
)
from grouser.result.metrics import calc_energy_gain, calc_summary
from grouser.result.result import Result
from grouser.result.violation import JointRows
from grouser.result.writer import ResultWriter
from grouser.run_words import (
    GAIN,
    GAINED,
    say_coarse_step,
    say_costly,
    say_inaccurate,
    say_open,
    say_unbalanced,
)
from grouser.settings import Settings, check_time

Phase = Literal["compiling", "settling", "running"]
Progress = Callable[[Phase, float, float], None]
"""Called with the phase, the simulated time [s] and the time at which the phase ends [s] (nan if unknown)."""

LONGEST_STEP = 1.0e-3
"""Step [s] that is used at most where nothing stiff asks for a smaller one."""
SHORTEST_STEP = 1.0e-7
"""Step [s] below which a model is refused: a second would take hours, and something in it is out of proportion."""
REST_TOLERANCE = 1.0e-3
"""Largest tolerance with which implicit integrators settle: what they leave of a correction is slow beside rest."""


def prepare(model: Model, preset: str | Preset | None = None) -> tuple[Compiled, StableStep]:
    """Compile a model for a preset, by default that of `find_default`, and find its stable step."""
    check_type(model, Model, "model", "make one with gr.vehicles.m113() or with gr.ModelBuilder")
    chosen = _as_preset(preset, model)
    check_preset(chosen, {joint.group for joint in model.joints.values()})
    compiled = compile_model(model, chosen.realizations, chosen.motion, ideal=chosen.formulation != "explicit")
    check_integrator(compiled, chosen.formulation, chosen.integrator)
    declared = chosen.declared
    if declared.is_adaptive:
        return compiled, StableStep(math.inf, 0.0, 0.0, "")
    if declared.is_implicit:
        return compiled, StableStep(chosen.step or LONGEST_STEP, 0.0, 0.0, "")
    stable = find_stable_step(compiled, declared.imaginary, declared.real)
    if not stable.step > SHORTEST_STEP:
        raise ModelError(
            f"body {stable.body!r} would need a step of {stable.step:.3g} s, for {stable.frequency:.3g} rad/s with a "
            f"damping rate of {stable.damping_rate:.3g} 1/s: check its mass and inertia, and the stiffness, damping "
            "and friction of what holds and touches it"
        )
    return compiled, stable


def settle(
    model: Model,
    *,
    preset: str | Preset | None = None,
    step: float | None = None,
    initial: State | None = None,
    progress: Progress | None = None,
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
    check_type(model, Model, "model", "make one with gr.vehicles.m113() or with gr.ModelBuilder")
    _say_compiling(progress)
    preset = _as_preset(preset, model)
    if preset.declared.is_adaptive and preset.declared.is_implicit:
        preset = replace(preset, tolerance=min(preset.tolerance or REST_TOLERANCE, REST_TOLERANCE))
    elif preset.declared.is_adaptive:
        preset = preset.with_integrator("trapezoidal")
    compiled, stable = prepare(with_held_drives(model), preset)
    report = None if progress is None else (lambda t: progress("settling", t, math.nan))
    start = with_rest(compiled.initial) if initial is None else check_state(initial, compiled.initial)
    first = _find_first_step(preset, stable)
    for tried in (first, 0.5 * first) if step is None else (step,):
        try:
            solver, is_chosen = _bind(compiled, preset, step), preset.declared.is_adaptive and step is None
            return with_restart(solve_rest(solver, start, tried, stable.step, report, is_chosen=is_chosen))
        except SolveError as error:
            failure = error
            if error.status != "diverged":
                break
    raise failure


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
        tracks by the integrator `adams` at 5e-4; else `implicit` for those with tracks, `embedded` for those with
        tyres, and `penalty` for all others
    integrator : name of an integrator that replaces that of the preset
    tolerance : relative tolerance of an integrator that chooses its steps
    duration, step, output_interval, settle : see `Settings`
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
    settings = Settings(duration, step, output_interval, settle)
    if out is not None:
        check_path(out, "out")
    if initial is not None and not isinstance(initial, State):
        check_path(initial, "initial")
    check_type(model, Model, "model", "make one with gr.vehicles.m113() or with gr.ModelBuilder")
    if isinstance(tolerance, np.generic):
        tolerance = tolerance.item()
    chosen = _as_preset(preset, model).with_integrator(integrator, tolerance)
    check_step(chosen, settings.step)
    with Claim(None if out is None else Path(out), force=force) as claim:
        result = _simulate(model, chosen, settings, claim, initial, save_initial, progress, about)
    doubts = result.summary["doubts"]
    if strict and doubts:
        message, time = f"the run is not to be trusted: {' '.join(doubts)}", result.summary["simulated_time"]
        raise SolveError(message, status="doubtful", time=time, result=result)
    return result


def _simulate(
    model: Model,
    chosen: Preset,
    settings: Settings,
    claim: Claim,
    initial: State | str | Path | None,
    save_initial: str | Path | None,
    progress: Progress | None,
    about: Mapping[str, Any] | None,
) -> Result:
    """A run of checked settings, written to the place that is claimed."""
    duration, step = settings.duration, settings.step
    compiled, stable = prepare(model, chosen)
    faults, _ = find_start_faults(model, duration)
    if faults and initial is None:
        raise ModelError(faults)
    _say_compiling(progress)
    # whole frames: where the interval does not divide the duration, it is shortened until it does
    frame_count = max(1, math.ceil(duration / settings.output_interval - 1e-9))
    settings = replace(settings, output_interval=duration / frame_count)
    declared = chosen.declared
    first = step or (settings.output_interval if declared.is_adaptive else _find_first_step(chosen, stable))
    impact = AccurateStep(math.inf)
    if not declared.is_adaptive and not declared.is_implicit:
        impact = find_impact_step(compiled)
        first = first if step is not None else min(first, impact.step)
    control = StepControl(
        first,
        settings.output_interval,
        duration,
        fixed=declared.is_adaptive or step is not None,
        imbalance=declared.imbalance,
        balanced=declared.is_balanced,
    )
    watch = None if declared.is_adaptive else StepWatch(compiled, declared.angle)
    start = compiled.initial
    settled = False
    if progress is not None:
        progress("compiling", 0.0, math.nan)
    if initial is not None:
        if isinstance(initial, State):
            start = check_state(initial, compiled.initial)
        else:
            start = load_state(initial, compiled.initial, compiled.layout)
        if model.planar:
            start = with_plane(start, compiled.initial)
        settled = is_at_rest(compiled, start)
    elif settings.settle or (settings.settle is None and (model.tracks or compiled.layout.tyres)):
        start = _settle(model, preset=chosen, step=step, progress=progress)
        settled = True
    if settled and compiled.layout.tyres:
        start = with_start_motion(start, compiled.initial, compiled.layout)
    if save_initial is not None:
        save_state(save_initial, start, compiled.layout)
    header = {**_make_header(model, chosen, settings, stable, control.step), **(about or {})}
    observer = Observer(compiled)
    state, solver = copy_state(start), _bind(compiled, chosen, step)
    if not chosen.tree.projected:
        closed = replace(chosen, tree=replace(chosen.tree, projected=True))
        _bind(compiled, closed, step).advance(state, 0, control.step)
    # assembles and evaluates the initial state; compiles if needed
    code, name = solver.advance(state, 0, control.step)
    if code in (OPEN, UNDETERMINED):
        raise ModelError(say_failure(solver, code, name, float(state.time[0]), control.step, stable.step)[1])
    turning = _look(watch, state, control, chosen, is_given=step is not None)
    record = Record(solver, float(state.time[0]))
    blocks = observer.blocks + record.blocks
    with ResultWriter(claim.path, header=header, blocks=blocks, model=model, claim=claim) as writer:
        warning = say_coarse_step(chosen, stable, control.step)
        if warning is not None:
            writer.add_event(0.0, TOO_COARSE, stable.body, warning)
        for accurate in (impact, turning):
            if accurate.step < control.step / (1.0 + 1e-9):
                writer.add_event(0.0, TOO_COARSE, accurate.body, say_inaccurate(accurate, control.step))
        for name, text in say_costly(compiled, chosen, stable, control.step):
            writer.add_event(0.0, "costly joint", name, text)
        for name, text in [] if solver.tree is None else say_large(compiled, solver.tree):
            writer.add_event(0.0, "large linkage", name, text)
        with _freeze_memory():
            return _run(
                solver, observer, record, writer, state, control, frame_count, stable, settled, progress, chosen, watch
            )


_settle = settle  # `simulate` has an argument of the same name


def _as_preset(preset: str | Preset | None, model: Model) -> Preset:
    """A preset by its name, or as it is, or the default of the model."""
    if preset is None:
        return find_default(model)
    check_type(preset, (str, Preset), "preset", "give the name of a preset, or a gr.Preset")
    return find_preset(preset) if isinstance(preset, str) else preset


def _find_first_step(preset: Preset, stable: StableStep) -> float:
    """Step with which a run begins: where stiffness sets no bound, that of the preset."""
    if preset.declared.is_adaptive:
        return CHECK_EVERY
    return stable.step if preset.declared.is_implicit else min(stable.step, LONGEST_STEP)


def _look(
    watch: StepWatch | None, state: State, control: StepControl, preset: Preset, *, is_given: bool
) -> AccurateStep:
    """Longest step for the spin of a state; steps that the program has chosen are held to it."""
    if watch is None:
        return AccurateStep(math.inf)
    if is_given or preset.declared.is_implicit:
        return watch.find_step(state, control.step)
    turning = watch.find_step(state, control.longest)
    control.hold(turning.step)
    return turning


def _bind(compiled: Compiled, preset: Preset, step: float | None) -> Solver:
    return make_integrator(
        compiled,
        preset.formulation,
        preset.integrator,
        preset.tolerance,
        preset.spectral_radius,
        preset.tree,
        has_step=step is not None,
    )


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


def _run(
    solver: Solver,
    observer: Observer,
    record: Record,
    writer: ResultWriter,
    state: State,
    control: StepControl,
    frame_count: int,
    stable: StableStep,
    settled: bool,
    progress: Progress | None,
    preset: Preset,
    watch: StepWatch | None,
) -> Result:
    """Advance and write all frames, then finish the result."""
    work = solver.work
    origin = float(state.time[0])
    frame = observer.note(state, work)
    rows, scheme = JointRows(solver.compiled.model), solver.declared.scheme
    pending = FrameQueue(observer, record, writer, rows, has_peaks=scheme is not None)
    pending.add(origin, frame, record.calc_frame(origin))
    status, message = "done", ""
    coarse: tuple[float, AccurateStep] | None = None
    # of this thread: those of the library of matrices spin for a while after they were used
    began, began_cpu = clock.perf_counter(), clock.thread_time()
    done = 0
    try:
        while done < frame_count:
            start = None if control.is_fixed else copy_state(state)
            code, name = solver.advance(state, control.substeps, control.step)
            after = None if code != DONE else observer.note(state, work)
            time = round(origin + (done + 1) * control.interval, 12)
            if not control.accepts(frame.energies, None if after is None else after.energies, time):
                assert start is not None
                state = start
                work.joint_peak[:] = 0.0
                record.repeat()
                continue
            if after is None:
                status = "failed"
                break
            state.time[0] = time
            frame, done = after, done + 1
            pending.add(time, frame, record.calc_frame(time))
            if pending.openings.apart is not None:
                break
            turning = _look(watch, state, control, preset, is_given=control.is_fixed)
            if turning.step < control.step / (1.0 + 1e-9) and coarse is None:
                coarse = (time, turning)
            if progress is not None:
                progress("running", time, origin + frame_count * control.interval)
    except KeyboardInterrupt as stop:
        status, message = "interrupted", str(stop) or "stopped by the user"
    violation = pending.flush()
    wall, cpu = clock.perf_counter() - began, clock.thread_time() - began_cpu
    time = float(state.time[0])
    if coarse is not None and TOO_COARSE not in (event.kind for event in writer.make_view().events):
        writer.add_event(coarse[0], TOO_COARSE, coarse[1].body, say_inaccurate(coarse[1], control.step))
    apart, kind = pending.openings.apart, ""
    if apart is not None:
        status, kind, name, message = "failed", "opened", apart.joint, say_open(solver.compiled.model, preset, apart)
        time = float(writer.make_view().time[-1])
        done = round((time - origin) / control.interval)
        if control.unbalanced is not None and control.unbalanced <= time:  # the step is to blame, not the joint
            name = stable.body
            kind, message = say_failure(solver, DIVERGED, name, time, control.step, stable.step)
    elif status == "failed":
        kind, message = say_failure(solver, code, name, time, control.step, stable.step)
    for opening in pending.openings.opened.values() if kind != "diverged" else ():
        writer.add_event(opening.time, JOINT_OPEN, opening.joint, say_open(solver.compiled.model, preset, opening))
    if status == "failed":
        writer.add_event(time, kind, name, message)
    used = record.calc_mean_step() if solver.declared.is_adaptive else control.smallest
    used = used if math.isfinite(used) else control.step
    view = writer.make_view()
    is_suspect = control.unbalanced is not None and control.unbalanced <= time  # frames of joints apart are dropped
    balance = find_open_balance(view, control.unbalanced if is_suspect else None)
    if balance is not None:
        is_chosen = solver.declared.is_adaptive and not getattr(solver, "has_step", False)
        text = say_unbalanced(balance, preset, used, is_chosen=is_chosen)
        writer.add_event(balance.time, BALANCE_OPEN, stable.body, text)
    gain = calc_energy_gain(view) if scheme == EULER else 0.0
    if gain > GAIN:
        writer.add_event(time, ENERGY_GAINED, "", GAINED.format(100.0 * gain, preset.integrator, control.smallest))
    view = writer.make_view()
    summary: dict[str, Any] = {
        "doubts": make_doubts(view, status, message),
        "status": status,
        "simulated_time": time,
        "wall_time": wall,
        "cpu_time": cpu,
        "real_time_factor": wall / (done * control.interval) if done else None,
        "step": used,
        "stable_step": stable.step,
        "step_warning": next((event.message for event in view.events if event.kind == TOO_COARSE), None),
        **record.make_summary(),
        "degrees_of_freedom": None if solver.tree is None else solver.find_freedom_count(),
        "settled": settled,
        "constraint_violation": violation._asdict() if done else None,
        **calc_summary(view),
    }
    result = writer.finish(status, message, summary)  # type: ignore[arg-type]
    if status == "failed":
        raise SolveError(message, status=kind, time=time, element=name, result=result)
    return result


def _say_compiling(progress: Progress | None) -> None:
    """Tell users of the Python interface why nothing seems to happen; the command line says it by itself."""
    if progress is None and not is_compiled():
        logging.getLogger("grouser").warning("compiling kernels, once after an install, about half a minute")


def _make_header(model: Model, preset: Preset, settings: Settings, stable: StableStep, dt: float) -> dict[str, Any]:
    return {
        "grouser_version": __version__,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "model_name": model.name,
        "preset": preset.name,
        "formulation": preset.formulation,
        "integrator": preset.integrator,
        "tolerance": (preset.tolerance or preset.declared.tolerance) if preset.declared.is_adaptive else None,
        "spectral_radius": preset.spectral_radius if preset.integrator == "generalised-alpha" else None,
        "realizations": {group: repr(r) for group, r in preset.realizations.items()},
        "step": dt,
        "stable_step": stable.step,
        "duration": settings.duration,
        "output_interval": settings.output_interval,
    }
