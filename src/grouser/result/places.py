"""Where the frames of a model are in a result: those on bodies, on points and on meshes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from grouser.model.body import WORLD, Frame
from grouser.model.carrier import carry
from grouser.model.rotation import quaternion_to_matrix

if TYPE_CHECKING:
    from grouser.result.result import Array, Result


def calc_places(result: Result, frames: Sequence[Frame]) -> Array:
    """Origins of frames in the world, (frames, n, 3) [m]."""
    carried = [carry(result.model, frame) for frame in frames]
    places = np.einsum("fnij,nj->fni", _calc_rotations(result, carried), [frame.position for frame in carried])
    for i, frame in enumerate(carried):
        if frame.body != WORLD:
            places[:, i] += result[f"{frame.body}.position"]
    return places


def calc_axes(result: Result, frames: Sequence[Frame]) -> Array:
    """Axes of frames in the world in columns, (frames, n, 3, 3)."""
    carried = [carry(result.model, frame) for frame in frames]
    axes: Array = _calc_rotations(result, carried) @ np.stack([quaternion_to_matrix(f.orientation) for f in carried])
    return axes


def is_drawn(result: Result, frame: Frame) -> bool:
    """Whether something that a picture knows by name carries a frame: the world, a body, a named point."""
    model = result.model
    return frame.body == WORLD or frame.body in model.bodies or frame.body in model.points


def _calc_rotations(result: Result, frames: Sequence[Frame]) -> Array:
    """Rotation of what carries each frame; the world and points do not turn."""
    turned = np.tile(np.eye(3), (len(result.time), len(frames), 1, 1))
    on_bodies = [i for i, frame in enumerate(frames) if frame.body in result.model.bodies]
    if on_bodies:
        turned[:, on_bodies] = result.calc_rotations([frames[i].body for i in on_bodies])
    for i, frame in enumerate(frames):
        if i not in on_bodies and f"{frame.body}.orientation" in result.channels:
            turned[:, i] = quaternion_to_matrix(result[f"{frame.body}.orientation"])
    return turned
