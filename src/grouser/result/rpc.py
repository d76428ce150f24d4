"""RPC III files: time histories as test rigs and fatigue programs read them (MTS Systems, Remote Parameter Control).

A file has a header in blocks of 512 bytes, four entries of a 32-byte key and a 96-byte value each, of which the first
three have their places. Behind it stand groups of points: in each all points of the first channel, then those of the
second, and so on. Numbers are floats of 4 bytes, so they keep seven digits.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from grouser.errors import ResultError

Array = NDArray[np.float64]
MOST_CHANNELS = 256
"""Channels that programs of the format read."""
KEY_LENGTH, VALUE_LENGTH, BLOCK_LENGTH = 32, 96, 512
LONGEST_GROUP = 2048
"""Points of a channel that stand beside each other."""
LARGEST = float(np.finfo(np.float32).max)
ENTRIES = 20
"""Entries of the header besides those of channels."""
ENTRIES_OF_CHANNEL = 7


def find_interval(time: Array) -> tuple[float, int]:
    """The interval of frames [s], and how many are evenly spaced; the last one may come early and is left out then.

    >>> find_interval(np.array([0.0, 0.1, 0.2, 0.25]))
    (0.1, 3)
    """
    if len(time) < 2:
        raise ResultError(f"an RPC III file needs at least two frames, and the result has {len(time)}")
    steps = np.diff(time)
    interval = float(np.median(steps[:-1])) if len(steps) > 1 else float(steps[0])
    is_even = np.abs(time - time[0] - interval * np.arange(len(time))) <= 1e-4 * interval
    count = len(time) if is_even[-1] else len(time) - 1
    if not is_even[:count].all():
        uneven = float(time[np.argmin(is_even)])
        raise ResultError(
            f"frames are not evenly spaced (at {uneven:g} s), and an RPC III file has one interval: export CSV or "
            "Parquet, and resample them"
        )
    return round(interval, 12), count


def save_rpc(path: Path, columns: Sequence[tuple[str, str]], interval: float, parts: Iterable[Array]) -> None:
    """Write channels with (name, unit) from parts (frames, channels), the frames at an interval [s].

    The last group is filled up with the last values.
    """
    if len(columns) > MOST_CHANNELS:
        raise ResultError(
            f"an RPC III file has at most {MOST_CHANNELS} channels, and {len(columns)} are asked for: choose some, "
            "as in --channels 'left.*.tension'"
        )
    entries = ENTRIES + ENTRIES_OF_CHANNEL * len(columns)
    blocks = -(-entries * (KEY_LENGTH + VALUE_LENGTH) // BLOCK_LENGTH)
    with path.open("wb") as file:
        file.seek(BLOCK_LENGTH * blocks)
        groups, low, high = _write_groups(file, len(columns), parts)
        file.seek(0)
        file.write(_make_header(columns, interval, groups, blocks, (low, high)).ljust(BLOCK_LENGTH * blocks, b"\0"))


def _write_groups(file: BinaryIO, width: int, parts: Iterable[Array]) -> tuple[int, Array, Array]:
    """Write all groups: how many, and the least and largest value of each channel."""
    low, high = np.full(width, np.inf), np.full(width, -np.inf)
    rest, groups = np.empty((0, width)), 0

    def write(points: Array) -> None:
        nonlocal groups
        file.write(np.ascontiguousarray(points.T, dtype="<f4").tobytes())
        groups += 1

    for part in parts:
        if not (np.abs(part) <= LARGEST).all():
            raise ResultError("a value is no finite number of 4 bytes, which RPC III files need: leave its channel out")
        low, high = (
            np.minimum(low, part.min(axis=0, initial=np.inf)),
            np.maximum(high, part.max(axis=0, initial=-np.inf)),
        )
        rest = np.concatenate([rest, part])
        for start in range(0, len(rest) - LONGEST_GROUP + 1, LONGEST_GROUP):
            write(rest[start : start + LONGEST_GROUP])
        rest = rest[len(rest) // LONGEST_GROUP * LONGEST_GROUP :]
    if len(rest):
        write(np.concatenate([rest, np.repeat(rest[-1:], LONGEST_GROUP - len(rest), axis=0)]))
    return groups, low, high


def _make_header(
    columns: Sequence[tuple[str, str]], interval: float, groups: int, blocks: int, limits: tuple[Array, Array]
) -> bytes:
    entries: dict[str, object] = {
        "FORMAT": "BINARY_IEEE_LITTLE_END",
        "NUM_HEADER_BLOCKS": blocks,
        "NUM_PARAMS": ENTRIES + ENTRIES_OF_CHANNEL * len(columns),
        "FILE_TYPE": "TIME_HISTORY",
        "TIME_TYPE": "RESPONSE",
        "DATA_TYPE": "FLOATING_POINT",
        "OPERATION": "SIMULATION",
        "DELTA_T": f"{interval:.9e}",
        "CHANNELS": len(columns),
        "PTS_PER_FRAME": LONGEST_GROUP,
        "PTS_PER_GROUP": LONGEST_GROUP,
        "FRAMES": groups,
        "REPEATS": 1,
        "BYPASS_FILTER": 0,
        "HALF_FRAMES": 0,
        "AVERAGES": 1,
        "INT_FULL_SCALE": 32752,
        "PARENT_1": "grouser",
        "PARTITIONS": 1,
        "PART.CHAN_1": 1,
    }
    for number, ((name, unit), low, high) in enumerate(zip(columns, *limits, strict=True), start=1):
        entries |= {
            f"DESC.CHAN_{number}": name,
            f"UNITS.CHAN_{number}": unit,
            f"SCALE.CHAN_{number}": 1.0,
            f"LOWER_LIMIT.CHAN_{number}": f"{low:.6e}",
            f"UPPER_LIMIT.CHAN_{number}": f"{high:.6e}",
            f"MAP.CHAN_{number}": number,
            f"PART.NCHAN_{number}": 1,
        }
    packed = (
        struct.pack(f"<{KEY_LENGTH}s{VALUE_LENGTH}s", key.encode(), _encode(value)) for key, value in entries.items()
    )
    return b"".join(packed)


def _encode(value: object) -> bytes:
    """A value of the header: plain letters, and a zero at its end."""
    return str(value).encode("ascii", "replace")[: VALUE_LENGTH - 1]
