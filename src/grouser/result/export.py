"""Export of results: tables of other libraries, files of other tools."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grouser.errors import ResultError

if TYPE_CHECKING:
    import pandas
    import xarray

    from grouser.result.result import Result

Channels = str | Iterable[str] | None
MATLAB_NAME_LENGTH = 63
"""Longest name in MATLAB."""


def make_table(result: Result, channels: Channels = None, *, time_as_index: bool = True) -> pandas.DataFrame:
    """A table with one column per component, ``chassis.position.x``; units in ``attrs["units"]``."""
    import pandas

    units = {"time": "s"}
    columns = []
    for channel, values in result.read(channels).items():
        info = result.channels[channel]
        names = [channel] if info.is_scalar else [f"{channel}.{part}" for part in info.components]
        units.update(zip(names, info.component_units, strict=True))
        columns.append(values.reshape(len(result.time), len(names)))
    content = np.hstack([np.empty((len(result.time), 0)), *columns])
    table = pandas.DataFrame(content, columns=pandas.Index(list(units)[1:]))
    if time_as_index:
        table.index = pandas.Index(np.array(result.time), name="time")
    else:
        table.insert(0, "time", np.array(result.time))
    table.attrs["units"] = units
    return table


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

    ``.csv`` : a column per component, headed ``chassis.position.x [m]``.
    ``.parquet`` : the same columns, headed without the unit, which is in the metadata of each field.
    ``.mat`` : MATLAB; a variable per channel, (frames, components), and the structs `units` and
    `channels`, which give the unit and the full name for each variable.

    Parameters
    ----------
    channels : names or patterns such as ``left.*.tension``; by default all
    """
    path = Path(path)
    write = WRITERS.get(path.suffix.lower())
    if write is None:
        raise ResultError(
            f"cannot export to {path.name!r}: the suffix {path.suffix!r} is not one of {', '.join(WRITERS)}"
        )
    if not path.parent.is_dir():
        raise ResultError(f"cannot export to {path}: the folder {path.parent} does not exist; create it first")
    names = result.find_channels(channels)
    try:
        write(result, path, names)
    except OSError as error:
        raise ResultError(f"cannot export to {path}: {error}") from error
    return path


def _write_csv(result: Result, path: Path, channels: list[str]) -> None:
    table = make_table(result, channels, time_as_index=False)
    units = table.attrs["units"]
    table.columns = table.columns.map(lambda name: f"{name} [{units[name]}]")
    table.to_csv(path, index=False)


def _write_parquet(result: Result, path: Path, channels: list[str]) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ResultError(
            "Parquet needs pyarrow, which is not installed: install it with  pip install 'grouser[export]'"
        ) from error
    frame = make_table(result, channels, time_as_index=False)
    units = frame.attrs["units"]
    fields = [pyarrow.field(name, pyarrow.float64(), metadata={"unit": units[name]}) for name in frame.columns]
    arrays = [pyarrow.array(frame[name].to_numpy()) for name in frame.columns]
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields)), path)


def _write_matlab(result: Result, path: Path, channels: list[str]) -> None:
    from scipy.io import savemat

    names = make_matlab_names(channels)
    values = {"time": result.time}
    values.update({names[channel]: value for channel, value in result.read(channels).items()})
    units = {"time": "s", **{names[channel]: result.channels[channel].unit for channel in channels}}
    full_names = {names[channel]: channel for channel in channels}
    content = {**values, "units": units, "channels": full_names}
    savemat(path, content, long_field_names=True, oned_as="column", do_compression=True)


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


WRITERS: dict[str, Callable[[Result, Path, list[str]], None]] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
    ".mat": _write_matlab,
}
