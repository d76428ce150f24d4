"""The file of a result: opening it, and reading from it.

Layout of the file: `/time` (frames,); `/<family>/<quantity>` (frames, items, components) with the
attributes unit, frame, components and description; `/run` holds the header, the model, the events,
how the run ended, and the names of the items.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from grouser.errors import GrouserError, ResultError
from grouser.result.channels import ChannelInfo
from grouser.result.unfinished import UnfinishedFile, is_unfinished

FORMAT = "grouser-result"
FORMAT_VERSION = 1
"""Raised whenever an older program could not read a newer file."""
RUN = "run"
"""Group of everything that is not a channel."""
CACHE_BYTES, CACHE_SLOTS = 1 << 19, 101
"""What HDF5 keeps of each block [bytes], and at how many places: a few chunks, which are written and read in order. By
itself it keeps up to 8 MB of each of some sixty blocks."""
STRETCH_BYTES = 1 << 22
"""How much of a block is read at a time [bytes]."""
SPARSE = 8
"""Frames of which fewer than one in so many are wanted are read one by one."""

Array = NDArray[np.float64]


def open_file(path: Path) -> h5py.File:
    """Open a result file for reading and check that it is one."""
    if not path.exists():
        raise ResultError(f"result file {path} does not exist")
    if path.is_dir():
        raise ResultError(f"result file {path} is a folder: give the name of the .h5 file")
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
            return {
                f"{family}/{quantity}": tuple(items.asstr()[:])
                for family, group in families.items()
                for quantity, items in group.items()
            }

    @cached_property
    def frame_count(self) -> int:
        """Frames of which every block is stored; a killed run may have begun one more."""
        with self.reading():
            lengths = [self._file[name].shape[0] for name in self.layout]
        time = self.read("time")
        is_good = np.isfinite(time) & (np.diff(time, prepend=-np.inf) > 0)
        stored = len(time) if is_good.all() else int(np.argmin(is_good))
        return min([stored, *lengths])

    def read_channels(self) -> dict[str, ChannelInfo]:
        """Every channel by name, ``<element>.<quantity>``."""
        found = {}
        for block, items in self.layout.items():
            with self.reading():
                attributes = dict(self._file[block].attrs)
                units = [str(attributes["unit"])] * len(items)
                if f"units/{block}" in self._file[RUN]:
                    units = list(self._file[f"{RUN}/units/{block}"].asstr()[:])
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

    def read_lines(self, name: str) -> list[dict[str, Any]]:
        """Lines of JSON from a stream of bytes of the group of the run; a line that a kill cut short is left out."""
        with self.reading():
            lines = self.read(f"{RUN}/{name}").tobytes().split(b"\n")[:-1]
            return [json.loads(line) for line in lines if line.endswith(b"}")]
