"""Runs for vectors of unknowns: made by workers, and never twice.

A trace is kept by a hash of all that decides it. So a calibration that goes on after a kill asks for the same vectors
again, and finds their traces.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from grouser.calibration.spec import Calibration
from grouser.calibration.trace import Job, Trace, calc_key, calc_print, calc_trace, load_trace
from grouser.calibration.unknowns import Unknowns
from grouser.study.crew import Crew

if TYPE_CHECKING:
    import distributed

Array = NDArray[np.float64]
Traces = dict[str, Trace]
"""Traces of runs, by name."""


class Evaluator(Crew[Job]):
    """Makes the runs of vectors.

    Attributes
    ----------
    phase : what it works at, for those who watch
    made : number of runs made
    """

    def __init__(
        self,
        calibration: Calibration,
        unknowns: Unknowns,
        folder: Path,
        open_client: Callable[[], distributed.Client],
        progress: Callable[[str, float, float], None],
    ) -> None:
        super().__init__()
        self.calibration, self.unknowns, self.folder, self.progress = calibration, unknowns, folder, progress
        self.phase, self.made = "runs", 0
        self._open_client = open_client
        self._client: distributed.Client | None = None
        first = unknowns.find_values(np.zeros(unknowns.count))
        self._prints = {run: calc_print(calibration, run, first) for run in calibration.runs}
        self._count = self._done = 0
        self._taken: dict[str, Trace] = {}

    def find_traces(self, vectors: Sequence[Array], runs: Sequence[str], *, is_whole: bool = False) -> list[Traces]:
        """Traces of some runs for each vector. Runs of all vectors are made side by side."""
        values = [self.unknowns.find_values(u) for u in vectors]
        # run after run: the first run of a vector finds its state of rest, which the others share
        wanted = {(i, run): self._make_job(run, one, is_whole) for run in runs for i, one in enumerate(values)}
        found = {job.key: self._look(job) for job in wanted.values()}
        missing = list({job.key: job for job in wanted.values() if found[job.key] is None}.values())
        if missing:
            self._count, self._done = len(missing), 0
            self.made += len(missing)
            self._taken = {}
            self.make(self.find_client(), missing)
            found |= self._taken
        return [{run: _insist(found[wanted[i, run].key]) for run in runs} for i in range(len(values))]

    def find_client(self) -> distributed.Client:
        """The client, which is asked for when the first run is missing."""
        if self._client is None:
            self._client = self._open_client()
        return self._client

    def _make_job(self, run: str, values: dict[str, Any], is_whole: bool) -> Job:
        return Job(run, values, calc_key(self._prints[run], values), is_whole)

    def _look(self, job: Job) -> Trace | None:
        """A trace that is there; a whole one serves for any."""
        for is_whole in {True, job.is_whole}:
            trace = load_trace(Job(job.run, job.values, job.key, is_whole).find_file(self.folder))
            if trace is not None:
                return trace
        return None

    def name(self, job: Job) -> Hashable:
        """Name of the run, and hash."""
        return f"{job.run}-{job.key[:8]}"

    def call(self, job: Job) -> tuple[Any, ...]:
        """The run in a worker."""
        return calc_trace, self.calibration, job, str(self.folder)

    def take(self, job: Job) -> bool:
        """Take the trace of a run."""
        trace = load_trace(job.find_file(self.folder))
        if trace is None:
            return False
        self._taken[job.key] = trace
        self._done += 1
        return True

    def fail(self, job: Job, reason: str) -> None:
        """A run that could not be made is one that failed; it is not kept, so that it is tried again."""
        self._taken[job.key] = Trace(np.empty(0), np.empty((0, 0)), {}, reason)
        self._done += 1

    def show(self) -> None:
        """Runs of this phase that have ended, of all."""
        self.progress(self.phase, float(self._done), float(self._count))

    def say_kept(self) -> str:
        """Runs that are there."""
        return f"{self._done} of {self._count} runs of this step"

    def say_place(self) -> str:
        """The folder of the calibration."""
        return str(self.folder)


def _insist(trace: Trace | None) -> Trace:
    assert trace is not None
    return trace
