"""Checkpoints: from where a run can go on, whatever has ended it.

A checkpoint is a snapshot, what the frames before it have left, and how the run is made. As bytes it is a line of JSON,
with the names, shapes and types of its arrays, followed by the arrays.
"""

from __future__ import annotations

import base64
import json
import time as clock
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from typing import Any

import numpy as np

from grouser._version import __version__
from grouser.compile.accuracy import AccurateStep
from grouser.formulations.observe import Energies, Note
from grouser.method import make_method
from grouser.run import Run
from grouser.snapshot import Snapshot

EVERY = 1.0
"""Simulated time between two checkpoints [s], at least."""
SHARE = 0.01
"""Share of the time of a run that checkpoints may take: where they would take more, there are fewer."""


class Checkpoints:
    """Decides when a run stores from where it can go on."""

    def __init__(self, run: Run) -> None:
        self._run, self._stored = run, run.stepper.time
        self._began, self._spent = clock.perf_counter(), 0.0

    def look(self) -> None:
        """After a frame: store a checkpoint where one is due."""
        if self._run.done > 1 and self._run.stepper.time - self._stored < EVERY * (1.0 - 1e-9):
            return  # the first frame has one in any case
        if self._spent <= SHARE * (clock.perf_counter() - self._began):
            self.store()

    def store(self) -> None:
        """Store a checkpoint of the last frame."""
        began = clock.perf_counter()
        self._run.queue.flush()
        if self._run.queue.openings.apart is None:
            self._run.writer.add_checkpoint(make_checkpoint(self._run))
        self._stored = self._run.stepper.time
        self._spent += clock.perf_counter() - began


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
        "arrays": [[name, array.shape, array.dtype.str] for name, array in arrays.items()],
    }
    return b"".join([json.dumps(head).encode(), b"\n", *(array.tobytes() for array in arrays.values())])


def load_checkpoint(content: bytes) -> Checkpoint:
    """A checkpoint from its bytes."""
    line, _, _ = content.partition(b"\n")
    head, place = json.loads(line), len(line) + 1
    arrays = {}
    for name, shape, kind in head.pop("arrays"):
        count = int(np.prod(shape, dtype=int))
        arrays[name] = np.frombuffer(content, dtype=np.dtype(kind), count=count, offset=place).reshape(shape)
        place += arrays[name].nbytes
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
