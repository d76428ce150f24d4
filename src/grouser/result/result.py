"""The result of a run: named channels with units, read from the file when they are asked for."""

from __future__ import annotations

import copy
import html
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np
from numpy.typing import NDArray

from grouser.errors import ModelError, ResultError, check_path, say_unknown
from grouser.model.rotation import quaternion_to_matrix
from grouser.notebook_page import make_page
from grouser.result.channels import ChannelInfo, find_names, get_info, list_names, split_name
from grouser.result.file import Array, ResultFile, open_file
from grouser.result.stored import StoredEnd, StoredEvent, StoredHeader, StoredSummary, check_stored

if TYPE_CHECKING:
    import pandas
    import xarray

    from grouser.model.model import Model


MOST_AT_ONCE = 1 << 16
"""Frames times items of the largest family that are worked on together."""
OF_FRAMES = ("time", "main_position", "main_rotation")
"""What is kept of a result and depends on its frames."""


@dataclass(frozen=True)
class Event:
    """Something that happened in a run: time [s], machine-readable kind, name of the element, sentence."""

    time: float
    kind: str
    element: str
    message: str


class Result:
    """A run that was stored. Made by `load_result` and by the simulation; nothing in it can be changed.

    ``result["chassis.position"]`` is an array of shape (frames, components), or (frames,) for a scalar;
    ``result["chassis.position.x"]`` is one component, (frames,).
    Arrays are read when asked for. Close it, or use it in a ``with`` statement, to free the file.
    """

    def __init__(self, file: h5py.File, path: Path | None, model: Model | None = None):
        self._file = ResultFile(file, path)
        self._given_model = model
        self.path = path
        self._picked: slice | NDArray[np.int64] | None = None
        self._places: dict[str, dict[str, int]] = {}

    def with_frames(self, frames: slice | NDArray[np.int64]) -> Result:
        """The same result as if only some of its frames had been stored; they are named by number, in order."""
        part = copy.copy(self)
        numbers = np.arange(len(self.time))[frames]
        part.__dict__ = {name: value for name, value in self.__dict__.items() if name not in OF_FRAMES}
        if not isinstance(self._frames, slice):
            part._picked = self._frames[numbers]
        elif len(numbers) and numbers[-1] - numbers[0] == len(numbers) - 1:
            part._picked = slice(self._frames.start + int(numbers[0]), self._frames.start + int(numbers[-1]) + 1)
        else:
            part._picked = self._frames.start + numbers
        part._given_model = self.model
        return part

    def split_frames(self) -> Iterator[Result]:
        """The result in parts that follow each other, each with so few frames that all of it fits into memory."""
        most = max((len(items) for items in self._file.layout.values()), default=1)
        count = max(1, MOST_AT_ONCE // most)
        for start in range(0, len(self.time), count):
            yield self.with_frames(slice(start, start + count))

    @property
    def _frames(self) -> slice | NDArray[np.int64]:
        """Numbers of the frames in the file."""
        return slice(0, self._file.frame_count) if self._picked is None else self._picked

    @cached_property
    def header(self) -> Mapping[str, Any]:
        """Facts on the run: version, model, preset, formulation, step, settings."""
        with self._file.reading():
            content = json.loads(self._file.read_text("header"))
            return MappingProxyType(check_stored(StoredHeader, content, f"the header of {self._file.name}"))

    @cached_property
    def model(self) -> Model:
        """The model that was simulated."""
        if self._given_model:
            return self._given_model
        from grouser.mesh.kept import restore_meshes
        from grouser.model.model import Model
        from grouser.surface.kept import restore_surfaces

        text = self._file.read_text("model")
        if not text:
            raise ResultError(f"{self._file.name} holds no model")
        try:
            data = json.loads(text)
            restore_meshes(data.get("meshes", {}), self._file.read_bytes("meshes"))
            restore_surfaces(data, self._file.read_bytes("surfaces"))
            return Model.model_validate(data)
        except (ModelError, ValueError, RecursionError) as error:
            raise ResultError(f"{self._file.name} holds a model that cannot be read: {error}") from error

    @cached_property
    def model_yaml(self) -> str:
        """The model that was simulated, as the text of a model file."""
        from grouser.model.schema import dump_model

        return dump_model(self.model)

    @cached_property
    def main_body(self) -> str:
        """The body that speaks for the whole: the model's main body, or its first.

        Without bodies it is the first point, or the first node of the first mesh.
        """
        model = self.model
        if model.main_body or model.bodies or model.points:
            return model.main_body or next(iter(model.bodies or model.points))
        return f"{next(iter(model.meshes))}.0"

    @cached_property
    def _end(self) -> dict[str, Any]:
        with self._file.reading():
            lines = self._file.read_lines("end")
            end = {"status": "partial", "message": "", "summary": {}, **(lines[-1] if lines else {})}
            check_stored(StoredEnd, end, f"the end of {self._file.name}")
            check_stored(StoredSummary, end["summary"], f"the summary of {self._file.name}")
            return end

    @property
    def status(self) -> str:
        """``done``, ``interrupted``, ``failed``, or ``partial`` if the run never said that it ended."""
        return str(self._end["status"])

    @property
    def message(self) -> str:
        """Why the run ended, for people."""
        return str(self._end["message"])

    @property
    def summary(self) -> Mapping[str, Any]:
        """Numbers that were stored when the run ended; empty for a partial result."""
        return MappingProxyType(self._end["summary"])

    @cached_property
    def events(self) -> list[Event]:
        """What happened, as told by the simulation."""
        with self._file.reading():
            what = f"an event of {self._file.name}"
            return [Event(**check_stored(StoredEvent, line, what)) for line in self._file.read_lines("events")]

    @cached_property
    def time(self) -> Array:
        """Time of the frames [s], shape (frames,)."""
        time = self._file.read("time")[self._frames]
        time.flags.writeable = False
        return time

    @cached_property
    def channels(self) -> Mapping[str, ChannelInfo]:
        """Every channel by name, ``<element>.<quantity>``."""
        return MappingProxyType(self._file.read_channels())

    def __getitem__(self, name: str) -> Array:
        """Values of a channel, shape (frames, components), or (frames,) for a scalar or a single component."""
        channel, component = split_name(self.channels, *list_names([name]))
        info = self.get_info(channel)
        values = self._file.gather(info.block, self._frames, [info.index])[:, 0]
        return values[:, 0] if info.is_scalar else values if component is None else values[:, component]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and split_name(self.channels, name)[0] in self.channels

    def get_info(self, channel: str) -> ChannelInfo:
        """What a channel holds; an unknown name is answered with the nearest ones."""
        return get_info(self.channels, channel)

    def has_block(self, name: str) -> bool:
        """Whether the block ``family/quantity`` was stored."""
        return name in self._file.layout

    def list_items(self, name: str) -> tuple[str, ...]:
        """Names of the items of the block ``family/quantity``."""
        if name not in self._file.layout:
            raise ResultError(say_unknown("block", name, self._file.layout))
        return self._file.layout[name]

    def block(self, name: str, items: Sequence[str] | None = None) -> tuple[Array, tuple[str, ...]]:
        """All items of a family at once.

        Parameters
        ----------
        name : ``family/quantity``, for example ``body/position``
        items : which of them, in this order; by default all

        Returns
        -------
        values of shape (frames, items, components), and the names of the items
        """
        stored = self.list_items(name)
        if items is None:
            return self._file.gather(name, self._frames, slice(None)), stored
        # parts of a result share it: a block may have very many items
        if name not in self._places:
            self._places[name] = {item: i for i, item in enumerate(stored)}
        index = self._places[name]
        unknown = [item for item in items if item not in index]
        if unknown:
            raise ResultError(say_unknown(f"item of block {name}", unknown[0], index))
        return self._file.gather(name, self._frames, [index[item] for item in items]), tuple(items)

    def find_channels(self, names: str | Iterable[str] | None = None) -> list[str]:
        """Names of channels from names and patterns (``left.*.tension``); None gives all of them."""
        return find_names(self.channels, names)

    def read(self, channels: str | Iterable[str] | None = None) -> dict[str, Array]:
        """Values of several channels, by name or pattern; reads each block of the file only once."""
        values: dict[str, Array] = dict.fromkeys(self.find_channels(channels), np.empty(0))
        for block in dict.fromkeys(self.channels[name].block for name in values):
            names = [name for name in values if self.channels[name].block == block]
            gathered = self._file.gather(block, self._frames, [self.channels[name].index for name in names])
            for place, name in enumerate(names):
                values[name] = gathered[:, place, 0 if self.channels[name].is_scalar else slice(None)]
        return values

    def read_columns(self, names: str | Iterable[str] | None = None) -> dict[str, tuple[str, Array]]:
        """Unit and values (frames,) of every component, by its name: ``chassis.position.x``, or that of a scalar.

        Parameters
        ----------
        names : channels, patterns, or single components; by default all channels
        """
        wanted = list(self.channels) if names is None else list_names(names)
        split = {name: split_name(self.channels, name) for name in wanted}
        whole = self.read([channel for channel, _ in split.values()])
        columns: dict[str, tuple[str, Array]] = {}
        for name, (channel, number) in split.items():
            for found in [channel] if number is not None else self.find_channels(name):
                info, values = self.channels[found], whole[found]
                if info.is_scalar:
                    columns[found] = (info.unit, values)
                    continue
                for i, (component, unit) in enumerate(zip(info.components, info.component_units, strict=True)):
                    if number in (None, i):
                        columns[f"{found}.{component}"] = (unit, values[:, i])
        return columns

    def read_bytes(self, name: str) -> bytes:
        """A stream of bytes of the group of the run; empty where there is none."""
        return self._file.read_bytes(name)

    def calc_rotations(self, bodies: Sequence[str]) -> Array:
        """Rotation matrices from the bodies' axes to the world's, shape (frames, bodies, 3, 3)."""
        quaternion, _ = self.block("body/orientation", bodies)
        with np.errstate(all="ignore"):  # a body of a run that diverged may have none at all
            return quaternion_to_matrix(quaternion)

    @cached_property
    def main_position(self) -> Array:
        """Origin of the main body in every frame, world axes, (frames, 3) [m]."""
        return _freeze(self[f"{self.main_body}.position"])

    @cached_property
    def main_rotation(self) -> Array:
        """Rotation matrix from the main body's axes to the world's in every frame, (frames, 3, 3)."""
        if self.main_body not in self.model.bodies:
            return _freeze(np.tile(np.eye(3), (len(self.time), 1, 1)))
        return _freeze(self.calc_rotations([self.main_body])[:, 0])

    @property
    def main_com(self) -> Array:
        """Centre of mass of the main body in its frame, (3,) [m]."""
        body = self.model.bodies.get(self.main_body)
        return np.zeros(3) if body is None else np.array(body.com)

    def to_pandas(
        self,
        channels: str | Iterable[str] | None = None,
        *,
        time_as_index: bool = True,
        with_units: bool = False,
    ) -> pandas.DataFrame:
        """A table with one column per component, ``chassis.position.x``; units in ``attrs["units"]``.

        Parameters
        ----------
        channels : channels, patterns, or single components; by default all channels
        time_as_index : the time is the index, else the first column
        with_units : units stand in the names, ``chassis.position.x [m]``, just as in a CSV file
        """
        from grouser.result.export import make_table

        return make_table(self, channels, time_as_index=time_as_index, with_units=with_units)

    def to_xarray(self, channels: str | Iterable[str] | None = None) -> xarray.Dataset:
        """A dataset with one variable per channel; unit and frame in the attributes of each."""
        from grouser.result.export import make_dataset

        return make_dataset(self, channels)

    def close(self) -> None:
        """Free the file; what was read before stays."""
        self._file.close()

    def __enter__(self) -> Result:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def say_facts(self) -> dict[str, str]:
        """What the result is, how the run ended, and how much it holds, by name."""
        end = f" to {self.time[-1]:g} s" if len(self.time) else ""
        doubts = len(self.summary.get("doubts", ()))
        facts = {
            "doubts": str(doubts) if doubts else "",
            "model": str(self.header.get("model_name", "")),
            "preset": str(self.header.get("preset", "")),
            "status": self.status + (f" ({self.message})" if self.message else ""),
            "frames": f"{len(self.time)}{end}",
            "channels": str(len(self.channels)),
            "events": str(len(self.events)),
            "file": str(self.path or "in memory"),
        }
        return {name: value for name, value in facts.items() if value}

    def __repr__(self) -> str:
        if not self._file:
            return f"<Result {self._file.name}, closed>"
        return "<Result " + ", ".join(f"{name} {value}" for name, value in self.say_facts().items()) + ">"

    def _repr_html_(self) -> str:
        if not self._file:
            return html.escape(repr(self))
        return make_page(self)


def _freeze(values: Array) -> Array:
    """The same array, which nobody can change."""
    values.flags.writeable = False
    return values


def load_result(path: str | Path) -> Result:
    """Open a result file, also one whose run is still going on or was killed."""
    check_path(path, "result file")
    path = Path(path)
    result = Result(open_file(path), path)
    try:
        _ = (result.header, result.channels, result.time, result.status, result.events)
    except ResultError:
        result.close()
        raise
    return result
