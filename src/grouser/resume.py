"""resume: a run that was killed, stopped or finished goes on from its last checkpoint.

The frames after it are dropped and made again, bit by bit as they were. The result is written anew with all that comes
before the checkpoint, and takes the place of the earlier one when it is as long.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from grouser._version import __version__
from grouser.checkpoint import Checkpoint, load_checkpoint, set_run
from grouser.compile.realization import Realization
from grouser.compile.state import State
from grouser.errors import IncompatibleError, ModelError, ResultError, check_path
from grouser.integrators.declarations import INTEGRATORS
from grouser.method import load_method
from grouser.model.model import Model
from grouser.prepare import check_model, choose_preset
from grouser.presets import Preset
from grouser.result.claim import Claim
from grouser.result.result import Result, load_result
from grouser.result.slots import has_slots, load_newest
from grouser.result.writer import Beginning, ResultWriter
from grouser.run import Run
from grouser.settings import Settings, check_threads, check_time
from grouser.simulate import check_trust, go_to_end
from grouser.start import Progress
from grouser.stepper import Stepper

UNREADABLE = (ArithmeticError, AttributeError, LookupError, MemoryError, ModelError, TypeError, ValueError)
"""What reading a checkpoint raises that somebody else made."""


def resume(
    path: str | Path,
    *,
    model: Model | None = None,
    preset: str | Preset | None = None,
    integrator: str | None = None,
    tolerance: float | None = None,
    spectral_radius: float | None = None,
    step: float | None = None,
    output_interval: float | None = None,
    duration: float | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    strict: bool = False,
) -> Result:
    """Go on with the run of a result file that was killed, interrupted, or finished and is to be longer.

    Parameters
    ----------
    path : result file; it is replaced by the longer one
    model, preset, integrator, tolerance, spectral_radius, step, output_interval, threads : what the run is expected to
        have; anything else is refused
    duration : simulated time of the whole run [s], by default that of the run. Where it is longer, what of the energy
        balance may be open in a frame stays as it was
    progress : called while it goes on
    strict : whether a run that is not to be trusted is an error

    Returns
    -------
    Result : that of the whole run. It equals the one of a run that nothing has ended, except in the facts `created`
        and `resumed` of its header, and in its wall and CPU times.

    Raises
    ------
    ResultError, IncompatibleError : it holds no checkpoint, or one that does not fit
    SolveError : as in `simulate`
    """
    check_path(path, "result file")
    path = Path(path)
    with load_result(path) as earlier, Claim(path) as claim:
        checkpoint, preset_then, settings = _load_checkpoint(earlier)
        if model is not None:
            _check_model(model, earlier)
        given = {"integrator": integrator, "tolerance": tolerance, "spectral_radius": spectral_radius, "step": step}
        given["threads"] = None if threads is None else check_threads(threads)
        _check_method(earlier, preset_then, settings, preset, {**given, "output_interval": output_interval})
        interval = settings.output_interval
        frame_count = _count_frames(earlier, checkpoint, settings, settings.duration if duration is None else duration)
        state = State(**{name: checkpoint.snapshot.arrays[f"state.{name}"].copy() for name in State._fields})
        stepper = Stepper(earlier.model, preset_then, settings, state, progress)
        stepper.restore(checkpoint.snapshot)
        whole = settings.duration if duration is None else round(frame_count * interval, 12)
        header = {**earlier.header, "duration": whole}
        header["resumed"] = [*earlier.header.get("resumed", ()), checkpoint.snapshot.time]
        stepper.settings = replace(settings, duration=whole)
        facts = checkpoint.facts
        beginning = Beginning(earlier, facts["frames"], facts["events"], load_newest(earlier) or b"")
        blocks = stepper.observer.blocks + stepper.record.blocks
        with ResultWriter(
            path, header=header, blocks=blocks, model=earlier.model, claim=claim, beginning=beginning
        ) as writer:
            run = Run(stepper, writer, frame_count)
            set_run(run, checkpoint)
            result = go_to_end(run, progress)
    return check_trust(result) if strict else result


def _load_checkpoint(earlier: Result) -> tuple[Checkpoint, Preset, Settings]:
    """The checkpoint of a result with its method and settings, if the run can go on from it."""
    integrator, name = str(earlier.header.get("integrator", "")), f"result file {earlier.path}"
    if earlier.status == "failed":
        raise ResultError(
            f"the run of {name} failed ({earlier.message}): it would fail again; change it and run it anew"
        )
    content = load_newest(earlier)
    if content is None:
        declared = INTEGRATORS.get(integrator)
        why = "run it anew"
        if has_slots(earlier):
            raise ResultError(f"the checkpoints of {name} are damaged: {why}")
        if declared is not None and declared.package is not None:
            why = f"the history of the integrator {integrator!r} cannot be stored; {why}"
        raise ResultError(f"{name} holds no checkpoint from which its run could go on: {why}")
    try:
        checkpoint = load_checkpoint(content)
        version, frames = checkpoint.facts["version"], int(checkpoint.facts["frames"])
        preset, settings = (
            load_method(checkpoint.facts["method"]),
            Settings(**{"threads": 1, **checkpoint.facts["settings"]}),
        )
    except UNREADABLE as error:
        raise ResultError(f"the checkpoint of {name} cannot be read ({error}): run it anew") from error
    if version != __version__:
        raise IncompatibleError(
            f"{name} was made by grouser {version}, and this is {__version__}, whose numbers may differ: go on with "
            f"grouser {version}, or run it anew"
        )
    if frames > len(earlier.time):
        raise ResultError(f"{name} lacks frames that its checkpoint had: run it anew")
    return checkpoint, preset, settings


def _check_model(model: Model, earlier: Result) -> None:
    """Refuse a model that the run does not have."""
    check_model(model)
    other = [name for name in Model.model_fields if getattr(model, name) != getattr(earlier.model, name)]
    if other:
        raise IncompatibleError(
            f"result file {earlier.path} belongs to another model: {', '.join(other)} of {model.name!r} differ; leave "
            "the model out to go on with that of the result"
        )


def _check_method(
    earlier: Result, then: Preset, settings: Settings, preset: str | Preset | None, given: dict[str, Any]
) -> None:
    """Refuse a method that the run does not have; of `given` by name, what is None is not judged."""
    before: dict[str, Any] = {
        "integrator": then.integrator,
        "tolerance": (then.tolerance or then.declared.tolerance) if then.declared.is_adaptive else None,
        "spectral_radius": then.spectral_radius,
        "step": settings.step,
        "threads": settings.threads,
        "output_interval": round(settings.output_interval, 12),
    }
    if given["output_interval"] is not None:
        interval = check_time("output_interval", given["output_interval"])
        count = max(1, math.ceil(settings.duration / interval - 1e-9))  # whole frames, as in a run
        given = {**given, "output_interval": round(settings.duration / count, 12)}
    if preset is not None:
        chosen = choose_preset(preset, earlier.model)
        before, given = {"preset": then.name, **before}, {"preset": chosen.name, **given}
        if chosen.name == then.name:
            now = _list_realizations(chosen)
            given |= now
            before |= dict.fromkeys(now) | _list_realizations(then)
    for name, value in given.items():
        if value is not None and value != before[name]:
            raise IncompatibleError(
                f"result file {earlier.path} was made with the {name.replace('_', ' ')} {before[name]}, not {value}: "
                "leave it out to go on, or run it anew"
            )


def _list_realizations(preset: Preset) -> dict[str, Realization]:
    """How a preset holds joints and motions, each with its name."""
    groups = {f"realization of the joints {group!r}:": one for group, one in preset.realizations.items()}
    return {**groups, "realization of motions:": preset.motion}


def _count_frames(earlier: Result, checkpoint: Checkpoint, settings: Settings, duration: float) -> int:
    """Frames of the whole run after the first."""
    wanted = replace(settings, duration=duration)  # refused where no run can have it
    count = max(1, math.ceil(wanted.duration / settings.output_interval - 1e-9))
    done = int(checkpoint.snapshot.plain["stepper"]["count"])
    if count < done or (count == done and earlier.status == "done"):
        raise ModelError(
            f"the run of result file {earlier.path} has come to {checkpoint.snapshot.time:g} s: give a duration that "
            f"is longer, not {duration:g} s"
        )
    return count
