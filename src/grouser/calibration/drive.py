"""A calibration from its files to what it has found."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from grouser.calibration.bands import Band, calc_covariance, calc_knowledge, find_excited, make_band, say_band
from grouser.calibration.compare import Comparison
from grouser.calibration.doubts import check_units, find_doubts, find_shift
from grouser.calibration.evaluate import Evaluator, Traces
from grouser.calibration.fit import Fit, Problem, find_fit
from grouser.calibration.folder import CalibrationFolder
from grouser.calibration.judge import calc_errors
from grouser.calibration.outcome import CalibrationOutcome
from grouser.calibration.recording import load_recording
from grouser.calibration.report import save_outcome
from grouser.calibration.spec import Calibration
from grouser.calibration.trace import find_base, make_run_setup, try_run
from grouser.calibration.unknowns import Unknowns, make_unknowns
from grouser.errors import GrouserError, ModelError, check_path, check_type
from grouser.model.override import with_overrides
from grouser.study.cluster import check_extra, open_client
from grouser.study.crew import LOOK_EVERY
from grouser.study.setup import load_base_document

if TYPE_CHECKING:
    import distributed

Array = NDArray[np.float64]
Progress = Callable[[str, float, float], None]
"""Called with the phase, ``compiling`` or ``runs of ...``, the number of its runs that have ended, and of all."""


def calibrate(
    calibration: Calibration,
    out: str | Path,
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    say: Callable[[str], None] | None = None,
) -> CalibrationOutcome:
    """Find the unknowns of a vehicle from measured runs.

    Runs that are in the folder already are not made again. Ctrl-C keeps the best vehicle so far.

    Parameters
    ----------
    calibration : of a file (`load_calibration`), or made in Python
    out : folder for the vehicle file, tables, figures and the report
    scheduler : address of a Dask scheduler; by default a cluster is started on this machine
    workers : processes of that cluster, by default one a core
    progress : called while it goes on
    say : told the address of Dask's dashboard, and what was put right in the files
    """
    check_type(calibration, Calibration, "calibration", "load it first with gr.load_calibration")
    check_path(out, "out")
    check_extra()
    unknowns, comparison, notes = prepare_calibration(calibration)
    tell = say or _tell_nobody
    for note in notes:
        tell(note)
    folder = CalibrationFolder(out)
    lock = folder.open(calibration)
    try:
        with ExitStack() as stack:

            def open_workers() -> distributed.Client:
                client = stack.enter_context(open_client(scheduler, workers, folder.path))
                if client.dashboard_link:
                    tell(f"Dask's dashboard: {client.dashboard_link}")
                _try_first(calibration, unknowns, client, folder.path, progress or _say_nothing)
                return client

            evaluator = Evaluator(calibration, unknowns, folder.path, open_workers, progress or _say_nothing)
            work = _Work(calibration, unknowns, comparison, evaluator, folder, notes, tell)
            try:
                return work.go()
            except KeyboardInterrupt:
                return work.stop()
    finally:
        if lock is not None:
            lock.close()


def prepare_calibration(calibration: Calibration) -> tuple[Unknowns, Comparison, list[str]]:
    """Unknowns and measured runs of a calibration, and what was put right in their files; faults are told at once."""
    base = calibration.base
    unknowns = make_unknowns(calibration, with_overrides(load_base_document(base), base.set, "value"))
    values = unknowns.find_values(np.zeros(unknowns.count))
    recordings, notes, faults = {}, [], []
    for run in calibration.runs:
        try:
            setup = make_run_setup(calibration, run, values)
            recordings[run] = load_recording(calibration, run, setup.settings.duration)
            notes += [f"run {run!r}: {note}" for note in recordings[run].notes]
        except ModelError as error:
            faults += list(error.faults)
        except GrouserError as error:
            faults.append(f"run {run!r}: {error}")
    if faults:
        raise ModelError(list(dict.fromkeys(faults)))
    return unknowns, Comparison(calibration, recordings), notes


def _try_first(
    calibration: Calibration, unknowns: Unknowns, client: distributed.Client, folder: Path, progress: Progress
) -> None:
    """Have one worker compile and settle what all need, and see that the channels can be had."""
    values = unknowns.find_values(np.zeros(unknowns.count))
    seen = set()
    for run in calibration.runs:
        kind = (find_base(calibration, run).scenario, tuple(calibration.find_reading(run).angles.values()))
        if kind in seen:
            continue
        seen.add(kind)
        trial = client.submit(try_run, calibration, run, values, str(folder), pure=False)
        while not trial.done():
            progress("compiling", 0.0, math.nan)
            clock.sleep(LOOK_EVERY / 5)
        if trial.status == "error" and isinstance(trial.exception(), GrouserError):
            raise trial.exception()


class _Work:
    """Goes through a calibration, step by step."""

    def __init__(
        self,
        calibration: Calibration,
        unknowns: Unknowns,
        comparison: Comparison,
        evaluator: Evaluator,
        folder: CalibrationFolder,
        notes: list[str],
        say: Callable[[str], None],
    ) -> None:
        self.calibration, self.unknowns, self.comparison = calibration, unknowns, comparison
        self.evaluator, self.folder, self.notes, self.say = evaluator, folder, notes, say
        self.problem = Problem(evaluator, comparison, unknowns, self._keep)

    @property
    def fit(self) -> Fit:
        """How the fit went."""
        return self.problem.fit

    def go(self) -> CalibrationOutcome:
        """All of it."""
        runs = list(self.calibration.runs)
        start = np.zeros(self.unknowns.count)
        self.evaluator.phase = "runs of the start"
        before = self.evaluator.find_traces([start], runs, is_whole=True)[0]
        check_units(self.comparison, before)
        for doubt in find_doubts(self.comparison, before):
            self.notes.append(doubt)
            self.say(doubt)
        find_fit(self.problem, self.calibration.fit.iterations, self.calibration.fit.tolerance)
        u = self.fit.best[: self.unknowns.count]
        self.evaluator.phase = "runs of the end"
        after = self.evaluator.find_traces([u], runs, is_whole=True)[0]
        outcome = self._judge(before, after)
        save_outcome(self.calibration, self.comparison, self.folder, outcome, before, after)
        return outcome

    def stop(self) -> CalibrationOutcome:
        """What is there when the user stops it."""
        steps = self.fit.steps
        values = self.unknowns.find_values(self.fit.best[: self.unknowns.count]) if steps else {}
        return CalibrationOutcome(
            self.folder.path, "interrupted", values, notes=self.notes, steps=len(steps), made=self.evaluator.made
        )

    def _keep(self, u: Array) -> None:
        """Write the best vehicle so far."""
        self.folder.save_vehicle(self.calibration, self.unknowns.find_values(u), ["The fit was going on."])

    def _judge(self, before: Traces, after: Traces) -> CalibrationOutcome:
        x = self.fit.best
        u = x[: self.unknowns.count]
        shifts = self.problem.find_shifts(x)
        for run in self.comparison.shifted:
            if run not in shifts and not after[run].reason:  # held-out runs have shifts of their own
                shifts[run] = find_shift(self.comparison, run, after[run])
        bands = self._find_bands(x, after)
        values = self.unknowns.find_values(u)
        self.folder.save_vehicle(self.calibration, values, [say_band(band) for band in bands.values()])
        return CalibrationOutcome(
            folder=self.folder.path,
            status="done" if self.fit.is_done and self.fit.is_settled else "unfinished",
            values=values,
            bands=bands,
            before=calc_errors(self.comparison, before, shifts),
            after=calc_errors(self.comparison, after, shifts),
            shifts=shifts,
            notes=self.notes,
            steps=len(self.fit.steps) - 1,
            made=self.evaluator.made,
        )

    def _find_bands(self, x: Array, traces: Mapping[str, Any]) -> dict[str, Band]:
        """Unknowns with their bands."""
        jacobian, residuals, prior = self.fit.jacobian, self.fit.residuals, self.problem.prior
        assert jacobian is not None and residuals is not None
        covariance = calc_covariance(jacobian, residuals, self.comparison.list_rows(), prior)
        knowledge = calc_knowledge(jacobian, prior)
        bands = {}
        for part in self.unknowns.parts:
            arguments = [traces[run].arguments[part.name] for run in self.comparison.fitted] if part.form else []
            excited = find_excited(arguments, is_odd=part.told.odd) if part.form else None
            bands[part.name] = make_band(
                part, x[: self.unknowns.count], covariance, knowledge, excited, self.calibration.fit.certain
            )
        return bands


def _say_nothing(phase: str, done: float, count: float) -> None:
    """Nobody wants to know."""


def _tell_nobody(text: str) -> None:
    """Nobody listens."""
