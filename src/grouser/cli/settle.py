"""``grouser settle``: bring a vehicle to rest and save the state."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grouser.cli import options
from grouser.cli.outputs import Force, check_outputs
from grouser.cli.progress import watch
from grouser.cli.report import say_note
from grouser.cli.source import Wishes, prepare_source
from grouser.result.target import STATE

StateFile = Annotated[Path, typer.Option("--out", "-o", metavar="STATE.npz", help="File for the state.")]


def settle(
    target: options.Target,
    out: StateFile,
    scenario: options.ScenarioName = None,
    scenario_overrides: options.ScenarioOverrides = None,
    preset: options.PresetName = None,
    step: options.Step = None,
    overrides: options.Overrides = None,
    suspension: options.Suspension = None,
    pin_stiffness: options.PinStiffness = None,
    pin_damping: options.PinDamping = None,
    force: Force = False,
    quiet: options.Quiet = False,
) -> int:
    """Bring a vehicle to rest on its ground, sprockets held, and save the state for 'grouser run --initial'."""
    wishes = Wishes(
        target, scenario, preset, step, overrides, suspension, pin_stiffness, pin_damping, scenario_overrides
    )
    source, chosen = prepare_source(wishes, quiet=quiet)
    check_outputs({"--out": (out, STATE)}, source.inputs, force=force)

    from grouser.compile.compile import make_layout
    from grouser.compile.state import save_state
    from grouser.simulate import settle as settle_model

    with watch(quiet=quiet) as report:
        state = settle_model(source.model, preset=chosen, step=step, progress=report)
    save_state(out, state, make_layout(source.model))
    if not quiet:
        say_note(f"{source.name} is at rest; state written to {out}")
    return 0
