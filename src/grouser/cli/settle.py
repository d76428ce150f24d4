"""``grouser settle``: bring a vehicle to rest and save the state."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grouser.cli.choices import check_pins, check_target, check_times, choose_preset
from grouser.cli.options import (
    Overrides,
    PinDamping,
    PinStiffness,
    PresetName,
    Quiet,
    ScenarioName,
    Step,
    Suspension,
    Target,
)
from grouser.cli.progress import watch
from grouser.cli.report import say_note
from grouser.cli.source import load_source

StateFile = Annotated[Path, typer.Option("--out", "-o", metavar="STATE.npz", help="File for the state.")]


def settle(
    target: Target,
    out: StateFile,
    scenario: ScenarioName = None,
    preset: PresetName = "penalty",
    step: Step = None,
    overrides: Overrides = None,
    suspension: Suspension = None,
    pin_stiffness: PinStiffness = None,
    pin_damping: PinDamping = None,
    quiet: Quiet = False,
) -> int:
    """Bring a vehicle to rest on its ground, sprockets held, and save the state for 'grouser run --initial'."""
    check_times({"--step": step})
    chosen = choose_preset(preset, pin_stiffness, pin_damping)
    source = load_source(target, overrides=overrides, suspension=suspension, scenario=scenario)
    check_pins(source.model, pin_stiffness, pin_damping)
    check_target(out, "state")

    from grouser.compile.layout import make_layout
    from grouser.compile.state import save_state
    from grouser.simulate import settle as settle_model

    with watch(quiet=quiet) as report:
        state = settle_model(source.model, preset=chosen, step=step, progress=report)
    save_state(out, state, make_layout(source.model))
    if not quiet:
        say_note(f"{source.name} is at rest; state written to {out}")
    return 0
