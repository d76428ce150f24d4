"""A session: a model that is stepped from Python, looked at, steered, and put back to where it was."""

from __future__ import annotations

import math
from pathlib import Path
from types import TracebackType

import numpy as np

from grouser.compile.state import State, copy_state
from grouser.errors import ModelError, SolveError, check_type
from grouser.failure import say_failure
from grouser.formulations.status import DONE
from grouser.inputs import Inputs
from grouser.model.model import Model
from grouser.observation import Observation, list_channels
from grouser.presets import Preset
from grouser.record.observe import join_notes
from grouser.settings import Settings, check_time
from grouser.snapshot import Snapshot
from grouser.start import Progress
from grouser.stepper import Stepper, choose_method


class Session:
    """A model that is stepped from Python.

    It is compiled, settled if it has tracks or tyres, and brought onto its constraints. Steps give the same numbers as
    `simulate` with frames of the same length.

    >>> import grouser as gr
    >>> builder = gr.ModelBuilder("pendulum")
    >>> rod = builder.add_body("rod", 2.0, (0.17, 0.17, 0.001), position=(0.5, 0, 0))
    >>> hinge = builder.add_joint("hinge", "revolute", "world", rod, axis=(0, 1, 0))
    >>> with gr.Session(builder.build()) as session:
    ...     session.step(0.1)
    ...     print(session.time, round(session.observe()["rod.position.z"], 2))
    0.1 -0.04

    Parameters
    ----------
    model : the system
    preset, integrator, tolerance, step, settle, initial : as in `simulate`
    output_interval : longest time between two looks at the energy balance and at the step [s], and what `step` advances
        by default
    duration : time that is planned [s]: what of the energy balance may be open is spread over it
    threads : that share explicit steps, see `Settings`
    progress : called while it is compiled and settled

    Attributes
    ----------
    inputs : inputs of the model by name; set them between steps

    Raises
    ------
    SolveError : it did not come to rest
    """

    def __init__(
        self,
        model: Model,
        *,
        preset: str | Preset | None = None,
        integrator: str | None = None,
        tolerance: float | None = None,
        step: float | None = None,
        settle: bool | None = None,
        initial: State | str | Path | None = None,
        output_interval: float = 0.01,
        duration: float = 10.0,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        settings = Settings(duration, step, output_interval, settle, threads)
        chosen = choose_method(model, preset, integrator, tolerance, settings)
        self._stepper = stepper = Stepper(model, chosen, settings, initial, progress)
        self._channels = list_channels(stepper.observer.blocks + stepper.record.blocks)
        self._is_open, self._failure = True, ""
        self.inputs = Inputs(stepper.compiled, stepper.observer, stepper.solver, stepper.state)

    @property
    def model(self) -> Model:
        """The model."""
        return self._stepper.compiled.model

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._stepper.time

    @property
    def state(self) -> State:
        """A copy of the state; it may be the `initial` of another run."""
        return copy_state(self._stepper.state)

    def step(self, dt: float | None = None) -> None:
        """Advance by dt [s], by default the output interval; longer ones in equal parts.

        Raises
        ------
        SolveError : it cannot go on; `restore` goes back to before
        """
        self._check_open()
        stepper = self._stepper
        if self._failure:
            raise ModelError(f"the session cannot go on: {self._failure}; restore a snapshot, or start another session")
        longest = stepper.settings.output_interval
        dt = longest if dt is None else check_time("dt", dt)
        parts = max(1, math.ceil(dt / longest - 1e-9))
        for _ in range(parts):
            code, name = stepper.advance(dt / parts)
            if code != DONE:
                time, step, stable = stepper.time, stepper.control.step, stepper.stable.step
                kind, self._failure = say_failure(stepper.solver, code, name, time, step, stable)
                raise SolveError(self._failure, status=kind, time=time, element=name)
            stepper.look()

    def observe(self) -> Observation:
        """Channels of this instant, by the names that results have."""
        stepper = self._stepper
        values = stepper.observer.calc_frames(join_notes([stepper.note]))
        records = zip(stepper.record.blocks, stepper.recorded, strict=True)
        values |= {block.name: np.full((1, 1, 1), value) for block, value in records}
        values["input/value"] = stepper.observer.calc_inputs(self.time)[None]  # may have been set since
        return Observation(self.time, self._channels, values)

    def snapshot(self) -> Snapshot:
        """All that decides how the session goes on: state, memory of the integrator, step control, counts, inputs.

        The history of CVODE cannot be copied: it begins anew at a snapshot, here and after `restore` alike.
        """
        self._check_open()
        return self._stepper.make_snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this session, or of another one of the same model and settings."""
        self._check_open()
        check_type(snapshot, Snapshot, "snapshot", "give what Session.snapshot has returned")
        self._stepper.restore(snapshot)
        self._failure = ""

    def close(self) -> None:
        """End the session; what it has come to can still be observed."""
        self._is_open = False
        self._stepper.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Session of {self.model.name!r} at {self.time:g} s, preset {self._stepper.preset.name}>"

    def _check_open(self) -> None:
        if not self._is_open:
            raise ModelError("the session is closed: start another one")
