"""Joints that open: a gap that is no longer small beside what the joint holds together.

The gap of a joint is the distance of its points, as far as it holds them together, or what the tilt of its axes makes
at the size s of the joint (`model/size.py`),

    gap = max(|translations|, s max |rotations|)                                          (1)

Beyond the share `OPEN_SHARE` of s the geometry of the model is no longer the one that was given. Beyond ten times that
the bodies are apart, and the run stops. Joints by springs of a realistic compliance are far from it: pins of 0.12 m
tell an opening of 6 mm and stop at 60 mm, where those of 1e7 N/m open by 2.6 mm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.model.model import Model
from grouser.model.size import calc_joint_sizes

Array = np.ndarray

OPEN_SHARE = 0.05
"""Share of its size [m] by which a joint may open before it is told."""
APART_SHARE = 0.5
"""Share of its size [m] by which a joint may open before the run stops."""


@dataclass
class Opening:
    """A joint that has opened.

    Attributes
    ----------
    joint : its name
    time : when its gap was first beyond `OPEN_SHARE` of its size [s]
    gap : largest gap so far [m]
    size : of the joint [m]
    """

    joint: str
    time: float
    gap: float
    size: float

    def say(self) -> str:
        """What has happened, as a sentence without its remedy."""
        return (
            f"joint {self.joint!r} has opened by {1e3 * self.gap:.3g} mm since {self.time:.6g} s, "
            f"{100.0 * self.gap / self.size:.2g} % of the size of what it joins, {1e3 * self.size:.3g} mm"
        )


class Openings:
    """Which joints have opened so far.

    Attributes
    ----------
    opened : by name
    apart : the joint that came apart, or None
    """

    def __init__(self, model: Model, names: tuple[str, ...]) -> None:
        sizes = calc_joint_sizes(model)
        self._names, self._sizes = names, np.array([sizes[name] for name in names])
        self.opened: dict[str, Opening] = {}
        self.apart: Opening | None = None

    def add(self, times: list[float], rows: Array, peaks: Array) -> int:
        """Look at frames: the held rows (frames, joints, 6) of their positions, and the largest gaps of the points
        since the frames before (frames, joints) [m]. Returns how many frames there are until a joint came apart, that
        one included."""
        tilts = self._sizes * np.abs(rows[..., 3:]).max(axis=-1, initial=0.0)
        gaps = np.maximum(np.maximum(np.linalg.norm(rows[..., :3], axis=-1), peaks), tilts)  # (1)
        count = len(times)
        apart = np.argwhere(gaps > APART_SHARE * self._sizes)
        if len(apart):
            count = int(apart[:, 0].min()) + 1
        for frame, joint in np.argwhere(gaps[:count] > OPEN_SHARE * self._sizes):
            name, gap, size = self._names[joint], float(gaps[frame, joint]), float(self._sizes[joint])
            opening = self.opened.setdefault(name, Opening(name, times[frame], gap, size))
            opening.gap = max(opening.gap, gap)
        if len(apart):
            self.apart = self.opened[self._names[int(np.argmax(gaps[count - 1] / self._sizes))]]
        return count
