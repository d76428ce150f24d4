"""The end of a run: what it has to tell, its summary, and its result."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from grouser.errors import SolveError
from grouser.failure import say_failure
from grouser.formulations.status import DIVERGED
from grouser.integrators.declarations import EULER
from grouser.result.crushed import find_crushed
from grouser.result.doubts import (
    BALANCE_OPEN,
    ENERGY_GAINED,
    JOINT_OPEN,
    TOO_COARSE,
    TYRE_CRUSHED,
    find_open_balance,
    make_doubts,
)
from grouser.result.metrics import calc_energy_gain, calc_summary
from grouser.result.result import Result
from grouser.run import Run
from grouser.run_words import GAIN, GAINED, say_inaccurate, say_open, say_unbalanced


class End(NamedTuple):
    """How a run ended: status, message, kind and element of a failure, time [s] and number of the last frame."""

    status: str
    message: str
    kind: str
    element: str
    time: float
    done: int


def finish_run(run: Run) -> Result:
    """Tell what there is to tell, and finish the result; an error where the run failed."""
    end = _find_end(run)
    _tell_events(run, end)
    used = _find_step(run)
    _tell_energies(run, end, used)
    result = run.writer.finish(end.status, end.message, _make_summary(run, end, used))  # type: ignore[arg-type]
    if end.status == "failed":
        raise SolveError(end.message, status=end.kind, time=end.time, element=end.element, result=result)
    return result


def _is_unbalanced(run: Run, time: float) -> bool:
    """Whether a frame with an open balance was accepted until a time [s]; frames of joints apart are dropped."""
    unbalanced = run.stepper.control.unbalanced
    return unbalanced is not None and unbalanced <= time


def _find_end(run: Run) -> End:
    stepper, control, apart = run.stepper, run.stepper.control, run.queue.openings.apart
    solver, stable = stepper.solver, stepper.stable
    time, done, name = stepper.time, run.done, run.element
    if apart is not None:
        kind, name, message = "opened", apart.joint, say_open(stepper.compiled.model, stepper.preset, apart)
        time = float(run.writer.make_view().time[-1])
        done = round((time - stepper.origin) / control.interval)
        if _is_unbalanced(run, time):  # the step is to blame, not the joint
            name = stable.body
            kind, message = say_failure(solver, DIVERGED, name, time, control.step, stable.step)
        return End("failed", message, kind, name, time, done)
    if run.status == "failed":
        kind, message = say_failure(solver, run.code, name, time, control.step, stable.step)
        return End("failed", message, kind, name, time, done)
    return End(run.status, run.message, "", name, time, done)


def _tell_events(run: Run, end: End) -> None:
    """Steps that were too long on the way, joints that have opened, tyres that are crushed, and the failure."""
    writer, stepper, coarse = run.writer, run.stepper, run.coarse
    if coarse is not None and TOO_COARSE not in (event.kind for event in writer.make_view().events):
        text = say_inaccurate(coarse[1], stepper.control.step)
        writer.add_event(coarse[0], TOO_COARSE, coarse[1].body, text)
    for opening in run.queue.openings.opened.values() if end.kind != "diverged" else ():
        text = say_open(stepper.compiled.model, stepper.preset, opening)
        writer.add_event(opening.time, JOINT_OPEN, opening.joint, text)
    for crushed in find_crushed(writer.make_view()):
        writer.add_event(crushed.time, TYRE_CRUSHED, crushed.body, crushed.say())
    if end.status == "failed":
        writer.add_event(end.time, end.kind, end.element, end.message)


def _find_step(run: Run) -> float:
    """Step to tell [s]: the mean of steps that were chosen on the way, else the smallest."""
    stepper, control = run.stepper, run.stepper.control
    used = stepper.record.calc_mean_step() if stepper.solver.declared.is_adaptive else control.smallest
    return used if math.isfinite(used) else control.step


def _tell_energies(run: Run, end: End, used: float) -> None:
    """Energies that do not add up."""
    stepper, writer, view = run.stepper, run.writer, run.writer.make_view()
    control, preset, declared = stepper.control, stepper.preset, stepper.solver.declared
    balance = find_open_balance(view, control.unbalanced if _is_unbalanced(run, end.time) else None)
    if balance is not None:
        is_chosen = declared.is_adaptive and stepper.settings.step is None
        text = say_unbalanced(stepper.compiled.model, balance, preset, used, is_chosen=is_chosen)
        writer.add_event(balance.time, BALANCE_OPEN, balance.body, text)
    gain = calc_energy_gain(view) if declared.scheme == EULER else 0.0
    if gain > GAIN:
        text = GAINED.format(100.0 * gain, preset.integrator, control.smallest)
        writer.add_event(end.time, ENERGY_GAINED, "", text)


def _make_summary(run: Run, end: End, used: float) -> dict[str, Any]:
    stepper, view = run.stepper, run.writer.make_view()
    solver = stepper.solver
    return {
        "doubts": make_doubts(view, end.status, end.message),
        "status": end.status,
        "simulated_time": end.time,
        "wall_time": run.wall,
        "cpu_time": run.cpu,
        "threads": stepper.sharing.threads,
        "real_time_factor": run.wall / (end.done * stepper.control.interval) if end.done else None,
        "step": used,
        "stable_step": stepper.stable.step,
        "step_warning": next((event.message for event in view.events if event.kind == TOO_COARSE), None),
        **stepper.record.make_summary(),
        "degrees_of_freedom": None if solver.tree is None else solver.find_freedom_count(),
        "settled": stepper.settled,
        "constraint_violation": run.violation._asdict() if end.done else None,
        **calc_summary(view),
    }
