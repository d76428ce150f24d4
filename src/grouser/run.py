"""A run on its way: frame after frame is made and handed to the writer, until all are there or one fails."""

from __future__ import annotations

import time as clock
from collections.abc import Callable

from grouser.compile.accuracy import AccurateStep
from grouser.formulations.status import DONE
from grouser.record.frames import FrameQueue
from grouser.result.violation import JointRows, Violation
from grouser.result.writer import EndStatus, ResultWriter
from grouser.start import Progress
from grouser.stepper import Stepper


class Run:
    """A run on its way.

    Attributes
    ----------
    stepper, writer, queue : what makes frames, what stores them, and what is between
    status, message : how it ended
    code, element : of the last advance
    coarse : when and why a step was too long first, or None
    violation : largest of the joints, when it has ended
    wall, cpu : time that it has taken [s]
    """

    def __init__(self, stepper: Stepper, writer: ResultWriter, frame_count: int) -> None:
        self.stepper, self.writer, self.frame_count = stepper, writer, frame_count
        markers = [marker.name for marker in stepper.compiled.layout.markers]
        rows, has_peaks = JointRows(stepper.compiled.model, markers), stepper.solver.declared.scheme is not None
        self.queue = FrameQueue(stepper.observer, stepper.record, writer, rows, has_peaks=has_peaks)
        self.status: EndStatus = "done"
        self.message, self.code, self.element = "", DONE, ""
        self.coarse: tuple[float, AccurateStep] | None = None
        self.violation = Violation()
        self.wall = self.cpu = 0.0
        self._began = clock.perf_counter(), clock.thread_time()
        threads = stepper.sharing.threads
        self._phase = "running" if threads == 1 else f"running, {threads} threads"

    @property
    def done(self) -> int:
        """Frames after the first."""
        return self.stepper.count

    def go(self, progress: Progress | None, after_frame: Callable[[], None] | None = None) -> None:
        """Make all frames that are missing, and hand them over; `after_frame` is called after each."""
        # of this thread: those of the library of matrices spin for a while after they were used
        self._began = clock.perf_counter() - self.wall, clock.thread_time() - self.cpu
        try:
            if self.done == 0:
                self._add_frame()
            while self.done < self.frame_count and self.status == "done" and self.queue.openings.apart is None:
                self._make_frame(progress)
                if after_frame is not None and self.status == "done":
                    after_frame()
        except KeyboardInterrupt as stop:
            self.status, self.message = "interrupted", str(stop) or "stopped by the user"
        self.violation = self.queue.flush()
        self.wall, self.cpu = self.calc_times()

    def calc_times(self) -> tuple[float, float]:
        """Wall and CPU time that it has taken so far [s], the latter of all threads that share its steps."""
        team = self.stepper.solver.team
        helped = 0.0 if team is None else team.cpu
        return clock.perf_counter() - self._began[0], clock.thread_time() + helped - self._began[1]

    def _make_frame(self, progress: Progress | None) -> None:
        stepper, control = self.stepper, self.stepper.control
        self.code, self.element = stepper.advance(control.interval)
        if self.code != DONE:
            self.status = "failed"
            return
        self._add_frame()
        if self.queue.openings.apart is not None:
            return
        turning = stepper.look()
        if turning.step < control.step / (1.0 + 1e-9) and self.coarse is None:
            self.coarse = (stepper.time, turning)
        if progress is not None:
            progress(self._phase, stepper.time, stepper.origin + self.frame_count * control.interval)

    def _add_frame(self) -> None:
        self.queue.add(self.stepper.time, self.stepper.note, self.stepper.recorded)
