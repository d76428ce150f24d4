"""Checkpoints: from where a run can go on, whatever has ended it.

A checkpoint is a snapshot, what the frames before it have left, and how the run is made. As bytes it is a line of JSON,
with the names, shapes and types of its arrays, followed by the arrays. Most rows of large arrays are places for
contacts that nothing has touched yet: of these arrays only the other rows are stored, after their numbers.
"""

from __future__ import annotations

import base64
import json
import math
import time as clock
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from typing import Any

import numpy as np

from grouser._version import __version__
from grouser.compile.accuracy import AccurateStep
from grouser.method import make_method
from grouser.record.observe import Energies, Note
from grouser.run import Run
from grouser.snapshot import Snapshot

EVERY = 1.0
"""Simulated time after which a checkpoint is due [s]."""
PATIENCE = 10.0
"""Wall time after which one is due where the simulated time passes slowly [s]."""
SHARE = 0.005
"""Share of the time of a run that checkpoints may take: where they would take more, there are fewer."""

LARGE = 1 << 14
"""Arrays from this size on are stored without their empty rows [bytes]."""
MOST = 1 << 30
"""Arrays above this size are refused: no run has them [bytes]."""


class Checkpoints:
    """Decides when a run stores from where it can go on."""

    def __init__(self, run: Run) -> None:
        self._run, self._stored = run, run.stepper.time
        self._began = self._last = clock.perf_counter()
        self._spent = self._cost = 0.0

    def look(self) -> None:
        """After a frame: store a checkpoint where one is due."""
        now, simulated = clock.perf_counter(), self._run.stepper.time - self._stored
        is_due = simulated >= EVERY * (1.0 - 1e-9) or now - self._last >= PATIENCE
        if self._run.done == 1 or (is_due and self._spent + self._cost <= SHARE * (now - self._began)):
            self.store()

    def store(self) -> None:
        """Store a checkpoint of the last frame."""
        began = clock.perf_counter()
        self._run.queue.flush()
        if self._run.queue.openings.apart is None:
            self._run.writer.add_checkpoint(make_checkpoint(self._run))
        self._stored, self._last = self._run.stepper.time, clock.perf_counter()
        self._cost = self._last - began
        self._spent += self._cost


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint holds.

    Attributes
    ----------
    snapshot : of the stepper
    facts : plain values: version, method, settings, settled, frames, events, queue, coarse, wall, cpu
    """

    snapshot: Snapshot
    facts: Mapping[str, Any]


def make_checkpoint(run: Run) -> bytes:
    """The bytes of a checkpoint of a run; all its frames are handed over to the writer."""
    stepper = run.stepper
    snapshot = stepper.make_snapshot()
    note = {f"note.{name}": np.asarray(value) for name, value in snapshot.note._asdict().items()}
    arrays = {**snapshot.arrays, **note}
    rows = {name: _find_rows(array) for name, array in arrays.items()}
    wall, cpu = run.calc_times()
    head = {
        "version": __version__,
        "method": make_method(stepper.preset),
        "settings": asdict(stepper.settings),
        "settled": stepper.settled,
        "frames": run.writer.frame_count,
        "events": run.writer.event_count,
        "queue": run.queue.make_memory(),
        "coarse": None if run.coarse is None else [run.coarse[0], list(astuple(run.coarse[1]))],
        "wall": wall,
        "cpu": cpu,
        "plain": _encode(snapshot.plain),
        "arrays": [
            [name, a.shape, a.dtype.str, None if (r := rows[name]) is None else len(r)] for name, a in arrays.items()
        ],
    }
    parts = [json.dumps(head).encode(), b"\n"]
    for name, array in arrays.items():
        kept = rows[name]
        parts += [array.tobytes()] if kept is None else [kept.tobytes(), array[kept].tobytes()]
    return b"".join(parts)


def load_checkpoint(content: bytes) -> Checkpoint:
    """A checkpoint from its bytes."""
    line, _, _ = content.partition(b"\n")
    head, reader = json.loads(line), _Reader(content, len(line) + 1)
    arrays = {name: reader.read_array(shape, kind, count) for name, shape, kind, count in head.pop("arrays")}
    values: dict[str, Any] = {name: arrays.pop(f"note.{name}") for name in Note._fields}
    note = Note(**{**values, "energies": Energies(*values["energies"].tolist())})
    return Checkpoint(Snapshot(float(arrays["state.time"][0]), arrays, _decode(head.pop("plain")), note), head)


def set_run(run: Run, checkpoint: Checkpoint) -> None:
    """Put a run to where a checkpoint was made."""
    facts = checkpoint.facts
    run.stepper.restore(checkpoint.snapshot)
    run.stepper.settled = facts["settled"]
    run.queue.set_memory(facts["queue"])
    run.wall, run.cpu = facts["wall"], facts["cpu"]
    if facts["coarse"] is not None:
        run.coarse = facts["coarse"][0], AccurateStep(*facts["coarse"][1])


def _find_rows(array: np.ndarray) -> np.ndarray | None:
    """Numbers of the rows of a large array in which any bit is set; None where it is small."""
    if array.nbytes < LARGE:
        return None
    bits = np.ascontiguousarray(array).view(f"u{array.itemsize}").reshape(len(array), -1)
    return np.flatnonzero(bits.any(axis=1)).astype(np.int32)


class _Reader:
    """Reads arrays one after another from bytes."""

    def __init__(self, content: bytes, place: int) -> None:
        self._content, self._place = content, place

    def read_array(self, shape: list[int], kind: str, row_count: int | None) -> np.ndarray:
        """An array, of which so many rows are stored, or all."""
        if math.prod(shape) * np.dtype(kind).itemsize > MOST:
            raise ValueError(f"it declares an array of the shape {shape}")
        if row_count is None:
            return self._read(shape, kind)
        array = np.zeros(shape, kind)
        rows = self._read([row_count], "<i4")
        array[rows] = self._read([row_count, *shape[1:]], kind)
        return array

    def _read(self, shape: list[int], kind: str) -> np.ndarray:
        count = math.prod(shape)
        array = np.frombuffer(self._content, dtype=np.dtype(kind), count=count, offset=self._place).reshape(shape)
        self._place += array.nbytes
        return array


def _encode(value: Any) -> Any:
    """Plain values, tuples and bytes as JSON can hold them."""
    if isinstance(value, Mapping):
        return {name: _encode(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return {"tuple": [_encode(item) for item in value]}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    return value


def _decode(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if value.keys() == {"tuple"}:
        return tuple(map(_decode, value["tuple"]))
    if value.keys() == {"bytes"}:
        return base64.b64decode(value["bytes"])
    return {name: _decode(item) for name, item in value.items()}
