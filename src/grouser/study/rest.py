"""States of rest that runs of a study share: settled once for all runs that settle alike."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from grouser.compile.state import save_state
from grouser.model.hold import begins_at_rest, with_held_drives
from grouser.model.model import Model
from grouser.prepare import prepare
from grouser.start import settle
from grouser.study.setup import Setup

FOLDER = "rest"


def find_rest(setup: Setup, folder: Path) -> str | None:
    """File of the state from which a run starts, settled if nobody has; None where it starts as its model says.

    Runs share a state if settling sees the same in both, to the last bit: the model with its drives held, the preset
    and the step. So a run that starts from the file is the run that settles by itself.
    """
    if setup.initial is not None or not has_rest(setup.model, setup.settings.settle):
        return setup.initial
    if setup.model.planar:  # a given state is turned into the plane, by which its last bits may change
        return None
    place = folder / FOLDER / f"{calc_key(setup)}.npz"
    if not place.is_file():
        state = settle(setup.model, preset=setup.preset, step=setup.settings.step, threads=1)
        compiled, _ = prepare(setup.model, setup.preset)
        save_state(place, state, compiled.layout)
    return str(place)


def has_rest(model: Model, settle: bool | None) -> bool:
    """Whether a run of a model begins by settling; `settle` is that of `Settings`."""
    if settle is not None:
        return settle
    return begins_at_rest(model)


def calc_key(setup: Setup) -> str:
    """Name of the state of rest of a run: a hash of all that settling sees. It begins with nothing moving, and drivers
    without a path do not look ahead."""
    held = with_held_drives(setup.model).model_dump(mode="json", exclude={"name", "description"})
    for body in held["bodies"].values():
        del body["velocity"], body["angular_velocity"]
    for driver in held["drivers"].values():
        if driver["steering"] is not None:
            del driver["steering"]["preview_time"]
    seen = json.dumps([held, repr(setup.preset), setup.settings.step], sort_keys=True)
    return hashlib.sha256(seen.encode()).hexdigest()[:16]
