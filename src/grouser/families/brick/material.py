"""Materials of bricks: rows of constants for the compiled code.

Laws are (1) to (3) of `grouser.families.brick.law`. Damping is proportional to the rate of strain, with a factor
[s] for changes of volume and one for changes of shape: viscous moduli are these times bulk and shear modulus at small
strains. The residual modes (bending, warping) are strips in uniaxial stress, of which

    share of volume (1 - 2 nu)/3,   share of shape 2 (1 + nu)/3                                           (4)

of the energy, so their factor is the mean of both with these weights. Where the factors are equal, damping of a linear
material is proportional to stiffness.

Range of validity. The linear law (1) is for small strains, with large rotations. Stretched by a factor s it becomes
thinner by sqrt(1 - nu (s^2 - 1)): at nu = 0.49 it vanishes at 1.74. Its kind "by volume" (2) holds the volume instead
of the trace of the strain, and is for nearly incompressible materials of given Young's modulus and Poisson's ratio that
are stretched far. Squeezed below 0.58 of its length a bar of (1) becomes softer and collapses: take a rubber law there.
"""

from __future__ import annotations

import math

import numpy as np

from grouser.families.brick.layout import (
    BULK,
    DELAY,
    FIRST,
    LAW,
    LAW_LINEAR,
    LAW_LINEAR_VOLUME,
    LAW_MOONEY,
    MATERIAL_COLUMNS,
    SECOND,
    SHEAR,
    VISCOUS_BULK,
    VISCOUS_SHEAR,
)


def make_linear(
    young: float, poisson: float, *, by_volume: bool = False, dilatational: float = 0.0, deviatoric: float = 0.0
) -> np.ndarray:
    """Linear elastic material, St. Venant and Kirchhoff's.

    Parameters
    ----------
    young : Young's modulus [Pa]
    poisson : Poisson's ratio, between -1 and 0.5
    by_volume : pressure from the change of volume instead of the trace of the strain
    dilatational, deviatoric : damping factors of volume and shape [s]

    >>> make_linear(2.5, 0.25)[[SHEAR, BULK]].round(12).tolist()
    [1.0, 1.666666666667]
    """
    _check_finite(young=young, poisson=poisson)
    if young <= 0.0:
        raise ValueError(f"Young's modulus is {young:g} Pa: it must be positive")
    if not -1.0 < poisson < 0.5:
        raise ValueError(
            f"Poisson's ratio is {poisson:g}: the linear law needs one above -1 and below 0.5; for a material that "
            "keeps its volume take 0.499, or a Neo-Hookean one with a bulk modulus"
        )
    shear, bulk = young / (2.0 + 2.0 * poisson), young / (3.0 - 6.0 * poisson)
    law = LAW_LINEAR_VOLUME if by_volume else LAW_LINEAR
    return _make_row(law, shear, bulk, 0.0, 0.0, dilatational, deviatoric)


def make_neo_hookean(shear: float, bulk: float, *, dilatational: float = 0.0, deviatoric: float = 0.0) -> np.ndarray:
    """Neo-Hookean material: (3) with c1 = G/2, c2 = 0.

    Parameters
    ----------
    shear, bulk : moduli at small strains [Pa]
    dilatational, deviatoric : damping factors of volume and shape [s]
    """
    _check_finite(shear=shear, bulk=bulk)
    if shear <= 0.0:
        raise ValueError(f"the shear modulus is {shear:g} Pa: it must be positive")
    return _make_row(LAW_MOONEY, shear, bulk, 0.5 * shear, 0.0, dilatational, deviatoric)


def make_mooney_rivlin(
    first: float, second: float, bulk: float, *, dilatational: float = 0.0, deviatoric: float = 0.0
) -> np.ndarray:
    """Mooney-Rivlin material (3).

    Parameters
    ----------
    first, second : c1 and c2 [Pa]; the shear modulus at small strains is 2 (c1 + c2)
    bulk : modulus at small strains [Pa]
    dilatational, deviatoric : damping factors of volume and shape [s]
    """
    _check_finite(c1=first, c2=second, bulk=bulk)
    if first + second <= 0.0:
        raise ValueError(f"c1 + c2 is {first + second:g} Pa: it must be positive, twice of it is the shear modulus")
    return _make_row(LAW_MOONEY, 2.0 * (first + second), bulk, first, second, dilatational, deviatoric)


def calc_small_strain(material: np.ndarray) -> tuple[float, float]:
    """Young's modulus [Pa] and Poisson's ratio at small strains.

    >>> tuple(round(value, 9) for value in calc_small_strain(make_linear(3.0, 0.2)))
    (3.0, 0.2)
    """
    shear, bulk = float(material[SHEAR]), float(material[BULK])
    return 9.0 * bulk * shear / (3.0 * bulk + shear), (3.0 * bulk - 2.0 * shear) / (6.0 * bulk + 2.0 * shear)


def _check_finite(**values: float) -> None:
    for name, value in values.items():
        if not math.isfinite(value):
            raise ValueError(f"{name} is {value}: it must be a finite number")


def _make_row(
    law: int, shear: float, bulk: float, first: float, second: float, dilatational: float, deviatoric: float
) -> np.ndarray:
    _check_finite(dilatational=dilatational, deviatoric=deviatoric)
    if bulk <= 0.0:
        raise ValueError(f"the bulk modulus is {bulk:g} Pa: it must be positive")
    for name, factor in (("dilatational", dilatational), ("deviatoric", deviatoric)):
        if factor < 0.0:
            raise ValueError(f"the {name} damping factor is {factor:g} s: it must not be negative")
    row = np.zeros(MATERIAL_COLUMNS)
    row[LAW], row[SHEAR], row[BULK], row[FIRST], row[SECOND] = law, shear, bulk, first, second
    row[VISCOUS_BULK], row[VISCOUS_SHEAR] = dilatational * bulk, deviatoric * shear
    nu = calc_small_strain(row)[1]
    row[DELAY] = (dilatational * (1.0 - 2.0 * nu) + deviatoric * 2.0 * (1.0 + nu)) / 3.0  # (4)
    return row
