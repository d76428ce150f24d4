"""What sessions and runs are made of: a model that is prepared, settled, assembled, and advanced frame by frame."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from grouser.compile.accuracy import AccurateStep, find_impact_step
from grouser.compile.state import State, copy_state
from grouser.errors import IncompatibleError, ModelError, check_path
from grouser.failure import say_failure
from grouser.formulations.status import DONE, OPEN, UNDETERMINED
from grouser.integrators.record import Record
from grouser.integrators.solver import Counts
from grouser.model.model import Model
from grouser.model.start import find_start_faults
from grouser.prepare import check_model, choose_preset, find_first_step, make_solver, prepare
from grouser.presets import Preset, check_step
from grouser.record.observe import Note, Observer
from grouser.settings import Settings
from grouser.sharing import check_sharing, share_work
from grouser.snapshot import Snapshot, copy_arrays, list_arrays, list_plain, list_solver_plain, set_plain
from grouser.start import Progress, find_start, say_compiling, show_compiling
from grouser.step_control import StepControl
from grouser.step_watch import StepWatch

SETTINGS = ("integrator", "tolerance", "has_step", "spectral_radius", "threads")
"""Attributes of solvers that a snapshot must share with the solver that goes on with it."""
COUNTED = ("origin", "count", "recorded")
"""Plain values of a stepper itself."""


def choose_method(
    model: Model, preset: str | Preset | None, integrator: str | None, tolerance: float | None, settings: Settings
) -> Preset:
    """The preset of a run with its integrator and tolerance, if they and the settings suit each other."""
    check_model(model)
    if isinstance(tolerance, np.generic):
        tolerance = tolerance.item()
    chosen = choose_preset(preset, model).with_integrator(integrator, tolerance)
    check_step(chosen, settings.step)
    check_sharing(chosen, settings.threads)
    return chosen


class Stepper:
    """A model on its way.

    Attributes
    ----------
    preset, settings : how it is solved
    compiled, stable : the model as tables, and its stable step
    impact, turning : longest steps that suit the contacts to come, and the spin of the start
    control, watch : of the step
    start, settled : the state from which it started, and whether that was settled
    state : the state now; its arrays stay where they are
    sharing : among how many threads the work is shared
    solver, observer, record : what advances it, what looks at it, what keeps account
    note, recorded : the last frame, and the channels of the integrator there
    origin, count : time [s] since which all frames have the same length, and how many there were
    """

    def __init__(
        self,
        model: Model,
        preset: Preset,
        settings: Settings,
        initial: State | str | Path | None = None,
        progress: Progress | None = None,
    ) -> None:
        if initial is not None and not isinstance(initial, State):
            check_path(initial, "initial")
        self.preset, self.settings = preset, settings
        self.compiled, self.stable = prepare(model, preset)
        faults, _ = find_start_faults(self.compiled.model, settings.duration)
        if faults and initial is None:
            raise ModelError(faults)
        say_compiling(progress)
        self._prepare_steps()
        if progress is not None:
            progress("compiling", 0.0, math.nan)
        self.start, self.settled = find_start(self.compiled, preset, settings, initial, progress)
        with show_compiling(progress):
            self._assemble()

    def _prepare_steps(self) -> None:
        """Choose the first step, and who watches over the others."""
        declared, settings = self.preset.declared, self.settings
        is_bounded = not declared.is_adaptive and not declared.is_implicit
        self.impact = find_impact_step(self.compiled) if is_bounded else AccurateStep(math.inf)
        if settings.step is not None:
            first = settings.step
        elif declared.is_adaptive:
            first = settings.output_interval
        else:
            first = min(find_first_step(self.preset, self.stable), self.impact.step)
        self.control = StepControl(
            first,
            settings.output_interval,
            settings.duration,
            fixed=declared.is_adaptive or settings.step is not None,
            balanced=declared.is_balanced,
            imbalance=declared.imbalance,
        )
        self.watch = None if declared.is_adaptive else StepWatch(self.compiled, declared.angle)

    def _assemble(self) -> None:
        """Bring the start onto its constraints and evaluate it; compiles if needed."""
        preset, step, has_step = self.preset, self.control.step, self.settings.step is not None
        self.state, self.solver = copy_state(self.start), make_solver(self.compiled, preset, has_step=has_step)
        if not preset.tree.projected:
            closed = replace(preset, tree=replace(preset.tree, projected=True))
            make_solver(self.compiled, closed, has_step=has_step).advance(self.state, 0, step)
        code, name = self.solver.advance(self.state, 0, step)
        if code in (OPEN, UNDETERMINED):
            raise ModelError(say_failure(self.solver, code, name, self.time, step, self.stable.step)[1])
        self.sharing = share_work(self.solver, self.state, step, self.settings.threads)
        self.settings = replace(self.settings, threads=self.sharing.threads)
        self.turning = self.look()
        self.observer, self.record = Observer(self.compiled), Record(self.solver, self.time)
        self.note: Note = self.observer.note(self.state, self.solver.work)
        self.recorded = self.record.calc_frame(self.time)
        self.origin, self.count = self.time, 0
        state = {f"state.{name}": array for name, array in self.state._asdict().items()}
        self._arrays = state | list_arrays(self.solver)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.state.time[0])

    def advance(self, interval: float) -> tuple[int, str]:
        """Advance by one frame [s], repeated with smaller steps until its energies add up.

        Status and name as `Solver.advance`; unless it is DONE, the frame does not count.
        """
        control, solver, work = self.control, self.solver, self.solver.work
        if interval != control.interval:
            control.set_interval(interval)
            self.origin, self.count = self.time, 0
        time = round(self.origin + (self.count + 1) * interval, 12)
        while True:
            start = None if control.is_fixed else copy_state(self.state)
            code, name = solver.advance(self.state, control.substeps, control.step)
            after = None if code != DONE else self.observer.note(self.state, work)
            if control.accepts(self.note.energies, None if after is None else after.energies, time):
                break
            assert start is not None
            for array, before in zip(self.state, start, strict=True):
                np.copyto(array, before)
            work.joint_peak[:] = 0.0
            self.record.repeat()
        if after is not None:
            self.state.time[0] = time
            self.note, self.count = after, self.count + 1
            self.recorded = self.record.calc_frame(time)
        return code, name

    def close(self) -> None:
        """End what works for it."""
        self.solver.close()

    def look(self) -> AccurateStep:
        """Longest step for the spin of the state; steps that the program has chosen are held to it."""
        if self.watch is None:
            return AccurateStep(math.inf)
        if self.settings.step is not None or self.preset.declared.is_implicit:
            return self.watch.find_step(self.state, self.control.step)
        turning = self.watch.find_step(self.state, self.control.longest)
        self.control.hold(turning.step)
        return turning

    def make_snapshot(self) -> Snapshot:
        """All that decides how it goes on."""
        if self.solver.has_foreign_history:
            self.solver.forget()
        arrays = {name: array.copy() for name, array in self._arrays.items()}
        plain = {name: list_plain(part) for name, part in self._list_parts().items()}
        plain["solver"] = list_solver_plain(self.solver)
        plain["stepper"] = {name: getattr(self, name) for name in COUNTED}
        return Snapshot(self.time, arrays, plain, self.note)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back, or on, to a snapshot."""
        values = dict(snapshot.plain["solver"])
        for name in SETTINGS:
            if values.get(name) != getattr(self.solver, name, None):
                raise IncompatibleError(f"the snapshot belongs to a session with another {name.replace('_', ' ')}")
        copy_arrays(snapshot.arrays, self._arrays)
        for name, part in self._list_parts().items():
            set_plain(part, snapshot.plain[name])
        self.solver.counts = Counts(*values.pop("counts"))
        set_plain(self.solver, values)
        set_plain(self, snapshot.plain["stepper"])
        self.note = snapshot.note

    def _list_parts(self) -> dict[str, Any]:
        """What keeps plain values, by name."""
        parts = {"control": self.control, "watch": self.watch, "record": self.record, "observer": self.observer}
        return {name: part for name, part in parts.items() if part is not None}
