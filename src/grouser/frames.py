"""Frames on their way from the solver to the writer."""

from __future__ import annotations

import time as clock

import numpy as np

from grouser.formulations.observe import Note, Observer, join_notes
from grouser.integrators.record import Record
from grouser.result.violation import JointRows, Violation
from grouser.result.writer import ResultWriter

MOST_PENDING = 8000
"""Bodies times frames that are worked out together: many, because each frame alone costs more than its numbers; not
more than a processor keeps at hand."""
HAND_OVER = 0.3
"""Wall time [s] after which frames go to the writer."""


class FrameQueue:
    """Frames on their way to the writer, handed over together; the largest violation of joints of all but the first."""

    def __init__(self, observer: Observer, record: Record, writer: ResultWriter, rows: JointRows) -> None:
        self._observer, self._blocks, self._writer, self._rows = observer, record.blocks, writer, rows
        self._times: list[float] = []
        self._notes: list[Note] = []
        self._records: list[tuple[float, ...]] = []
        self._violation, self._is_start = Violation(), True
        self._since = clock.monotonic()
        self._most = max(1, MOST_PENDING // len(observer.compiled.layout.bodies))

    def add(self, time: float, note: Note, record: tuple[float, ...]) -> None:
        """Add a frame, with the channels of its integrator."""
        self._times.append(time)
        self._notes.append(note)
        self._records.append(record)
        if len(self._notes) >= self._most or clock.monotonic() - self._since > HAND_OVER:
            self.flush()

    def flush(self) -> Violation:
        """Hand over what is there; the violation so far."""
        if self._notes:
            notes = join_notes(self._notes)
            frames = self._observer.calc_frames(notes)
            records = np.array(self._records)
            frames |= {block.name: records[:, i, None, None] for i, block in enumerate(self._blocks)}
            self._writer.add_frames(self._times, frames)
            first = 1 if self._is_start else 0
            if len(self._notes) > first:
                states = (notes.x, notes.R, notes.v, notes.w, notes.a, notes.dw)
                found = self._rows.calc_violation(*(values[..., first:, :] for values in states))
                self._violation = self._violation.join(found)
            self._times, self._notes, self._records, self._is_start = [], [], [], False
        self._since = clock.monotonic()
        return self._violation
