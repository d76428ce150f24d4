"""Writes a result file while the run goes on, so that it can be read whatever ends the run.

The file is written in HDF5's single-writer mode (SWMR): everything is created first, afterwards
datasets only grow, and their parts reach the file in an order that never points at something
missing. `/time` grows last, so a frame counts only once all of it is stored.

The data is not compressed: in this mode HDF5 cannot reclaim the space of a compressed chunk that is
written again, and a frame of a 128-link vehicle at a time made the file 18 times as large as the
plain data, where closing every chunk before writing it would lose seconds of a killed run.

HDF5 does not survive a failed write: closing the file fails as well, and the process crashes at its end. So after one
that failed, a full disk for example, the file is taken away from HDF5, which goes on with the null device and closes
that. The file stays as a kill at this moment would have left it.
"""

from __future__ import annotations

import json
import os
import re
import time as clock
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import h5py
import numpy as np
from numpy.typing import ArrayLike, NDArray

from grouser.errors import ResultError, say_unknown
from grouser.mesh.kept import keep_meshes
from grouser.result.claim import Claim
from grouser.result.file import FORMAT, FORMAT_VERSION, RUN, open_to_append
from grouser.result.result import Result, load_result
from grouser.result.slots import NAMES, make_slot
from grouser.surface.kept import keep_surfaces
from grouser.whole_file import save_whole

if TYPE_CHECKING:
    from grouser.model.model import Model

LIBRARY_VERSION = ("v110", "v110")
"""The first HDF5 format with SWMR, for the sake of the oldest reader."""
CHUNK_BYTES = 131072
CHUNK_FRAMES = 256
BYTES_CHUNK = 4096
"""Chunk of the two byte streams (events, end) [bytes]."""
SLOT_CHUNK = 1 << 16
"""Chunk of the slots of checkpoints [bytes]."""
MEMORY_INCREMENT = 1 << 22
"""By how much a file in memory grows at a time [bytes]."""

WRITE_ERRORS = (OSError, RuntimeError)
"""What h5py raises if a write fails: an OSError, but a RuntimeError where HDF5 had kept it back until a flush."""

EndStatus = Literal["done", "interrupted", "failed"]
_memory_file_number = count(1)


@dataclass(frozen=True)
class Block:
    """One quantity of one family of elements: becomes the dataset ``/<family>/<quantity>``.

    Attributes
    ----------
    family, quantity : for example ``body`` and ``position``
    items : names of the elements; each becomes a channel ``<item>.<quantity>``
    components : names of the components, for example ``("x", "y", "z")``; one for a scalar
    unit : unit of all items, or one for each item; where components differ, theirs divided by ", "
    frame : axes in which the components are given; empty for a scalar
    description : a phrase for people
    """

    family: str
    quantity: str
    items: tuple[str, ...]
    components: tuple[str, ...]
    unit: str | tuple[str, ...]
    frame: str = ""
    description: str = ""

    @property
    def name(self) -> str:
        """Name of the block, ``<family>/<quantity>``."""
        return f"{self.family}/{self.quantity}"

    @property
    def shape(self) -> tuple[int, int]:
        """Items and components of a frame."""
        return len(self.items), len(self.components)


class Beginning(NamedTuple):
    """Part of an earlier result with which another one begins: its first frames and events, and their checkpoint."""

    result: Result
    frame_count: int
    event_count: int
    checkpoint: bytes


class ResultWriter:
    """Creates a result file and appends frames and events to it.

    Parameters
    ----------
    path : the file (.h5 or .hdf5), or None for a result in memory. An earlier result there is replaced,
        any other file is refused, and one that another run writes to. A result that is open elsewhere keeps
        reading what it had.
    header : facts on the run that JSON can hold
    blocks : what will be written in every frame; a block without items is left out
    model : the model that is simulated, stored as JSON
    claim : on the path, if the caller holds one already, and releases it
    flush_every : frames are written to disk at most this often [s of wall time]; what a kill loses.
        Zero writes with every call.
    beginning : of an earlier result, which may stand at the same path: it is kept until this one is as long
    """

    def __init__(
        self,
        path: Path | None,
        *,
        header: Mapping[str, Any],
        blocks: Sequence[Block],
        model: Model | None = None,
        claim: Claim | None = None,
        flush_every: float = 0.5,
        beginning: Beginning | None = None,
    ):
        self.path = None if path is None else Path(path)
        self.flush_every = flush_every
        self._all_blocks = {block.name: block for block in blocks}
        self._blocks = {name: block for name, block in self._all_blocks.items() if block.items}
        self._frame_count = 0
        self._last_time = -np.inf
        self._last_flush = -np.inf
        self._pending: list[tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]] = []
        self._is_finished = False
        _check_blocks(blocks)
        self._model = model
        stored = _StoredModel()
        if model:
            stored = _StoredModel(model.model_dump_json(), keep_meshes(model.meshes), keep_surfaces(model))
        self._claim = Claim(self.path) if claim is None else None
        try:
            self._file = _create(self.path, dict(header), stored, list(self._blocks.values()), beginning)
        except BaseException:
            self._release()
            raise
        if self.path is not None:
            self._descriptor = int(self._file.id.get_vfd_handle())
            self._identity = os.fstat(self._descriptor)
        self._datasets = {name: self._file[name] for name in self._blocks}
        self._time = self._file["time"]
        self._events = self._file[f"{RUN}/events"]
        self._end = self._file[f"{RUN}/end"]
        self._slots = [self._file[f"{RUN}/{name}"] for name in NAMES]
        self._checkpoint_count = 0 if beginning is None else 1
        self.event_count = 0 if beginning is None else beginning.event_count
        if beginning is not None:
            self._frame_count, self._last_time = beginning.frame_count, float(self._time[beginning.frame_count - 1])

    @property
    def frame_count(self) -> int:
        """Frames handed over so far."""
        return self._frame_count + sum(len(time) for time, _ in self._pending)

    def add_frames(self, time: ArrayLike, values: Mapping[str, ArrayLike]) -> None:
        """Append frames.

        Parameters
        ----------
        time : shape (m,), increasing [s]
        values : an array of shape (m, items, components) for each ``family/quantity``; the arrays are
            copied and may be used again by the caller
        """
        self._check_open()
        frame_times = np.array(time, dtype=float, ndmin=1)
        self._check_time(frame_times)
        missing = sorted(self._blocks.keys() - values.keys())
        if missing:
            raise ResultError(f"frames without the blocks {', '.join(missing)}: hand over every block")
        frames = {}
        for name, value in values.items():
            if name in self._blocks:
                frames[name] = self._check_values(name, np.array(value, dtype=float), len(frame_times))
            elif name not in self._all_blocks:
                raise ResultError(say_unknown("block", name, self._all_blocks))
        self._pending.append((frame_times, frames))
        self._last_time = float(frame_times[-1])
        if clock.monotonic() - self._last_flush >= self.flush_every:
            self.flush()

    def add_event(self, time: float, kind: str, element: str, message: str) -> None:
        """Append an event: time [s], machine-readable kind, name of the element, sentence for people."""
        self._check_open()
        event = {"time": float(time), "kind": kind, "element": element, "message": message}
        self._append_line(self._events, event)
        self.event_count += 1

    def add_checkpoint(self, content: bytes) -> None:
        """Store from where the run can go on, after the frames that belong before it."""
        self.flush()
        slot = self._slots[self._checkpoint_count % len(self._slots)]
        self._checkpoint_count += 1
        stored = np.frombuffer(make_slot(self._checkpoint_count, content), dtype=np.uint8)
        try:
            if slot.shape[0] < len(stored):
                slot.resize(len(stored), axis=0)
            slot[: len(stored)] = stored
            slot.flush()
        except WRITE_ERRORS as error:
            raise self._give_up(error) from error

    def flush(self) -> None:
        """Bring every frame handed over so far to the file."""
        self._check_open()
        if not self._pending:
            return
        time = np.concatenate([times for times, _ in self._pending])
        start, stop = self._frame_count, self._frame_count + len(time)
        try:
            for name, dataset in self._datasets.items():
                dataset.resize(stop, axis=0)
                dataset[start:stop] = np.concatenate([frames[name] for _, frames in self._pending])
            for dataset in self._datasets.values():
                dataset.flush()
            # only now: a frame exists for a reader once its time does
            self._time.resize(stop, axis=0)
            self._time[start:stop] = time
            self._time.flush()
        except WRITE_ERRORS as error:
            raise self._give_up(error) from error
        self._frame_count = stop
        self._pending.clear()
        self._last_flush = clock.monotonic()

    def make_view(self) -> Result:
        """The result so far, to read while the run goes on; it ends with `finish`."""
        self.flush()
        return Result(self._file, self.path, self._model)

    def finish(self, status: EndStatus, message: str = "", summary: Mapping[str, Any] | None = None) -> Result:
        """Store how the run ended, close the file and open it as a result.

        Parameters
        ----------
        status : ``done``, ``interrupted`` (by the user) or ``failed``
        message : why, for people
        summary : numbers on the run that JSON can hold
        """
        self.flush()
        self._append_line(self._end, {"status": status, "message": message, "summary": dict(summary or {})})
        self._is_finished = True
        if self.path is None:
            return Result(self._file, None, self._model)
        self._close_file()
        if not (self.path.exists() and os.path.samestat(self._identity, self.path.stat())):
            raise ResultError(f"result file {self.path} was moved, removed or replaced by others while the run went on")
        return load_result(self.path)

    def close(self) -> None:
        """Store what was handed over and let the file go; unless it was finished, nothing says how the run ended."""
        if self._is_finished:
            return
        self.flush()
        self._is_finished = True
        self._close_file()

    def __enter__(self) -> ResultWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _append_line(self, stream: Any, content: dict[str, Any]) -> None:
        """Append a line of JSON to a stream of bytes and flush it."""
        line = np.frombuffer((json.dumps(content) + "\n").encode(), dtype=np.uint8)
        start = stream.shape[0]
        try:
            stream.resize(start + len(line), axis=0)
            stream[start:] = line
            stream.flush()
        except WRITE_ERRORS as error:
            raise self._give_up(error) from error

    def _check_open(self) -> None:
        if self._is_finished:
            raise ResultError("the result is finished: frames and events cannot be added to it any more")

    def _check_time(self, time: NDArray[np.float64]) -> None:
        if time.ndim != 1 or len(time) == 0:
            raise ResultError(f"times of frames have shape {time.shape}, expected (frames,) and at least one")
        if not np.all(np.diff(time, prepend=self._last_time) > 0):
            raise ResultError(
                f"times of frames must increase: {time[0]:g} s to {time[-1]:g} s after {self._last_time:g} s"
            )

    def _check_values(self, name: str, value: NDArray[np.float64], frames: int) -> NDArray[np.float64]:
        expected = (frames, *self._blocks[name].shape)
        if expected[2] == 1 and value.shape == expected[:2]:
            value = value[:, :, np.newaxis]
        if value.shape != expected:
            raise ResultError(
                f"block {name!r} has shape {value.shape}, expected {expected} (frames, items, components)"
            )
        return value

    def _close_file(self) -> None:
        """Close the file and let others write to it."""
        try:
            self._file.flush()
            self._file.close()
        except WRITE_ERRORS as error:
            raise self._give_up(error) from error
        self._release()

    def _give_up(self, error: OSError | RuntimeError) -> ResultError:
        """Take the file away from HDF5 after a write that failed; gives the error to raise."""
        self._is_finished = True
        if self.path is not None and os.path.samestat(self._identity, os.fstat(self._descriptor)):
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, self._descriptor)
            os.close(null)
        self._file.close()
        self._release()
        reason = re.search(r"error message = '([^']+)'", str(error))
        return ResultError(
            f"result file {self.path} cannot be written any more ({reason[1] if reason else error}): look for a full "
            "disk; what had been stored before can still be read, and 'grouser run --resume' goes on with it"
        )

    def _release(self) -> None:
        """Let others write to the file, where the claim is one's own."""
        if self._claim is not None:
            self._claim.release()


def _check_blocks(blocks: Sequence[Block]) -> None:
    """Refuse blocks that would give two channels one name."""
    seen: dict[str, str] = {}
    for block in blocks:
        if block.family in (RUN, "time"):
            raise ResultError(f"block {block.name!r}: the family name {block.family!r} is taken by the file")
        if isinstance(block.unit, tuple) and len(block.unit) != len(block.items):
            raise ResultError(f"block {block.name!r} has {len(block.items)} items, but {len(block.unit)} units")
        for item in block.items:
            channel = f"{item}.{block.quantity}"
            if channel in seen:
                raise ResultError(f"channel {channel!r} occurs twice: in {seen[channel]!r} and {block.name!r}")
            seen[channel] = block.name


class _StoredModel(NamedTuple):
    """A model as it is stored: JSON, and the meshes and surfaces of its files (`grouser.mesh.kept`,
    `grouser.surface.kept`)."""

    text: str = ""
    meshes: bytes = b""
    surfaces: bytes = b""


def _create(
    path: Path | None, header: dict[str, Any], model: _StoredModel, blocks: list[Block], beginning: Beginning | None
) -> h5py.File:
    """Create the file with all datasets, empty or with a beginning, ready to append."""
    if path is None:
        name = f"grouser-result-{next(_memory_file_number)}"
        file = h5py.File(name, "w", driver="core", backing_store=False, block_size=MEMORY_INCREMENT)
        _create_layout(file, header, model, blocks)
        return file
    if beginning is not None:
        with (
            save_whole(path, "result file") as draft,
            h5py.File(draft, "w", libver=LIBRARY_VERSION) as file,
        ):
            _create_layout(file, header, model, blocks)
            _copy_beginning(file, blocks, beginning)
        return open_to_append(path.resolve())
    # made in memory and moved to its place: the earlier result survives until this one is readable, and may be open
    # meanwhile
    with h5py.File("draft", "w", driver="core", backing_store=False, libver=LIBRARY_VERSION) as file:
        _create_layout(file, header, model, blocks)
        file.flush()
        image = file.id.get_file_image()
    with save_whole(path, "result file") as draft:
        draft.write_bytes(image)
    return open_to_append(path.resolve())


def _create_layout(file: h5py.File, header: dict[str, Any], model: _StoredModel, blocks: list[Block]) -> None:
    file.attrs["format"] = FORMAT
    file.attrs["format_version"] = FORMAT_VERSION
    file.attrs["grouser_version"] = str(header.get("grouser_version", ""))
    text = h5py.string_dtype()
    run = file.create_group(RUN)
    run.create_dataset("model", data=model.text, dtype=text)
    for name, kept in (("meshes", model.meshes), ("surfaces", model.surfaces)):
        if kept:
            run.create_dataset(name, data=np.frombuffer(kept, dtype=np.uint8))
    run.create_dataset("header", data=json.dumps(header), dtype=text)
    for name, meaning in (
        ("events", "events of the run, a line of JSON each"),
        ("end", "how the run ended, as JSON; empty while it goes on and after a kill"),
        *((name, "from where the run can go on; see grouser.result.slots") for name in NAMES),
    ):
        chunk = SLOT_CHUNK if name in NAMES else BYTES_CHUNK
        stream = run.create_dataset(name, shape=(0,), maxshape=(None,), chunks=(chunk,), dtype=np.uint8, fillvalue=0)
        stream.attrs["description"] = meaning
    time = file.create_dataset("time", shape=(0,), maxshape=(None,), chunks=(1024,), dtype=float, fillvalue=np.nan)
    time.attrs["unit"] = "s"
    for block in blocks:
        frames = max(1, min(CHUNK_FRAMES, CHUNK_BYTES // (8 * block.shape[0] * block.shape[1])))
        dataset = file.create_dataset(
            block.name,
            shape=(0, *block.shape),
            maxshape=(None, *block.shape),
            chunks=(frames, *block.shape),
            dtype=float,
            fillvalue=np.nan,
        )
        dataset.attrs["components"] = list(block.components)
        dataset.attrs["frame"] = block.frame
        dataset.attrs["description"] = block.description
        run.create_dataset(f"items/{block.name}", data=list(block.items), dtype=text)
        if isinstance(block.unit, tuple):
            dataset.attrs["unit"] = "by item"
            run.create_dataset(f"units/{block.name}", data=list(block.unit), dtype=text)
        else:
            dataset.attrs["unit"] = block.unit


def _copy_beginning(file: h5py.File, blocks: list[Block], beginning: Beginning) -> None:
    """Copy frames and events of an earlier result, and their checkpoint."""
    first = beginning.result.with_frames(slice(0, beginning.frame_count))
    names = [block.name for block in blocks]
    for name in ("time", *names):
        file[name].resize(beginning.frame_count, axis=0)
    file["time"][:] = first.time
    done = 0
    for part in first.split_frames():
        stop = done + len(part.time)
        for name in names:
            file[name][done:stop] = part.block(name)[0]
        done = stop
    events = [json.dumps(asdict(event)) + "\n" for event in first.events[: beginning.event_count]]
    for name, content in (("events", "".join(events).encode()), (NAMES[0], make_slot(1, beginning.checkpoint))):
        stream = file[f"{RUN}/{name}"]
        stream.resize(len(content), axis=0)
        stream[:] = np.frombuffer(content, dtype=np.uint8)
