"""The flexible part of a band track: what it is made of, and its section.

A belt of the width b is made of layers, each with the thickness t, Young's modulus E and the shear modulus G. With z
through the thickness and the neutral axis at z_n = sum E t z/sum E t,

    EA = b sum E t,   EI = b sum E (t^3/12 + t (z - z_n)^2),   EI_side = sum E t b^3/12                    (1)
    GA = b/integral (S/D)^2/G dz,   S(z) = integral of E (z - z_n) from the inner face,   D = EI/b         (2)
    GA_side = 5/6 b sum G t,   GJ = b/3 sum 4 G (t^3/12 + t (z - z_G)^2) J(b, t)/(b t^3/3)                 (3)

(2) is the energy of the shear stress that equilibrium asks for: 5/6 of G A for one layer. Cords are in the middle of
their layer there, where S jumps by what they have of the first moment. In (3) z_G is the axis
of the shear moduli, and J(b, t) Saint-Venant's constant of the whole rectangle over that of a thin one.

Layers damp by times T of their own. The viscous stiffness of stretch, bendings and twist is the same sum with E T, G T;
that of shear in (2) has the time of the mean of G T over the thickness.

Cords are wires in a layer, of a diameter at a spacing, along the belt. Their modulus counts with the share of the layer
that they fill, and their own bending stiffness is that of round wires.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from grouser.model.base import Count, Flag, NonNegative, Number, Part, Positive
from grouser.model.fault import Fault, Path, make_fault
from grouser.model.section import Section, calc_section

FIT = 1e-3
"""Share of a pitch by which the length of a belt may miss a whole number of pitches."""


class Cords(Part):
    """Round wires along a layer, side by side in its middle.

    Attributes
    ----------
    diameter : of a wire [m]
    spacing : from the middle of one to that of the next [m]
    young : Young's modulus [Pa]
    density : [kg/m^3]
    bends : wires bend as rods; ropes of thin wires hardly do
    """

    diameter: Positive
    spacing: Positive
    young: Positive
    density: Positive
    bends: Flag = True


class Layer(Part):
    """A layer of a belt.

    Attributes
    ----------
    thickness : [m]
    young : Young's modulus [Pa]
    poisson : Poisson's ratio, by which the shear modulus follows
    density : [kg/m^3]
    damping : viscous modulus over elastic modulus, of the layer without its cords [s]
    cords : wires in it, or None
    """

    thickness: Positive
    young: Positive
    poisson: Annotated[Number, Field(ge=0.0, le=0.5)]
    density: Positive
    damping: NonNegative = 0.0
    cords: Cords | None = None


class Belt(Part):
    """Flexible part of a band track. What repeats along it, lugs, pads and guides, are the `links`.

    Attributes
    ----------
    length : of the loop along its neutral axis, a whole number of pitches [m]
    width : [m]
    web : length of the flexible part of each pitch; the rest is as rigid as its lugs make it [m]
    layers : from the inner face to the outer one
    softening : the belt stretches, and bends sideways, more easily by this factor; it bends round wheels as before. Of
        webs of bricks it is the cords that stretch so
    elements : thick beams of each web, or bricks along it
    across : bricks across the belt; beams have none
    """

    length: Positive
    width: Positive
    web: Positive
    layers: list[Layer] = Field(min_length=1, max_length=20)
    softening: Annotated[Number, Field(ge=1.0, le=1.0e6)] = 1.0
    elements: Annotated[Count, Field(ge=1, le=16)] = 1
    across: Annotated[Count, Field(ge=1, le=32)] = 2

    def count_lugs(self, pitch: float) -> int:
        """Pitches in the loop."""
        return max(round(self.length / pitch), 1)


class BeltSection(NamedTuple):
    """Section of a belt.

    Attributes
    ----------
    EA, GA, GA_side : stiffness in stretch, in shear through the thickness and across the belt [N]
    GJ, EI_side, EI : in twist, in bending to the side and round wheels [N m^2]
    times : damping over stiffness of stretch, shears, twist and bendings, in the order EA to EI above [s]
    mass_per_length : [kg/m]
    thickness : [m]
    height : of the neutral axis over the outer face [m]
    """

    EA: float
    GA: float
    GA_side: float
    GJ: float
    EI_side: float
    EI: float
    times: tuple[float, float, float, float, float, float]
    mass_per_length: float
    thickness: float
    height: float


def calc_belt_section(belt: Belt) -> BeltSection:
    """Section by (1) to (3); stretch and bending to the side are softened as the belt says."""
    b, soft = belt.width, belt.softening
    layers = belt.layers[::-1]  # z from the outer face
    t, T = np.array([layer.thickness for layer in layers]), np.array([layer.damping for layer in layers])
    E, own = (np.array(column) for column in zip(*(_calc_layer(layer) for layer in layers), strict=True))
    pure = np.array([layer.young for layer in layers])  # cords do not damp
    G = np.array([layer.young / (2.0 * (1.0 + layer.poisson)) for layer in layers])
    top = np.cumsum(t)
    z, h = top - 0.5 * t, float(t.sum())
    neutral = float(E @ (t * z) / (E @ t))
    z_G = float(G @ (t * z) / (G @ t))
    arm, twist_arm = t * (z - neutral) ** 2, t**3 / 12.0 + t * (z - z_G) ** 2
    stretch, bending, shear, twist = float(E @ t), float(own.sum() + E @ arm), float(G @ t), float(G @ twist_arm)
    T_stretch = float(pure * T @ t) / stretch
    T_bending = float(pure * T @ (t**3 / 12.0 + arm)) / bending
    T_shear, T_twist = float(G * T @ t) / shear, float(G * T @ twist_arm) / twist
    corner = calc_section(Section(rectangle=(b, h))).j / (b * h**3 / 3.0)
    return BeltSection(
        EA=b * stretch / soft,
        GA=b / _calc_compliance(layers, G, neutral, bending),
        GA_side=5.0 / 6.0 * b * shear / soft,
        GJ=4.0 * b * twist * corner,
        EI_side=stretch * b**3 / 12.0 / soft,
        EI=b * bending,
        times=(T_stretch, T_shear, T_shear, T_twist, T_stretch, T_bending),
        mass_per_length=b * sum(layer.density * layer.thickness + _calc_cord_mass(layer) for layer in layers),
        thickness=h,
        height=neutral,
    )


def _calc_layer(layer: Layer) -> tuple[float, float]:
    """Mean modulus of a layer with its cords, and its own bending stiffness over width."""
    bending = layer.young * layer.thickness**3 / 12.0
    if layer.cords is None:
        return layer.young, bending
    cords = layer.cords
    excess = cords.young - layer.young
    fill = 0.25 * math.pi * cords.diameter**2 / cords.spacing
    wire = math.pi * cords.diameter**4 / 64.0 / cords.spacing if cords.bends else 0.0
    return layer.young + excess * fill / layer.thickness, bending + excess * wire


def _calc_cord_mass(layer: Layer) -> float:
    """What the cords of a layer add to its mass over area."""
    if layer.cords is None:
        return 0.0
    return (layer.cords.density - layer.density) * 0.25 * math.pi * layer.cords.diameter**2 / layer.cords.spacing


def _calc_compliance(layers: Sequence[Layer], G: np.ndarray, neutral: float, D: float) -> float:
    """The integral of (2), layers from the outer face. S is a parabola between cords and faces of layers, so three
    points of Gauss are exact."""
    points, weights = np.polynomial.legendre.leggauss(3)
    total, below, start = 0.0, 0.0, 0.0
    for layer, shear in zip(layers, G, strict=True):
        parts = 1 if layer.cords is None else 2
        thickness = layer.thickness / parts
        for part in range(parts):
            if part == 1 and layer.cords is not None:
                fill = 0.25 * math.pi * layer.cords.diameter**2 / layer.cords.spacing
                below += (layer.cords.young - layer.young) * fill * (start - neutral)
            z = start + 0.5 * thickness * (1.0 + points)
            S = below + 0.5 * layer.young * ((z - neutral) ** 2 - (start - neutral) ** 2)
            total += 0.5 * thickness * float(weights @ (S / D) ** 2) / shear
            below += 0.5 * layer.young * ((start + thickness - neutral) ** 2 - (start - neutral) ** 2)
            start += thickness
    return float(total)


def find_belt_faults(path: Path, belt: Belt, pitch: float, count: int | None) -> Iterator[Fault]:
    """Faults of a belt by itself, and of its pitch and number of lugs."""
    number, whole = belt.length / pitch, belt.count_lugs(pitch)
    if abs(belt.length - whole * pitch) > FIT * pitch:
        near = [f"{n * pitch:.6g} m ({n} lugs)" for n in (math.floor(number), math.ceil(number)) if n > 0]
        yield make_fault(
            (*path, "length"),
            f"is {belt.length:g} m, {number:.2f} times the lug pitch of {pitch:g} m (links.pitch); lengths that fit: "
            f"{', '.join(near)}, or a pitch of {belt.length / whole:.6g} m",
        )
    elif count is not None and count != whole:
        yield make_fault(
            ("links", "count"),
            f"is {count}, but the belt of {belt.length:g} m has {whole} lugs at a pitch of {pitch:g} m; leave it out",
        )
    if belt.web >= pitch:
        yield make_fault(
            (*path, "web"), f"is {belt.web:g} m, and the pitch is {pitch:g} m: nothing is left of the lug; make it less"
        )
    for i, layer in enumerate(belt.layers):
        if layer.cords is None:
            continue
        for key, room in (("spacing", layer.cords.spacing), ("thickness", layer.thickness)):
            if layer.cords.diameter > room:
                yield make_fault(
                    (*path, "layers", i, "cords", "diameter"),
                    f"is {layer.cords.diameter:g} m, more than the {key} of {room:g} m: cords do not fit; make it less",
                )


def find_brick_faults(path: Path, belt: Belt) -> Iterator[Fault]:
    """What bricks cannot be made of."""
    for i, layer in enumerate(belt.layers):
        if layer.poisson >= 0.5:
            yield make_fault(
                (*path, "layers", i, "poisson"),
                f"is {layer.poisson:g}, and bricks need less than 0.5; 0.49 is rubber",
            )
        if layer.cords is not None and layer.cords.young <= layer.young:
            yield make_fault(
                (*path, "layers", i, "cords", "young"),
                f"is {layer.cords.young:g} Pa, no more than that of the layer, {layer.young:g} Pa; leave the cords out",
            )
