"""Bushings: elastic connections of two frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from grouser.model.base import Number, Part, Vec6
from grouser.model.body import Frame
from grouser.model.check import Scope, find_matrix_faults
from grouser.model.check_frame import find_pair_faults, is_still
from grouser.model.fault import Fault, Path, make_fault


def _choose_rows(value: Any) -> str:
    is_matrix = isinstance(value, list | tuple) and any(isinstance(row, list | tuple) for row in value)
    return "matrix" if is_matrix else "diagonal"


Matrix6 = Annotated[
    Annotated[list[Number], Tag("diagonal")] | Annotated[list[list[Number]], Tag("matrix")],
    Discriminator(_choose_rows),
]
"""Six diagonal values, or six rows of six."""


class Bushing(Part):
    """Six-component elastic connection between two frames.

    Its coordinates are the displacement of frame b in frame a (x, y, z) [m] and the rotation: two
    tilts of the z axis about x and y, and the twist about z [rad]. Forces act on b as
    ``preload - K q - C dq/dt``; the law is exactly conservative for any rotation below half a turn.

    Attributes
    ----------
    stiffness : K, six diagonal values or a full symmetric 6 x 6 matrix, rows
        (x, y, z, tilt x, tilt y, twist) [N/m, N m/rad]
    damping : C, likewise [N s/m, N m s/rad]
    preload : six forces and torques at zero deformation [N, N m]
    """

    type: Literal["bushing"] = "bushing"
    frame_a: Frame
    frame_b: Frame
    stiffness: Matrix6
    damping: Matrix6 = Field(default_factory=lambda: [0.0] * 6)
    preload: Vec6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def find_bushing_faults(path: Path, bushing: Bushing, scope: Scope) -> Iterator[Fault]:
    """Faults of a bushing."""
    yield from find_pair_faults(path, bushing.frame_a, bushing.frame_b, scope)
    for key in ("frame_a", "frame_b"):
        frame = getattr(bushing, key)
        if is_still(frame, scope):
            yield make_fault(
                (*path, key), f"is on a point of {frame.body!r}, which does not turn; use springs, or a spherical joint"
            )
    yield from find_matrix_faults((*path, "stiffness"), bushing.stiffness)
    yield from find_matrix_faults((*path, "damping"), bushing.damping)
