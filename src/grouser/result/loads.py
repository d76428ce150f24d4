"""Loads of a run: mean, quantiles and largest of the forces that parts are laid out for, over all frames.

The largest value is that of one frame and one part: a single shock decides it, or where frames happen to lie. The
quantile q of n values is the one at place q (n - 1) of them in order, linear between two places.

Long runs have more values than fit into memory. Of those that have come by, only the largest are kept: as many as lie
at or above the place of the smallest quantile, one in a hundred. So quantiles are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # light commands know the names of loads, and load no results
    from grouser.model.model import Track
    from grouser.result.result import Array, Result

QUANTILES = {"p99": 0.99, "p999": 0.999}
STATISTICS = {"mean": "mean", "p99": "99 %", "p999": "99.9 %", "max": "largest"}
"""What is told of a load, by the name in keys of a summary, and what it is called."""


def calc_statistics(values: Array | None) -> dict[str, float | None]:
    """Mean, quantiles and largest of all values, by the names of `STATISTICS`; None where there are none.

    >>> calc_statistics(np.arange(1001.0))
    {'mean': 500.0, 'p99': 990.0, 'p999': 999.0, 'max': 1000.0}
    """
    if values is None or values.size == 0:
        return dict.fromkeys(STATISTICS)
    quantiles = np.quantile(values, list(QUANTILES.values()))
    found = {"mean": values.mean(), **dict(zip(QUANTILES, quantiles, strict=True)), "max": values.max()}
    return {name: make_number(value) for name, value in found.items()}


class _Sums:
    """Statistics of values that come in parts; `count` is how many there will be."""

    def __init__(self, count: int) -> None:
        self._count, self._sum = count, 0.0
        self._kept = count - int(min(QUANTILES.values()) * (count - 1)) if count else 0
        self._largest: Array = np.empty(0)

    def add(self, values: Array) -> None:
        """Take some of the values."""
        self._sum += float(values.sum())
        full = len(self._largest) == self._kept
        # what is no number is larger than all numbers, and so it stays
        among = values[~(values <= self._largest.min())] if full else values.ravel()
        together = np.concatenate([self._largest, among])
        if len(together) > self._kept:
            together = np.partition(together, len(together) - self._kept)[-self._kept :]
        self._largest = together

    def calc(self) -> dict[str, float | None]:
        """What `calc_statistics` would tell of all values together."""
        if self._count == 0:
            return dict.fromkeys(STATISTICS)
        ordered = np.sort(self._largest)
        found: dict[str, float | np.floating[Any]] = {"mean": self._sum / self._count}
        for name, q in QUANTILES.items():
            place = q * (self._count - 1) - (self._count - self._kept)
            low = int(place)
            found[name] = np.quantile(ordered[low : low + 2], place - low) if place > low else ordered[low]
        found["max"] = ordered[-1]
        if np.isnan(ordered[-1]):
            found = dict.fromkeys(found, np.nan)
        return {name: make_number(found[name]) for name in STATISTICS}


def calc_tension_loads(result: Result, tracks: Iterable[Track]) -> dict[str, float | None]:
    """Statistics of the tension of all links of tracks [N]."""
    return _calc_streamed(result, list(tracks), read_tension)


def calc_pin_loads(result: Result, tracks: Iterable[Track]) -> dict[str, float | None]:
    """Statistics of the magnitude of the forces of all pins of tracks [N]."""
    return _calc_streamed(result, list(tracks), read_pin_force)


def _calc_streamed(
    result: Result, tracks: list[Track], read: Callable[[Result, Iterable[Track]], Array | None]
) -> dict[str, float | None]:
    """Statistics of what `read` gives, part by part."""
    sums: _Sums | None = None
    for part in result.split_frames():
        values = read(part, tracks)
        if values is None:
            return dict.fromkeys(STATISTICS)
        sums = sums or _Sums(values.shape[1] * len(result.time))
        sums.add(values)
    return dict.fromkeys(STATISTICS) if sums is None else sums.calc()


def read_tension(result: Result, tracks: Iterable[Track]) -> Array | None:
    """Tension of all links of tracks in every frame, (frames, links) [N], or None; that of each beam where links are
    beams."""
    tracks = list(tracks)
    if any(track.chain is not None for track in tracks):
        return _read_chain_tension(result, [track.chain for track in tracks if track.chain is not None])
    links = [link for track in tracks for link in track.links]
    if not links or not result.has_block("link/tension") or len(result.time) == 0:
        return None
    return result.block("link/tension", links)[0][:, :, 0]


def _read_chain_tension(result: Result, chains: Iterable[str]) -> Array | None:
    """Pull of all beams of chains in every frame, (frames, beams) [N], or None."""
    family = "ancf_beam"
    if not result.has_block(f"{family}/force") or len(result.time) == 0:
        return None
    heads = tuple(f"{chain}.{family}." for chain in chains)
    names = [name for name in result.list_items(f"{family}/force") if name.startswith(heads)]
    return np.asarray(result.block(f"{family}/force", names)[0][:, :, 0])


def read_pin_force(result: Result, tracks: Iterable[Track]) -> Array | None:
    """Magnitude of the forces of all pins, or webs of bands, of tracks in every frame, (frames, pins) [N], or None."""
    tracks = list(tracks)
    belts = [track.belt for track in tracks if track.belt is not None]
    if any(result.model.meshes[belt].type == "webs" for belt in belts):
        return read_tension(result, tracks)  # bricks have no shear force of a web
    if belts:
        return read_web_force(result, belts)
    pins = [pin for track in tracks for pin in track.pins]
    if not pins or not result.has_block("joint/force") or len(result.time) == 0:
        return None
    return np.asarray(np.linalg.norm(result.block("joint/force", pins)[0], axis=2))


def read_web_force(result: Result, belts: Iterable[str]) -> Array | None:
    """Magnitude of the forces in all webs of bands in every frame, (frames, elements) [N], or None."""
    family = "beam_thick"
    if not result.has_block(f"{family}/force") or len(result.time) == 0:
        return None
    heads = tuple(f"{belt}.{family}." for belt in belts)
    names = [name for name in result.list_items(f"{family}/force") if name.startswith(heads)]
    parts = [result.block(f"{family}/{key}", names)[0][:, :, 0] for key in ("force", "shear_y", "shear_z")]
    return np.asarray(np.sqrt(sum(part**2 for part in parts)))


def calc_contact_loads(result: Result) -> dict[str, dict[str, float | None]]:
    """Statistics of the normal force of every contact, the sum over its points [N], as ``normal_mean``."""
    if not result.has_block("contact/normal") or len(result.time) == 0:
        return {}
    values, names = result.block("contact/normal")
    return {
        name: {f"normal_{key}": value for key, value in calc_statistics(values[:, i, 0]).items()}
        for i, name in enumerate(names)
    }


def make_number(value: float | np.floating[Any]) -> float | None:
    """A plain number that JSON can hold; None for what is no number."""
    return float(value) if np.isfinite(value) else None
