"""What a result file may hold, judged before any of it is read: a file may be damaged, or made by somebody else.

What is declared is compared with the size of the file, and since a file may have holes and its texts may share a place,
with limits that no run reaches.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import h5py
import numpy as np

from grouser.errors import ResultError
from grouser.settings import MOST_FRAMES

RUN = "run"
"""Group of everything that is not a channel."""
DEEPEST = 4
"""Levels of names: ``/run/items/<family>/<quantity>``."""
MOST_NAMES = 10_000
"""Most groups and datasets."""
SLACK = 100_000_000
"""Data that a file may declare beyond what it holds [bytes]."""
MOST_TOLD = 100_000_000
"""Most of all that is not a channel: model, header, events, names [bytes]. It is read as a whole."""
MOST_TEXTS = 100_000
"""Most texts of a dataset: as many items has no family."""
MOST_OF_FRAME = 100_000_000
"""Most of a frame of one dataset, and of what is stored in one piece [bytes]."""
MOST_OF_ATTRIBUTE = 32
"""Most values of an attribute: names of components."""
TEXT_PLACE = np.dtype([("length", "<u4"), ("address", "<u8"), ("number", "<u4")])
"""How HDF5 stores a text: its length [bytes], and where it lies (HDF5 file format specification, section IV.B)."""


def check_content(file: h5py.File, path: Path) -> None:
    """Refuse what no result holds: data that lies elsewhere, more data than a file of this size has, and more than can
    be read.

    A dataset may be declared larger than what is stored of it, and reading it would fill the memory. A run that was
    killed may have declared frames that it did not store any more; `SLACK` is for these.
    """
    size = path.stat().st_size
    declared = told = seen = 0
    places = [(f"/{name}", link, 1) for name, link in _list_links(file)]
    with path.open("rb") as raw:
        while places:
            name, link, depth = places.pop()
            seen += 1
            if seen > MOST_NAMES:
                raise ResultError(f"it has more than {MOST_NAMES:,} groups and datasets, which no result has")
            if not isinstance(link, h5py.HardLink):
                raise ResultError(f"{name} is a link to something else, which no result has")
            item = file[name]
            _check_attributes(item, name)
            if isinstance(item, h5py.Group):
                if depth >= DEEPEST:
                    raise ResultError(f"{name} is a group where none is expected")
                places += [(f"{name}/{below}", link, depth + 1) for below, link in _list_links(item)]
            elif isinstance(item, h5py.Dataset):
                _check_dataset(item, name)
                declared += item.nbytes
                if name.startswith(f"/{RUN}/") or item.dtype.kind == "O":
                    told += item.nbytes + (_measure_texts(item, name, raw) if item.dtype.kind == "O" else 0)
            if declared > size + SLACK:
                raise ResultError(
                    f"it declares {declared / 1e6:,.0f} MB of data and has {size / 1e6:,.1f} MB: it was cut off, is "
                    "compressed, or is no result"
                )
            if told > MOST_TOLD:
                raise ResultError(
                    f"its model, header, events and names have {told / 1e6:,.0f} MB, and those of a result at most "
                    f"{MOST_TOLD / 1e6:,.0f} MB"
                )


def _list_links(group: h5py.Group) -> list[tuple[str, Any]]:
    """Names in a group with what they are, none of them followed."""
    return [(name, group.get(name, getlink=True)) for name in islice(group, MOST_NAMES + 1)]


def _check_attributes(item: h5py.HLObject, name: str) -> None:
    for key in islice(item.attrs, MOST_OF_ATTRIBUTE + 1):
        count = item.attrs.get_id(key).get_space().get_simple_extent_npoints()
        if count > MOST_OF_ATTRIBUTE:
            raise ResultError(
                f"the attribute {key!r} of {name} has {count:,} values, and one of a result has at most "
                f"{MOST_OF_ATTRIBUTE}"
            )


def _check_dataset(item: h5py.Dataset, name: str) -> None:
    """Refuse data that lies elsewhere, more frames than a run can have, and what is too large to read in parts."""
    if item.is_virtual or item.external:
        raise ResultError(f"the data of {name} lie in another file, which those of no result do")
    if not item.shape:
        return
    if not name.startswith(f"/{RUN}/") and item.shape[0] > MOST_FRAMES + 1:
        raise ResultError(f"{name} has {item.shape[0]:,} frames, and a result has at most {MOST_FRAMES + 1:,}")
    piece = max(
        item.nbytes // max(1, item.shape[0]), int(np.prod(item.chunks or (), dtype=float)) * item.dtype.itemsize
    )
    if piece > MOST_OF_FRAME:
        raise ResultError(
            f"{name} has frames or pieces of {piece / 1e6:,.0f} MB, and those of a result have at most "
            f"{MOST_OF_FRAME / 1e6:,.0f} MB"
        )


def _measure_texts(item: h5py.Dataset, name: str, raw: BinaryIO) -> int:
    """What texts take once they are read [bytes]. Many of them may share a place in the file, so that they take far
    more than it has: only their lengths are looked at."""
    if h5py.check_string_dtype(item.dtype) is None:
        raise ResultError(f"{name} holds neither numbers nor texts, which no dataset of a result does")
    if item.size > MOST_TEXTS:
        raise ResultError(f"{name} has {item.size:,} texts, and a dataset of a result has at most {MOST_TEXTS:,}")
    if item.size == 0:
        return 0
    place = item.id.get_offset()
    if place is None:
        raise ResultError(f"the texts of {name} are not stored in one piece, as those of every result are")
    raw.seek(place)
    found = np.frombuffer(raw.read(item.size * TEXT_PLACE.itemsize), dtype=np.uint8)
    if len(found) < item.size * TEXT_PLACE.itemsize:
        raise ResultError(f"the texts of {name} are cut off")
    return int(found.view(TEXT_PLACE)["length"].sum(dtype=np.int64))
