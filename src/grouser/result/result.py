"""The result of a run: named channels with units, read from the file when they are asked for.

Layout of the file: `/time` (frames,); `/<family>/<quantity>` (frames, items, components) with the
attributes unit, frame, components and description; `/run` holds the header, the model, the events,
how the run ended, and the names of the items.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np
from numpy.typing import NDArray

from grouser.errors import GrouserError, ModelError, ResultError, check_path, say_unknown
from grouser.model.rotation import quaternion_to_matrix
from grouser.result.unfinished import UnfinishedFile, is_unfinished

if TYPE_CHECKING:
    import pandas
    import xarray

    from grouser.model.model import Model

FORMAT = "grouser-result"
FORMAT_VERSION = 1
"""Raised whenever an older program could not read a newer file."""
RUN = "run"
"""Group of everything that is not a channel."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ChannelInfo:
    """What a channel holds.

    Attributes
    ----------
    unit : of all components, or one for each divided by ", "
    frame : axes of the components; empty for a scalar
    components : names of the components; one for a scalar
    description : a phrase for people
    block : name of the block that holds it, ``family/quantity``
    index : position among the items of the block
    """

    unit: str
    frame: str
    components: tuple[str, ...]
    description: str
    block: str
    index: int

    @property
    def is_scalar(self) -> bool:
        """Whether there is one component only."""
        return len(self.components) == 1

    @property
    def component_units(self) -> tuple[str, ...]:
        """The unit of each component."""
        parts = tuple(self.unit.split(", "))
        return parts if len(parts) == len(self.components) else (self.unit,) * len(self.components)


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
        self._file = file
        self._given_model = model
        self.path = path

    @cached_property
    def header(self) -> Mapping[str, Any]:
        """Facts on the run: version, model, preset, formulation, step, settings."""
        with self._reading():
            return MappingProxyType(json.loads(self._read_text("header")))

    @cached_property
    def model(self) -> Model:
        """The model that was simulated."""
        if self._given_model:
            return self._given_model
        from grouser.model.model import Model

        text = self._read_text("model")
        if not text:
            raise ResultError(f"{self._name} holds no model")
        try:
            return Model.model_validate(json.loads(text))
        except (ModelError, ValueError) as error:
            raise ResultError(f"{self._name} holds a model that cannot be read: {error}") from error

    @cached_property
    def model_yaml(self) -> str:
        """The model that was simulated, as the text of a model file."""
        from grouser.model.schema import dump_model

        return dump_model(self.model)

    @cached_property
    def main_body(self) -> str:
        """The body that speaks for the whole: the model's main body, or its first."""
        return self.model.main_body or next(iter(self.model.bodies))

    @cached_property
    def _end(self) -> dict[str, Any]:
        lines = self._read_lines("end")
        return {"status": "partial", "message": "", "summary": {}, **(lines[-1] if lines else {})}

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
        with self._reading():
            return [Event(**line) for line in self._read_lines("events")]

    @cached_property
    def _frame_count(self) -> int:
        """Frames of which every block is stored; a killed run may have begun one more."""
        with self._reading():
            lengths = [self._file[name].shape[0] for name in self._layout]
        time = self._read("time")
        is_good = np.isfinite(time) & (np.diff(time, prepend=-np.inf) > 0)
        stored = len(time) if is_good.all() else int(np.argmin(is_good))
        return min([stored, *lengths])

    @cached_property
    def time(self) -> Array:
        """Time of the frames [s], shape (frames,)."""
        time = self._read("time", slice(0, self._frame_count))
        time.flags.writeable = False
        return time

    @cached_property
    def _layout(self) -> dict[str, tuple[str, ...]]:
        """Items of every block, by the block's name."""
        with self._reading():
            families = self._file[f"{RUN}/items"] if "items" in self._file[RUN] else {}
            return {
                f"{family}/{quantity}": tuple(items.asstr()[:])
                for family, group in families.items()
                for quantity, items in group.items()
            }

    @cached_property
    def channels(self) -> Mapping[str, ChannelInfo]:
        """Every channel by name, ``<element>.<quantity>``."""
        found = {}
        for block, items in self._layout.items():
            with self._reading():
                attributes = dict(self._file[block].attrs)
                units = [str(attributes["unit"])] * len(items)
                if f"units/{block}" in self._file[RUN]:
                    units = list(self._file[f"{RUN}/units/{block}"].asstr()[:])
                components = tuple(str(name) for name in attributes["components"])
                frame, description = str(attributes["frame"]), str(attributes["description"])
            quantity = block.split("/")[1]
            for index, (item, unit) in enumerate(zip(items, units, strict=True)):
                found[f"{item}.{quantity}"] = ChannelInfo(unit, frame, components, description, block, index)
        return MappingProxyType(found)

    def __getitem__(self, name: str) -> Array:
        """Values of a channel, shape (frames, components), or (frames,) for a scalar or a single component."""
        channel, component = self._split_name(*_list_names([name]))
        info = self.get_info(channel)
        if component is None:
            component = 0 if info.is_scalar else slice(None)
        return self._read(info.block, (slice(0, self._frame_count), info.index, component))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._split_name(name)[0] in self.channels

    def _split_name(self, name: str) -> tuple[str, Any]:
        """Channel and number of a component from ``chassis.position.x``; None is the number of a whole channel."""
        channel, _, component = name.rpartition(".")
        if name in self.channels or channel not in self.channels or self.channels[channel].is_scalar:
            return name, None
        components = self.channels[channel].components
        return (channel, components.index(component)) if component in components else (name, None)

    def get_info(self, channel: str) -> ChannelInfo:
        """What a channel holds; an unknown name is answered with the nearest ones."""
        if channel not in self.channels:
            raise ResultError(say_unknown("channel", channel, self.channels))
        return self.channels[channel]

    def has_block(self, name: str) -> bool:
        """Whether the block ``family/quantity`` was stored."""
        return name in self._layout

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
        if name not in self._layout:
            raise ResultError(say_unknown("block", name, self._layout))
        values = self._read(name, slice(0, self._frame_count))
        if items is None:
            return values, self._layout[name]
        index = {item: i for i, item in enumerate(self._layout[name])}
        unknown = [item for item in items if item not in index]
        if unknown:
            raise ResultError(say_unknown(f"item of block {name}", unknown[0], index))
        return values[:, [index[item] for item in items]], tuple(items)

    def find_channels(self, names: str | Iterable[str] | None = None) -> list[str]:
        """Names of channels from names and patterns (``left.*.tension``); None gives all of them."""
        if names is None:
            return list(self.channels)
        found: dict[str, None] = {}
        for name in _list_names(names):
            if any(sign in name for sign in "*?["):
                matching = [channel for channel in self.channels if fnmatchcase(channel, name)]
                if not matching:
                    raise ResultError(f"no channel matches the pattern {name!r}")
            else:
                self.get_info(name)
                matching = [name]
            found.update(dict.fromkeys(matching))
        return list(found)

    def read(self, channels: str | Iterable[str] | None = None) -> dict[str, Array]:
        """Values of several channels, by name or pattern; reads each block of the file only once."""
        values: dict[str, Array] = dict.fromkeys(self.find_channels(channels), np.empty(0))
        for block in dict.fromkeys(self.channels[name].block for name in values):
            whole, _ = self.block(block)
            for name in values:
                info = self.channels[name]
                if info.block == block:
                    values[name] = whole[:, info.index, 0 if info.is_scalar else slice(None)].copy()
        return values

    def read_columns(self, names: str | Iterable[str] | None = None) -> dict[str, tuple[str, Array]]:
        """Unit and values (frames,) of every component, by its name: ``chassis.position.x``, or that of a scalar.

        Parameters
        ----------
        names : channels, patterns, or single components; by default all channels
        """
        wanted = list(self.channels) if names is None else _list_names(names)
        split = {name: self._split_name(name) for name in wanted}
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

    def calc_rotations(self, bodies: Sequence[str]) -> Array:
        """Rotation matrices from the bodies' axes to the world's, shape (frames, bodies, 3, 3)."""
        quaternion, _ = self.block("body/orientation", bodies)
        with np.errstate(all="ignore"):  # a body of a run that diverged may have none at all
            return quaternion_to_matrix(quaternion)

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
        facts = {
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
            return f"<Result {self._name}, closed>"
        return "<Result " + ", ".join(f"{name} {value}" for name, value in self.say_facts().items()) + ">"

    def _repr_html_(self) -> str:
        if not self._file:
            return html.escape(repr(self))
        from grouser.output.notebook import make_result_html

        return make_result_html(self)

    @property
    def _name(self) -> str:
        return f"result file {self.path}" if self.path else "the result in memory"

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Reads from the file: whatever goes wrong is told as a fault of the file."""
        if not self._file:
            raise ResultError(f"{self._name} is closed: read it before closing, or load it again")
        try:
            yield
        except GrouserError:
            raise
        # a damaged file makes h5py raise almost anything, from KeyError to UnicodeDecodeError
        except Exception as error:
            raise ResultError(f"{self._name} is damaged ({error}): copy it again, or repeat the run") from error

    def _read(self, name: str, selection: Any = ()) -> Array:
        with self._reading():
            return np.asarray(self._file[name][selection])

    def _read_text(self, name: str) -> str:
        with self._reading():
            return str(self._file[f"{RUN}/{name}"].asstr()[()])

    def _read_lines(self, name: str) -> list[dict[str, Any]]:
        """Lines of JSON from a stream of bytes; a line that a kill cut short is left out."""
        with self._reading():
            lines = self._read(f"{RUN}/{name}").tobytes().split(b"\n")[:-1]
            return [json.loads(line) for line in lines if line.endswith(b"}")]


def _list_names(names: str | Iterable[str]) -> list[str]:
    """Names of channels or patterns as a list."""
    listed = list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]
    for name in listed:
        if not isinstance(name, str):
            raise ResultError(f"a channel is named by text, not by {name!r}")
    return listed


def load_result(path: str | Path) -> Result:
    """Open a result file, also one whose run is still going on or was killed."""
    check_path(path, "result file")
    path = Path(path)
    result = Result(open_file(path), path)
    try:
        _ = (result.header, result.channels, result.time, result.status)
    except ResultError:
        result.close()
        raise
    return result


def open_file(path: Path) -> h5py.File:
    """Open a result file for reading and check that it is one."""
    if not path.exists():
        raise ResultError(f"result file {path} does not exist")
    if path.is_dir():
        raise ResultError(f"result file {path} is a folder: give the name of the .h5 file")
    try:
        if not h5py.is_hdf5(path):
            raise ResultError(f"{path} is not a result file: it is not HDF5, or was cut off at the start")
        file = h5py.File(UnfinishedFile(path) if is_unfinished(path) else path, "r")
        kind, version = file.attrs.get("format"), file.attrs.get("format_version")
    except GrouserError:
        raise
    except Exception as error:  # as above: a damaged file makes h5py raise almost anything
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
