"""Tyres that are crushed: pressed in deeper than rubber reaches, where the law of the tyre says nothing.

A tyre knows one plane of ground under its footprint. In front of a wall, or on a step, that plane may lie far above the
rim, and the force grows with the depth all the same: the run goes on with forces that no wheel can have, and may do so
with a closed energy balance. A tyre of the radius r is crushed if its deflection d is

    d > CRUSHED_SHARE r                                                                   (1)

Seen are the frames that were stored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.families.tyre.spec import Tyre
from grouser.result.result import Result

CRUSHED_SHARE = 0.5
"""Share of its unloaded radius by which a tyre may be pressed in: rims have more than the other half."""


@dataclass(frozen=True)
class Crushed:
    """A tyre that is crushed.

    Attributes
    ----------
    tyre : its name
    body : the wheel that carries it
    time : when it first was [s]
    deflection : the largest of the run [m]
    radius : unloaded [m]
    """

    tyre: str
    body: str
    time: float
    deflection: float
    radius: float

    def say(self) -> str:
        """What has happened, and what to do."""
        return (
            f"tyre {self.tyre!r} of body {self.body!r} is pressed in by {1e3 * self.deflection:.0f} mm since "
            f"{self.time:.6g} s, {100.0 * self.deflection / self.radius:.0f} % of its radius, deeper than rubber "
            "reaches: the ground there is too steep, or the load too large, for the law of the tyre; give smoother "
            "ground, or drive slower"
        )


def find_crushed(result: Result) -> list[Crushed]:
    """Tyres that are crushed at any time (1), by the time when each first was."""
    tyres = {name: force for name, force in result.model.forces.items() if isinstance(force, Tyre)}
    if not tyres or len(result.time) == 0 or not result.has_block("tyre/deflection"):
        return []
    deflection = result.block("tyre/deflection", list(tyres))[0][:, :, 0]
    found = []
    for (name, tyre), depth in zip(tyres.items(), deflection.T, strict=True):
        is_beyond = depth > CRUSHED_SHARE * tyre.radius
        if is_beyond.any():
            first = float(result.time[np.argmax(is_beyond)])
            found.append(Crushed(name, tyre.frame.body, first, float(np.nanmax(depth)), tyre.radius))
    return sorted(found, key=lambda one: one.time)
