"""Realizations: what a connection IS. Stiffness belongs here, never to the joint."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from grouser.errors import ModelError
from grouser.families.joint.spec import HELD_ROWS, count_held_rows

LOAD = 98.1
"""Acceleration [m/s^2], ten times that of gravity, at which a joint by `PenaltyScaled` has to bear what it carries."""
MOST_ELEMENTS = 16
"""Beams of an elastic link."""
GIVING = 0.04
"""Share of its size by which a joint by `PenaltyScaled` may give way then."""


@dataclass(frozen=True)
class Ideal:
    """The joint or the prescribed motion holds exactly, by multipliers or by recursion."""


@dataclass(frozen=True)
class Penalty:
    """The joint holds by stiff springs on the violation of its constraints.

    Attributes
    ----------
    k : stiffness of held translations [N/m]
    c : damping of held translations [N s/m]
    arm : length [m] that turns both into rotational values, k arm^2 and c arm^2: half the distance of two
        points that would hold the axis
    """

    k: float = 1.0e9
    c: float = 5.0e4
    arm: float = 0.1

    def __post_init__(self) -> None:
        _check_positive("penalty", k=(self.k, "N/m"), arm=(self.arm, "m"))
        _check_not_negative("penalty", c=(self.c, "N s/m"))


@dataclass(frozen=True)
class PenaltyScaled:
    """Penalty whose stiffness follows from the masses that the joint connects, so that it is as stiff as a step can
    bear and no stiffer: k = m frequency^2, c = 2 ratio m frequency, with m the least effective mass at the joint.

    A joint of light bodies that carries heavy ones would give way. Its frequency is raised until `LOAD` times the mass
    that it carries deforms it by no more than the share `GIVING` of its size (`calc_frequency`).

    Attributes
    ----------
    frequency : angular frequency of the joint on its own [rad/s]
    ratio : damping ratio [-]
    """

    frequency: float = 1.0e4
    ratio: float = 0.3

    def __post_init__(self) -> None:
        _check_positive("penalty", frequency=(self.frequency, "rad/s"))
        _check_not_negative("penalty", ratio=(self.ratio, "-"))

    def calc_gains(self, mass: float, frequency: float | None = None) -> tuple[float, float]:
        """Stiffness and damping for an effective mass [kg] or inertia [kg m^2]; at another frequency [rad/s], if one is
        given."""
        frequency = self.frequency if frequency is None else frequency
        return mass * frequency**2, 2.0 * self.ratio * mass * frequency

    def calc_frequency(self, mass: float, carried: float, size: float) -> float:
        """Frequency [rad/s] at which a joint of the effective mass [kg] bears a carried mass [kg], beside its size [m]:
        k GIVING size >= LOAD carried."""
        return max(self.frequency, math.sqrt(LOAD * carried / (GIVING * size * mass)))


@dataclass(frozen=True)
class Bushing:
    """The joint becomes a six-component bushing in the axes of frame a.

    Attributes
    ----------
    stiffness, damping : six diagonal values for x, y, z [N/m], tilt x, tilt y, twist [N m/rad], and likewise for
        the damping; the rows that the joint leaves free are set to zero
    """

    stiffness: tuple[float, ...] = field(default=(1e9, 1e9, 1e9, 1e7, 1e7, 1e7))
    damping: tuple[float, ...] = field(default=(5e4, 5e4, 5e4, 5e2, 5e2, 5e2))

    def __post_init__(self) -> None:
        for name, values in (("stiffness", self.stiffness), ("damping", self.damping)):
            if not isinstance(values, list | tuple) or len(values) != 6:
                raise ModelError(f"bushing {name}: expected 6 values (x y z, tilt x, tilt y, twist), got {values!r}")
            for value in values:
                _check_not_negative("bushing", **{name: (value, "")})


@dataclass(frozen=True)
class ElasticLinks:
    """The links of a track are beams by gradients, and its pins are rows that neighbours share: nothing can open
    (`grouser.compile.elastic_links`). It is for the pins of tracks. By default links are of steel.

    Attributes
    ----------
    young : Young's modulus [Pa]
    poisson : Poisson's ratio, from 0 and below 0.5
    damping : viscous modulus over elastic modulus [s]
    elements : beams of each link
    """

    young: float = 2.1e11
    poisson: float = 0.3
    damping: float = 0.0
    elements: int = 1

    def __post_init__(self) -> None:
        _check_positive("elastic links", young=(self.young, "Pa"))
        _check_not_negative("elastic links", poisson=(self.poisson, ""), damping=(self.damping, "s"))
        if not self.poisson < 0.5:
            raise ModelError(f"elastic links: poisson = {self.poisson} must be below 0.5")
        if not (isinstance(self.elements, int) and 1 <= self.elements <= MOST_ELEMENTS):
            raise ModelError(f"elastic links: elements = {self.elements} must be a number from 1 to {MOST_ELEMENTS}")


Realization = Ideal | Penalty | PenaltyScaled | Bushing | ElasticLinks
MotionRealization = Ideal | PenaltyScaled


def find_realization(group: str, realizations: Mapping[str, Realization]) -> Realization:
    """Realization of a joint group; the entry ``*`` serves all groups that have none of their own."""
    return realizations.get(group, realizations["*"])


FREEDOMS: dict[str, int] = {kind: 6 - count_held_rows(kind) for kind in HELD_ROWS}
"""Degrees of freedom that a joint leaves between its bodies."""


def calc_held_matrix(joint_type: str, diagonal: NDArray[np.float64]) -> NDArray[np.float64]:
    """Diagonal 6 x 6 matrix with the rows that a joint leaves free set to zero."""
    return np.diag(diagonal * np.array(HELD_ROWS[joint_type], dtype=float))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _check_positive(what: str, **values: tuple[float, str]) -> None:
    for name, (value, unit) in values.items():
        if not (_is_number(value) and value > 0):
            raise ModelError(f"{what}: {name} = {value} {unit} must be positive")


def _check_not_negative(what: str, **values: tuple[float, str]) -> None:
    for name, (value, unit) in values.items():
        if not (_is_number(value) and value >= 0):
            raise ModelError(f"{what}: {name} = {value} {unit} must not be negative")
