"""The file of a result: opening it, and reading from it.

Layout of the file: `/time` (frames,); `/<family>/<quantity>` (frames, items, components) with the
attributes unit, frame, components and description; `/run` holds the header, the model, the events,
how the run ended, and the names of the items.
"""

from __future__ import annotations

import json
import os
import stat
import time as clock
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from grouser.errors import GrouserError, ResultError, shorten
from grouser.result.bounds import RUN, check_content
from grouser.result.channels import ChannelInfo
from grouser.result.unfinished import UnfinishedFile, is_unfinished

FORMAT = "grouser-result"
FORMAT_VERSION = 1
"""Raised whenever an older program could not read a newer file."""
CACHE_BYTES, CACHE_SLOTS = 1 << 19, 101
"""What HDF5 keeps of each block [bytes], and at how many places: a few chunks, which are written and read in order. By
itself it keeps up to 8 MB of each of some sixty blocks."""
STRETCH_BYTES = 1 << 22
"""How much of a block is read at a time [bytes]."""
SPARSE = 8
"""Frames of which fewer than one in so many are wanted are read one by one."""
LOOK = 1.0
"""How long to wait for whoever looks at a file that is to be written to [s]."""

Array = NDArray[np.float64]


def open_file(path: Path) -> h5py.File:
    """Open a result file for reading and check that it is one."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise ResultError(f"result file {path} does not exist") from None
    except (OSError, ValueError) as error:
        raise ResultError(f"result file {shorten(ascii(str(path)), 200)} cannot be read: {error}") from None
    if stat.S_ISDIR(mode):
        raise ResultError(f"result file {path} is a folder: give the name of the .h5 file")
    if not stat.S_ISREG(mode):
        raise ResultError(f"result file {path} is a device, a pipe or a socket: give the name of a regular .h5 file")
    try:
        if not h5py.is_hdf5(path):
            raise ResultError(f"{path} is not a result file: it is not HDF5, or was cut off at the start")
        place = UnfinishedFile(path) if is_unfinished(path) else path
        file = h5py.File(place, "r", rdcc_nbytes=CACHE_BYTES, rdcc_nslots=CACHE_SLOTS)
        kind, version = file.attrs.get("format"), file.attrs.get("format_version")
    except GrouserError:
        raise
    # a damaged file makes h5py raise almost anything, from KeyError to UnicodeDecodeError
    except Exception as error:
        reason = "it is truncated" if "truncated" in str(error) else str(error)
        raise ResultError(f"result file {path} cannot be read: {reason}; copy it again, or repeat the run") from error
    if kind != FORMAT or version is None or version > FORMAT_VERSION:
        file.close()
        if kind != FORMAT:
            raise ResultError(f"{path} is an HDF5 file, but not a grouser result")
        raise ResultError(
            f"result file {path} has format {version}, this version reads up to {FORMAT_VERSION}: update grouser"
        )
    try:
        check_content(file, path)
    except Exception as error:  # as above
        file.close()
        raise ResultError(f"result file {path} cannot be read: {error}; copy it again, or repeat the run") from error
    return file


class ResultFile:
    """An open file from which a result is read.

    Attributes
    ----------
    path : where it is, or None in memory
    """

    def __init__(self, file: h5py.File, path: Path | None):
        self._file = file
        self.path = path

    def __bool__(self) -> bool:
        """Whether it is open."""
        return bool(self._file)

    def close(self) -> None:
        """Free the file."""
        self._file.close()

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return f"result file {self.path}" if self.path else "the result in memory"

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Within it whatever goes wrong is told as a fault of the file."""
        if not self._file:
            raise ResultError(f"{self.name} is closed: read it before closing, or load it again")
        try:
            yield
        except GrouserError:
            raise
        except Exception as error:  # as above: a damaged file makes h5py raise almost anything
            raise ResultError(f"{self.name} is damaged ({error}): copy it again, or repeat the run") from error

    @cached_property
    def layout(self) -> dict[str, tuple[str, ...]]:
        """Items of every block, by the block's name."""
        with self.reading():
            families = self._file[f"{RUN}/items"] if "items" in self._file[RUN] else {}
            layout = {
                f"{family}/{quantity}": self._read_names(f"{RUN}/items/{family}/{quantity}")
                for family, group in families.items()
                for quantity in group
            }
            for name, items in layout.items():
                self._check_block(name, len(items))
            return layout

    def _read_names(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        names = self._file[name]
        if names.ndim != 1 or h5py.check_string_dtype(names.dtype) is None:
            raise ResultError(
                f"{self.name} is damaged: {name} is of shape {names.shape} and type {names.dtype}, and "
                "should be a list of texts"
            )
        return tuple(names.asstr()[:])

    def _check_block(self, name: str, count: int) -> None:
        """Refuse a block that does not hold numbers of the shape (frames, items, components) for its items."""
        block = self._file[name]
        expected = (count, len(block.attrs["components"]))
        if block.dtype != np.float64 or block.ndim != 3 or block.shape[1:] != expected:
            raise ResultError(
                f"{self.name} is damaged: {name} is of shape {block.shape} and type {block.dtype}, and should hold "
                f"numbers of the shape (frames, {expected[0]}, {expected[1]})"
            )

    @cached_property
    def frame_count(self) -> int:
        """Frames of which every block is stored; a killed run may have begun one more."""
        with self.reading():
            lengths = [self._file[name].shape[0] for name in self.layout]
        time = self.read("time")
        if time.ndim != 1 or time.dtype != np.float64:
            raise ResultError(f"{self.name} is damaged: the times of its frames are no list of numbers")
        is_good = np.isfinite(time) & (np.diff(time, prepend=-np.inf) > 0)
        stored = len(time) if is_good.all() else int(np.argmin(is_good))
        return min([stored, *lengths])

    def read_channels(self) -> dict[str, ChannelInfo]:
        """Every channel by name, ``<element>.<quantity>``."""
        found = {}
        for block, items in self.layout.items():
            with self.reading():
                attributes = dict(self._file[block].attrs)
                units = (str(attributes["unit"]),) * len(items)
                if f"units/{block}" in self._file[RUN]:
                    units = self._read_names(f"{RUN}/units/{block}")
                if len(units) != len(items):
                    raise ResultError(f"{self.name} is damaged: {block} has {len(items)} items and {len(units)} units")
                components = tuple(str(name) for name in attributes["components"])
                frame, description = str(attributes["frame"]), str(attributes["description"])
            quantity = block.split("/")[1]
            for index, (item, unit) in enumerate(zip(items, units, strict=True)):
                found[f"{item}.{quantity}"] = ChannelInfo(unit, frame, components, description, block, index)
        return found

    def read(self, name: str, selection: Any = ()) -> Array:
        """What a dataset holds, or a selection of it."""
        with self.reading():
            return np.asarray(self._file[name][selection])

    def gather(self, name: str, frames: slice | NDArray[np.int64], columns: Any) -> Array:
        """Columns of a block in some frames. Of all others no more than a stretch is in memory meanwhile."""
        with self.reading():
            _, items, components = self._file[name].shape
        stretch = max(1, STRETCH_BYTES // (8 * items * components))
        numbers = np.arange(frames.start, frames.stop) if isinstance(frames, slice) else frames
        width = len(np.arange(items)[columns])
        values = np.empty((len(numbers), width, components))
        done = 0
        while done < len(numbers):
            first = int(numbers[done])
            count = int(np.searchsorted(numbers, first + stretch)) - done
            span = int(numbers[done + count - 1]) + 1 - first
            if count * SPARSE > span:
                whole = self.read(name, slice(first, first + span))
                values[done : done + count] = whole[numbers[done : done + count] - first][:, columns]
            else:
                for place in range(done, done + count):
                    values[place] = self.read(name, int(numbers[place]))[columns]
            done += count
        return values

    def read_text(self, name: str) -> str:
        """A text of the group of the run."""
        with self.reading():
            return str(self._file[f"{RUN}/{name}"].asstr()[()])

    def read_bytes(self, name: str) -> bytes:
        """A stream of bytes of the group of the run; empty where there is none."""
        with self.reading():
            place = f"{RUN}/{name}"
            return self.read(place).astype(np.uint8).tobytes() if place in self._file else b""

    def read_lines(self, name: str) -> list[dict[str, Any]]:
        """Lines of JSON from a stream of bytes of the group of the run; a line that a kill cut short is left out."""
        with self.reading():
            lines = self.read(f"{RUN}/{name}").tobytes().split(b"\n")[:-1]
            return [json.loads(line) for line in lines if line.startswith(b"{") and line.endswith(b"}")]


def open_to_append(path: Path) -> h5py.File:
    """Open in SWMR mode at once: h5py's own way passes through a state in which a kill locks the file.

    Whoever looks at the file in this moment locks it, as a run does that finds out that this one writes it: that is
    waited for.
    """
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_V110)
    access.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
    access.set_cache(0, CACHE_SLOTS, CACHE_BYTES, 0.75)
    flags = h5py.h5f.ACC_RDWR | h5py.h5f.ACC_SWMR_WRITE
    until = clock.monotonic() + LOOK
    while True:
        try:
            return h5py.File(h5py.h5f.open(os.fsencode(path), flags, access))
        except BlockingIOError:
            if clock.monotonic() > until:
                raise
            clock.sleep(0.01)
