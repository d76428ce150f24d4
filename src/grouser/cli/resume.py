"""``grouser run --resume``: a run goes on, if what stands beside the option is what the run has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grouser.cli.choices import check_times, choose_preset
from grouser.cli.progress import watch
from grouser.cli.source import Wishes, load_source
from grouser.errors import ModelError, SolveError

if TYPE_CHECKING:
    from grouser.model.model import Model
    from grouser.presets import Preset
    from grouser.result.result import Result

ABOUT = ("vehicle", "scenario", "overrides", "command")
"""What ``grouser run`` adds to the header of a result."""


@dataclass(frozen=True)
class Given:
    """What the command line gives beside ``--resume``; None where it gives nothing, and an empty target for none."""

    wishes: Wishes
    integrator: str | None
    tolerance: float | None
    spectral_radius: float | None
    output_interval: float | None
    duration: float | None
    threads: int | None


def resume_run(path: Path, given: Given, starts: Mapping[str, Any], *, quiet: bool) -> tuple[Result, SolveError | None]:
    """Go on with the run of a result file; gives its result, and why it failed if it did.

    `starts` are options, by name, that belong to the start of a run: none may be given.
    """
    wishes = given.wishes
    for option, value in starts.items():
        if value is not None:
            raise ModelError(f"{option} and --resume exclude each other: a run goes on in its file, from where it was")
    times = {"--duration": given.duration, "--step": wishes.step, "--output-interval": given.output_interval}
    check_times(times)
    from grouser.result.result import load_result
    from grouser.resume import resume

    with load_result(path) as earlier:
        preset = _find_preset(wishes, earlier)
    model = _find_model(wishes)
    with watch(quiet=quiet) as progress:
        try:
            result = resume(
                path,
                model=model,
                preset=preset,
                integrator=given.integrator,
                tolerance=given.tolerance,
                spectral_radius=given.spectral_radius,
                step=wishes.step,
                output_interval=given.output_interval,
                duration=given.duration,
                threads=given.threads,
                progress=progress,
            )
        except SolveError as error:
            if error.result is None:
                raise
            return error.result, error
    return result, None


def find_about(result: Result) -> dict[str, Any]:
    """What the command that began a run has stored about it."""
    about = {name: result.header.get(name) for name in ABOUT}
    return {**about, "vehicle": about["vehicle"] or result.header.get("model_name", ""), "initial_state": None}


def _find_preset(wishes: Wishes, earlier: Result) -> Preset | None:
    """The preset that the command line names; where it only gives pins, that of the run with these."""
    pins = wishes.pin_stiffness, wishes.pin_damping
    if wishes.preset is None and pins == (None, None):
        return None
    return choose_preset(wishes.preset or str(earlier.header.get("preset", "")), *pins)


def _find_model(wishes: Wishes) -> Model | None:
    """The model that the command line names, in its scenario."""
    if wishes.target:
        source = load_source(
            wishes.target,
            overrides=wishes.overrides,
            suspension=wishes.suspension,
            scenario=wishes.scenario,
            scenario_overrides=wishes.scenario_overrides,
        )
        return source.model
    for option, value in {
        "--scenario": wishes.scenario,
        "--scenario-set": wishes.scenario_overrides,
        "--set": wishes.overrides,
        "--suspension/--no-suspension": wishes.suspension,
    }.items():
        if value is not None:
            raise ModelError(
                f"{option} says how a vehicle is made, and --resume takes it from the result: leave it out, or name "
                "the vehicle too, to see whether it is the one of the result"
            )
    return None
