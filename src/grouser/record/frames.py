"""Frames on their way from the solver to the writer."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Mapping
from dataclasses import astuple
from typing import Any

import numpy as np

from grouser.integrators.record import Record
from grouser.record.observe import Note, Observer, join_notes
from grouser.result.opening import Opening, Openings
from grouser.result.violation import JointRows, Violation, find_largest
from grouser.result.writer import ResultWriter

MOST_PENDING = 8000
"""Bodies times frames that are worked out together: many, because each frame alone costs more than its numbers; not
more than a processor keeps at hand."""
WRITE_WITHIN = 0.4
"""Wall time [s] within which a frame is on disk; a kill loses no more."""


class FrameQueue:
    """Frames on their way to the writer, handed over together; the largest violation of joints of all but the first.

    Attributes
    ----------
    openings : joints that have opened; frames after one in which a joint came apart are dropped
    """

    def __init__(
        self, observer: Observer, record: Record, writer: ResultWriter, rows: JointRows, *, has_peaks: bool
    ) -> None:
        """`has_peaks`: whether the integrator keeps peaks of accepted states only, and none of trial states."""
        self._observer, self._blocks, self._writer, self._rows = observer, record.blocks, writer, rows
        self._times: list[float] = []
        self._notes: list[Note] = []
        self._records: list[tuple[float, ...]] = []
        self._violation, self._is_start = Violation(), True
        self._written, self._added = -math.inf, clock.monotonic()
        layout = observer.compiled.layout
        self.openings = Openings(layout.model, rows.names)
        self._has_peaks = has_peaks
        self._places = [layout.joints.index(name) for name in rows.names]
        self._most = max(1, MOST_PENDING // len(observer.compiled.layout.nodes))

    def add(self, time: float, note: Note, record: tuple[float, ...]) -> None:
        """Add a frame, with the channels of its integrator."""
        self._times.append(time)
        self._notes.append(note)
        self._records.append(record)
        now = clock.monotonic()
        taken, self._added = now - self._added, now
        if now + taken - self._written > WRITE_WITHIN:  # it would be too late after the next frame
            self.flush()
            self._writer.flush()
            self._written = clock.monotonic()
        elif len(self._notes) >= self._most:
            self.flush()

    def make_memory(self) -> dict[str, Any]:
        """What the frames handed over so far have left, of plain values; nothing may be pending."""
        assert not self._notes
        opened = [list(astuple(opening)) for opening in self.openings.opened.values()]
        return {"violation": list(self._violation), "is_start": self._is_start, "opened": opened}

    def set_memory(self, memory: Mapping[str, Any]) -> None:
        """Go on after frames that have left this."""
        self._violation, self._is_start = Violation(*memory["violation"]), memory["is_start"]
        self.openings.opened = {values[0]: Opening(*values) for values in memory["opened"]}

    def flush(self) -> Violation:
        """Hand over what is there; the violation so far."""
        if self._notes and self.openings.apart is None:
            notes = join_notes(self._notes)
            rows = self._rows.calc_rows(notes.x, notes.R, notes.v, notes.w, notes.a, notes.dw)
            peaks = np.sqrt(notes.joint_peak[:, self._places]) if self._has_peaks else np.zeros(1)
            count = self.openings.add(self._times, rows[0], peaks)
            frames = self._observer.calc_frames(notes)
            records = np.array(self._records)
            frames |= {block.name: records[:, i, None, None] for i, block in enumerate(self._blocks)}
            self._writer.add_frames(self._times[:count], {name: values[:count] for name, values in frames.items()})
            first = 1 if self._is_start else 0
            if count > first:
                found = find_largest(tuple(level[first:count] for level in rows))
                self._violation = self._violation.join(found)
            self._is_start = False
        self._times, self._notes, self._records = [], [], []
        return self._violation
