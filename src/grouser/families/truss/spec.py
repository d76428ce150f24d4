"""Trusses in model files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

from grouser.model.base import Flag, NonNegative, Part, Positive
from grouser.model.check import Scope, find_reference_faults
from grouser.model.fault import Fault, Path, make_fault

SHORTEST = 1e-6
"""Trusses are longer than this [m]."""


class Truss(Part):
    """Bar or rope between two points: it pulls with ``E A/l0 (l - l0) + C A/l0 dl/dt``.

    Attributes
    ----------
    point_a, point_b : names of points
    modulus : Young's modulus E [Pa]
    area : of the cross-section, A [m^2]
    damping : viscosity C of the material [Pa s]
    length : l0, at which it is relaxed [m]; by default the distance of its points at the start
    is_rope : it goes slack instead of pushing
    """

    type: Literal["truss"] = "truss"
    point_a: str
    point_b: str
    modulus: Positive
    area: Positive
    damping: NonNegative = 0.0
    length: Positive | None = None
    is_rope: Flag = False


def find_truss_faults(path: Path, truss: Truss, scope: Scope) -> Iterator[Fault]:
    """Faults of a truss."""
    for key in ("point_a", "point_b"):
        yield from find_reference_faults((*path, key), "point", getattr(truss, key), scope.points)
    if truss.point_a == truss.point_b:
        yield make_fault(path, f"both ends are at {truss.point_a!r}; it must connect two different points")
        return
    known = [
        scope.model.points[name].position
        for name in (truss.point_a, truss.point_b)
        if name in scope.model.points and ("points", name) not in scope.absent
    ]
    length = math.dist(*known) if len(known) == 2 else math.inf
    if length < SHORTEST:
        yield make_fault(
            path, f"its points {truss.point_a!r} and {truss.point_b!r} are {length:.3g} m apart; move one of them"
        )
