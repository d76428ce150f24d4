"""Export of results: tables of other libraries, files of other tools."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from grouser.errors import ResultError
from grouser.result.channels import split_name
from grouser.result.rpc import find_interval, save_rpc
from grouser.result.target import check_place
from grouser.whole_file import save_whole

if TYPE_CHECKING:
    import pandas
    import xarray

    from grouser.result.result import Result

Channels = str | Iterable[str] | None
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""By these a spreadsheet knows a formula."""
MATLAB_NAME_LENGTH = 63
"""Longest name in MATLAB."""
MOST_CELLS = 4_000_000
"""Numbers of a table that are in memory at a time."""
ROW_GROUP_SHARE = 8
"""How many times that a row group of a Parquet file has: until the file is closed, each group costs a kilobyte of
memory for every column too."""


def make_table(
    result: Result, channels: Channels = None, *, time_as_index: bool = True, with_units: bool = False
) -> pandas.DataFrame:
    """A table with one column per component; see `Result.to_pandas`."""
    import pandas

    columns = _read_columns(result, channels)
    heads = {name: f"{name} [{unit}]" if with_units else name for name, (unit, _) in columns.items()}
    content = np.column_stack([values for _, values in columns.values()])
    table = pandas.DataFrame(content, columns=pandas.Index(list(heads.values())))
    if time_as_index:
        table = table.set_index(heads["time"])
    table.attrs["units"] = {heads[name]: unit for name, (unit, _) in columns.items()}
    return table


def _read_columns(result: Result, channels: Channels) -> dict[str, tuple[str, NDArray[np.float64]]]:
    """Unit and values of every column of a table, the time first."""
    return {"time": ("s", np.array(result.time)), **result.read_columns(channels)}


def make_dataset(result: Result, channels: Channels = None) -> xarray.Dataset:
    """A dataset with one variable per channel; unit and frame in the attributes of each."""
    try:
        import xarray
    except ImportError as error:
        raise ResultError("xarray is not installed: install it with  pip install 'grouser[export]'") from error
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {"time": ("time", np.array(result.time), {"units": "s"})}
    for channel, values in result.read(channels).items():
        info = result.channels[channel]
        dimensions = ["time"]
        if not info.is_scalar:
            # x, y, z of all channels share one dimension "xyz"
            dimensions.append("".join(info.components))
            coordinates[dimensions[1]] = list(info.components)
        attributes = {"units": info.unit, "frame": info.frame, "long_name": info.description}
        variables[channel] = (dimensions, values, attributes)
    facts = {"status": result.status, "header": json.dumps(dict(result.header))}
    return xarray.Dataset(variables, coordinates, facts)


def export_result(result: Result, path: str | Path, channels: Channels = None) -> Path:
    """Write channels to a file for other tools; the suffix says which.

    ``.csv`` : the columns of ``result.to_pandas(with_units=True)``, headed ``chassis.position.x [m]``.
    ``.parquet`` : the columns of ``result.to_pandas()``, units in the metadata of each field.
    ``.mat`` : MATLAB; a variable per channel, (frames, components), and the structs `units` and
    `channels`, which give the unit and the full name for each variable.
    ``.rsp`` : RPC III; a channel per component, for test rigs and fatigue programs. Numbers have seven digits, and the
    last values are repeated up to the end of the last group.

    Parameters
    ----------
    channels : names or patterns such as ``left.*.tension``, single components except for MATLAB; by default all
    """
    path = Path(path)
    write = WRITERS.get(path.suffix.lower())
    if write is None:
        raise ResultError(
            f"cannot export to {path.name!r}: the suffix {path.suffix!r} is not one of {', '.join(WRITERS)}"
        )
    check_place(path, "export")
    with save_whole(path, "export") as unfinished:
        write(result, unfinished, channels)
    return path


def say_cell_text(text: str) -> str:
    """A text for a cell of a CSV file: where a spreadsheet would take it for a formula, a ' comes before it.

    >>> say_cell_text("=HYPERLINK(1)"), say_cell_text("chassis.speed [m/s]")
    ("'=HYPERLINK(1)", 'chassis.speed [m/s]')
    """
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _write_csv(result: Result, path: Path, channels: Channels) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        width = len(_read_columns(result.with_frames(slice(0, 0)), channels))
        for number, part in enumerate(_split(result, width)):
            table = make_table(part, channels, time_as_index=False, with_units=True)
            table.rename(columns=say_cell_text).to_csv(file, index=False, header=number == 0)


def _write_parquet(result: Result, path: Path, channels: Channels) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ResultError(
            "Parquet needs pyarrow, which is not installed: install it with  pip install 'grouser[export]'"
        ) from error
    units = {name: unit for name, (unit, _) in _read_columns(result.with_frames(slice(0, 0)), channels).items()}
    fields = [pyarrow.field(name, pyarrow.float64(), metadata={"unit": unit}) for name, unit in units.items()]
    blocks: dict[str, list[str]] = {}
    for name in units:
        channel, _ = split_name(result.channels, name)
        blocks.setdefault(result.channels[channel].block if name != "time" else "", []).append(name)

    def make_group(part: Result) -> pyarrow.Table:
        """A row group, made block by block, since what is read of a block is in memory twice meanwhile."""
        arrays = {"time": pyarrow.array(part.time)}
        for block, names in blocks.items():
            if block:
                arrays |= {name: pyarrow.array(values) for name, (_, values) in part.read_columns(names).items()}
        return pyarrow.Table.from_arrays([arrays[name] for name in units], schema=writer.schema)

    # least and largest of every column of a group would be in memory until the end
    with pyarrow.parquet.ParquetWriter(path, pyarrow.schema(fields), write_statistics=False) as writer:
        for part in _split(result, len(units), ROW_GROUP_SHARE):
            writer.write_table(make_group(part))


def _split(result: Result, width: int, share: int = 1) -> Iterator[Result]:
    """The frames of a result in parts of which tables of so many columns fit into memory, or that times a share; one
    without frames is a part too."""
    count = max(1, share * MOST_CELLS // width)
    for start in range(0, max(1, len(result.time)), count):
        yield result.with_frames(slice(start, start + count))


def _write_rpc(result: Result, path: Path, channels: Channels) -> None:
    interval, count = find_interval(result.time)
    even = result.with_frames(slice(0, count))
    columns = [(name, unit) for name, (unit, _) in even.with_frames(slice(0, 0)).read_columns(channels).items()]

    def read_parts() -> Iterator[NDArray[np.float64]]:
        for part in _split(even, len(columns)):
            yield np.column_stack([values for _, values in part.read_columns(channels).values()])

    save_rpc(path, columns, interval, read_parts())


def _write_matlab(result: Result, path: Path, channels: Channels) -> None:
    from scipy.io import savemat

    whole = result.find_channels(channels)
    names = make_matlab_names(whole)
    units = {"time": "s", **{names[channel]: result.channels[channel].unit for channel in whole}}
    full_names = {names[channel]: channel for channel in whole}
    content = _Variables(result, names, {"units": units, "channels": full_names})
    savemat(path, content, appendmat=False, long_field_names=True, oned_as="column", do_compression=True)


class _Variables(dict[str, Any]):
    """Variables of a MATLAB file, read when they are written: time, channels by their names there, and facts."""

    def __init__(self, result: Result, names: dict[str, str], facts: dict[str, dict[str, str]]) -> None:
        super().__init__(facts)
        self._result, self._names = result, names

    def items(self) -> Iterator[tuple[str, Any]]:  # type: ignore[override]
        """Names and values."""
        yield "time", self._result.time
        infos = {channel: self._result.channels[channel] for channel in self._names}
        for block in dict.fromkeys(info.block for info in infos.values()):
            channels = [channel for channel, info in infos.items() if info.block == block]
            count = max(1, MOST_CELLS // max(1, len(self._result.time) * len(infos[channels[0]].components)))
            for start in range(0, len(channels), count):
                values = self._result.read(channels[start : start + count])
                yield from ((self._names[channel], value) for channel, value in values.items())
        yield from super().items()


def make_matlab_names(channels: Iterable[str]) -> dict[str, str]:
    """A valid and unique MATLAB name for each channel.

    >>> make_matlab_names(["left.link-1.tension", "1.speed"])
    {'left.link-1.tension': 'left_link_1_tension', '1.speed': 'x1_speed'}
    """
    names: dict[str, str] = {}
    taken = {"time", "units", "channels"}
    for channel in channels:
        base = re.sub(r"\W", "_", channel, flags=re.ASCII)
        base = (base if base[0].isalpha() else f"x{base}")[:MATLAB_NAME_LENGTH]
        name, number = base, 1
        while name in taken:
            number += 1
            name = f"{base[: MATLAB_NAME_LENGTH - len(str(number)) - 1]}_{number}"
        taken.add(name)
        names[channel] = name
    return names


WRITERS: dict[str, Callable[[Result, Path, Channels], None]] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
    ".mat": _write_matlab,
    ".rsp": _write_rpc,
}
