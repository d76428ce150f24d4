"""What all rules have that make a ground."""

from __future__ import annotations

from collections.abc import Iterator

from grouser.model.base import NonNegative, Part
from grouser.model.fault import Fault, Path
from grouser.model.terrain import Terrain

LEVEL = 1000.0
"""Level ground before and behind an obstacle [m]."""


class GroundRule(Part):
    """What all of them have.

    Attributes
    ----------
    friction : factor on the contact's mu
    """

    friction: NonNegative = 1.0

    def make_terrain(self) -> Terrain:
        """The terrain."""
        raise NotImplementedError

    def find_faults(self, path: Path) -> Iterator[Fault]:
        """What the fields cannot see by themselves."""
        yield from ()
