"""Poses of bodies and rods over time, read from a result in parts: an hour of them would fill the memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser.errors import ResultError
from grouser.output.deforming import Deforming
from grouser.output.mesh import Array
from grouser.output.mesh_motion import calc_boxes
from grouser.output.rods import calc_rod_poses

if TYPE_CHECKING:
    from grouser.result.result import Result

FARTHEST = 1.0e6
"""A body further away than this has diverged [m]."""


class Shown(NamedTuple):
    """What of a result can be shown.

    Attributes
    ----------
    frames : which stored frames, (frames,)
    low, high : corners (x, y) of the box around all places where bodies were, seen from above [m]
    """

    frames: NDArray[np.int64]
    low: Array
    high: Array


def find_shown(result: Result, rate: float | None, deforming: Sequence[Deforming] = ()) -> Shown:
    """Stored frames to show: those with every body somewhere, at most `rate` a second; and where bodies were."""
    if rate is not None and not rate > 0:
        raise ResultError(f"rate {rate:g} must be larger than 0 frames a second")
    if len(result.time) == 0:
        raise ResultError("the result holds no frame yet")
    is_there = []
    low, high = np.full(2, np.inf), np.full(2, -np.inf)
    for part in result.split_frames():
        position, quaternion = _read_bodies(part)
        with np.errstate(invalid="ignore"):
            good = (np.abs(position) < FARTHEST).all(axis=(1, 2)) & np.isfinite(quaternion).all(axis=(1, 2))
            boxes = calc_boxes(part, deforming)
            good &= ~(np.isnan(boxes).any(axis=(1, 2)) | (np.abs(boxes) > FARTHEST).any(axis=(1, 2)))
        is_there.append(good)
        if good.any():
            places, _ = _add_rods(part, position[good], quaternion[good])
            places = np.concatenate([places, boxes[good]], axis=1)
            low = np.minimum(low, places[..., :2].min(axis=(0, 1)))
            high = np.maximum(high, places[..., :2].max(axis=(0, 1)))
    frames = np.flatnonzero(np.concatenate(is_there))
    if len(frames) == 0:
        raise ResultError("in no frame of the result all bodies have a finite position: the run had diverged")
    if rate is not None:
        # a frame is taken when it is due, with a slack for times that are not whole multiples
        due = np.floor(result.time[frames] * rate + 1e-6)
        frames = frames[np.flatnonzero(np.diff(due, prepend=-np.inf) > 0)]
    return Shown(frames, low, high)


def split_poses(result: Result, frames: NDArray[np.int64]) -> Iterator[tuple[Array, Array]]:
    """Positions (frames, bodies, 3) [m] and quaternions (frames, bodies, 4) of some frames, in parts that follow each
    other; quaternions are x, y, z, w, and their signs never jump, from part to part neither."""
    before: Array | None = None
    for part in result.with_frames(frames).split_frames():
        position, quaternion = _add_rods(part, *_read_bodies(part))
        quaternion = make_continuous(quaternion, before)
        before = quaternion[-1]
        yield position, quaternion


def make_continuous(quaternion: Array, before: Array | None = None) -> Array:
    """Quaternions (frames, bodies, 4) of length 1 whose signs never jump from a frame to the next, nor from those of
    the frame `before` (bodies, 4)."""
    unit = quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
    is_flip = np.zeros(unit.shape[:-1], dtype=bool)
    is_flip[1:] = (unit[1:] * unit[:-1]).sum(axis=-1) < 0
    if before is not None:
        is_flip[0] = (unit[0] * before).sum(axis=-1) < 0
    sign = np.where(np.cumsum(is_flip, axis=0) % 2 == 1, -1.0, 1.0)
    unit *= sign[..., np.newaxis]
    return unit


def _read_bodies(part: Result) -> tuple[Array, Array]:
    """Positions and quaternions x, y, z, w of the bodies of the model, then of its points, as they were stored."""
    bodies, points = tuple(part.model.bodies), tuple(part.model.points)
    shape = (len(part.time), len(bodies) + len(points))
    position, quaternion = np.zeros((*shape, 3)), np.zeros((*shape, 4))
    quaternion[..., 3] = 1.0
    if bodies:
        position[:, : len(bodies)], _ = part.block("body/position", bodies)
        stored, _ = part.block("body/orientation", bodies)
        quaternion[:, : len(bodies)] = np.roll(stored, -1, axis=2)
    if points:
        position[:, len(bodies) :], _ = part.block("point/position", points)
    return position, quaternion


def _add_rods(part: Result, position: Array, quaternion: Array) -> tuple[Array, Array]:
    """The poses of bodies, and behind them those of rods."""
    places, turns = calc_rod_poses(part.model, position, quaternion)
    return np.concatenate([position, places], axis=1), np.concatenate([quaternion, turns], axis=1)
