"""Cross-sections of trusses and beams."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

from pydantic import Field

from grouser.model.base import LARGEST, NonNegative, Part, Positive
from grouser.model.fault import Fault, Path, make_fault

AboveZero = Annotated[float, Field(strict=True, ge=1e-24, le=LARGEST)]
"""Areas and second moments, which are small numbers for thin wires."""
SHEAR_RECTANGLE, SHEAR_CIRCLE = 5.0 / 6.0, 9.0 / 10.0
"""Shear factors, by the energy of the parabolic shear stress."""
_TERMS = 20
"""Terms of the series of the torsion constant; the last is below 1e-8 of the first."""


class Section(Part):
    """Cross-section of a line. Give `rectangle`, `circle`, or `area` with what the element needs besides: `iy` for thin
    beams, `iy`, `iz` and `j` for thick ones.

    Attributes
    ----------
    rectangle : sides along y and z of the section [m]
    circle : diameter [m]
    area : [m^2]
    iy : second moment about y of the section [m^4]
    iz : second moment about z of the section [m^4]; a thin beam takes `iy` for it
    j : torsion constant [m^4]
    shear_y, shear_z : factors of the area in shear along y and z, up to 1; 5/6 by default, 9/10 of a circle
    times : of a thick beam whose layers damp differently, viscous over elastic stiffness for stretch, shear along y and
        z, twist, bending about y and z [s]; by default all are the damping of the material
    """

    rectangle: tuple[Positive, Positive] | None = None
    circle: Positive | None = None
    area: AboveZero | None = None
    iy: AboveZero | None = None
    iz: AboveZero | None = None
    j: AboveZero | None = None
    shear_y: Positive | None = None
    shear_z: Positive | None = None
    times: tuple[NonNegative, NonNegative, NonNegative, NonNegative, NonNegative, NonNegative] | None = None


class SectionValues(NamedTuple):
    """A section in numbers: area [m^2], second moments and torsion constant [m^4], shear factors; zero where an element
    does not need it."""

    area: float
    iy: float
    iz: float
    j: float
    shear_y: float
    shear_z: float


def calc_section(section: Section) -> SectionValues:
    """Numbers of a section without faults.

    >>> [round(value, 4) for value in calc_section(Section(rectangle=(1.0, 1.0)))]
    [1.0, 0.0833, 0.0833, 0.1406, 0.8333, 0.8333]
    """
    shear_y, shear_z = section.shear_y or SHEAR_RECTANGLE, section.shear_z or SHEAR_RECTANGLE
    if section.rectangle is not None:
        b, h = section.rectangle
        return SectionValues(b * h, b * h**3 / 12.0, h * b**3 / 12.0, _calc_torsion(b, h), shear_y, shear_z)
    if section.circle is not None:
        square = section.circle**2
        i = math.pi * square**2 / 64.0
        round_y, round_z = section.shear_y or SHEAR_CIRCLE, section.shear_z or SHEAR_CIRCLE
        return SectionValues(math.pi * square / 4.0, i, i, 2.0 * i, round_y, round_z)
    iy = section.iy or 0.0
    return SectionValues(section.area or 0.0, iy, section.iz or iy, section.j or 0.0, shear_y, shear_z)


def _calc_torsion(b: float, h: float) -> float:
    """Torsion constant of a rectangle [m^4], by Saint-Venant's series."""
    short, long = min(b, h), max(b, h)
    odd = range(1, 2 * _TERMS, 2)
    series = sum(math.tanh(n * math.pi * long / (2.0 * short)) / n**5 for n in odd)
    return long * short**3 / 3.0 * (1.0 - 192.0 / math.pi**5 * short / long * series)


_NEEDED = {"truss": ("area",), "beam_thin": ("area", "iy"), "beam_thick": ("area", "iy", "iz", "j")}
_NEEDED |= {"ancf_beam": _NEEDED["beam_thick"], "ancf_cable": _NEEDED["beam_thin"]}
_ROUNDING = 1e-6
"""Share by which second moments that mean the same may differ."""


def find_section_faults(path: Path, section: Section, element: str) -> Iterator[Fault]:
    """Too little, too much, or what the element cannot take."""
    forms = [name for name in ("rectangle", "circle", "area") if getattr(section, name) is not None]
    if len(forms) != 1:
        given = " and ".join(f"'{name}'" for name in forms) or "none of them"
        yield make_fault(path, f"has {given}; give exactly one of 'rectangle', 'circle' and 'area'")
        return
    moments = [name for name in ("iy", "iz", "j") if getattr(section, name) is not None]
    if forms != ["area"] and moments:
        yield make_fault(
            (*path, moments[0]), f"follows from the {forms[0]} already; leave it out, or give 'area' instead"
        )
        return
    if forms == ["area"]:
        for name in _NEEDED[element]:
            if getattr(section, name) is None:
                yield make_fault(path, f"missing key {name!r}, which a {element} needs besides its area")
                return
    for name in ("shear_y", "shear_z"):
        if (getattr(section, name) or 0.0) > 1.0:
            yield make_fault((*path, name), f"is {getattr(section, name):g}; a shear factor is at most 1")
    if section.times is not None and element != "beam_thick":
        yield make_fault((*path, "times"), f"is for beam_thick, and the element is {element!r}; leave it out")
    values = calc_section(section)
    name, other = ("thin beam", "beam_thick") if element == "beam_thin" else ("cable", "ancf_beam")
    if element in ("beam_thin", "ancf_cable") and abs(values.iy - values.iz) > _ROUNDING * values.iy:
        yield make_fault(
            path,
            f"has second moments {values.iy:.4g} and {values.iz:.4g} m^4, and a {name} bends alike in all "
            f"directions; give 'area' and the 'iy' of the plane in which it bends, or take {other}",
        )
