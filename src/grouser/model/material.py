"""Materials of flexible bodies, and what can be wrong with their constants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from grouser.model.base import Flag, NonNegative, Number, Part, Positive
from grouser.model.fault import Fault, Path, make_fault


class _Damped(Part):
    """What all materials have.

    Attributes
    ----------
    density : mass over volume [kg/m^3]
    dilatational : damping of bricks and ancf_beam for changes of volume, viscous modulus over elastic modulus [s]
    deviatoric : damping of bricks and ancf_beam for changes of shape, viscous modulus over elastic modulus [s]
    damping : of trusses, cables and other beams, viscous modulus over elastic modulus [s]
    """

    density: Positive
    dilatational: NonNegative = 0.0
    deviatoric: NonNegative = 0.0
    damping: NonNegative = 0.0


class LinearMaterial(_Damped):
    """Linear elastic, for small strains with large rotations (St. Venant and Kirchhoff).

    Attributes
    ----------
    young : Young's modulus [Pa]
    poisson : Poisson's ratio, above -1 and below 0.5
    by_volume : pressure from the change of volume instead of the trace of the strain: for nearly incompressible bricks
        that are stretched far
    """

    type: Literal["linear"] = "linear"
    young: Positive
    poisson: Number
    by_volume: Flag = False


class NeoHookeanMaterial(_Damped):
    """Rubber of one constant, for large strains.

    Attributes
    ----------
    shear : modulus at small strains [Pa]
    bulk : modulus at small strains [Pa]
    """

    type: Literal["neo_hookean"] = "neo_hookean"
    shear: Positive
    bulk: Positive


class MooneyRivlinMaterial(_Damped):
    """Rubber of two constants, for large strains.

    Attributes
    ----------
    c1 : constant of the first invariant [Pa]
    c2 : constant of the second invariant; the shear modulus at small strains is 2 (c1 + c2) [Pa]
    bulk : modulus at small strains [Pa]
    """

    type: Literal["mooney_rivlin"] = "mooney_rivlin"
    c1: Number
    c2: Number
    bulk: Positive


Material = Annotated[LinearMaterial | NeoHookeanMaterial | MooneyRivlinMaterial, Field(discriminator="type")]


class Moduli(NamedTuple):
    """Elastic constants at small strains.

    Attributes
    ----------
    young, shear, bulk : [Pa]
    poisson : [-]
    """

    young: float
    shear: float
    bulk: float
    poisson: float


def calc_moduli(material: Material) -> Moduli:
    """Constants at small strains.

    >>> calc_moduli(LinearMaterial(young=2.5, poisson=0.25, density=1.0)).shear
    1.0
    """
    if isinstance(material, LinearMaterial):
        young, nu = material.young, material.poisson
        return Moduli(young, young / (2.0 + 2.0 * nu), young / (3.0 - 6.0 * nu), nu)
    shear = material.shear if isinstance(material, NeoHookeanMaterial) else 2.0 * (material.c1 + material.c2)
    bulk = material.bulk
    return Moduli(
        9.0 * bulk * shear / (3.0 * bulk + shear),
        shear,
        bulk,
        (3.0 * bulk - 2.0 * shear) / (6.0 * bulk + 2.0 * shear),
    )


def find_material_faults(path: Path, material: Material) -> Iterator[Fault]:
    """Constants that no material has, or that the law cannot take."""
    if isinstance(material, LinearMaterial):
        if not -1.0 < material.poisson < 0.5:
            yield make_fault(
                (*path, "poisson"),
                f"is {material.poisson:g}; the linear law needs a ratio above -1 and below 0.5, else its bulk or shear "
                "modulus is not positive and finite: for a material that keeps its volume take 0.499, or neo_hookean "
                "with a bulk modulus",
            )
        return
    if isinstance(material, MooneyRivlinMaterial) and material.c1 + material.c2 <= 0.0:
        yield make_fault(
            path,
            f"c1 + c2 is {material.c1 + material.c2:g} Pa; it must be positive: twice of it is the shear modulus",
        )
        return
    moduli = calc_moduli(material)
    if moduli.poisson < 0.0:
        yield make_fault(
            (*path, "bulk"),
            f"is {moduli.bulk:g} Pa, below 2/3 of the shear modulus {moduli.shear:g} Pa: pulled, the material would "
            "grow thicker; rubber has a bulk modulus of 100 to 1000 times its shear modulus",
        )
