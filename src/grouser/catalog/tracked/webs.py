"""The webs of a band: thick beams, or bricks and cords, between its rigid lugs; bonded to the lugs at both ends.

A pitch p has a rigid part of the length p - w, on which lugs, pad and guide sit, and a web of the length w. Webs lie as
routing put them, bent round wheels, and are straight without stress. The mass of a web is that of its layers: halves of
elements at its ends belong to the rigid parts, and the rest to the nodes between.

Of bricks each layer is a row, or two with its cords between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from grouser.catalog.tracked.belt import Belt, BeltSection, Cords, Layer, calc_belt_section
from grouser.catalog.tracked.inertia import Lump, join_lumps
from grouser.catalog.tracked.routing import Route
from grouser.catalog.tracked.spec import TrackSide
from grouser.model.base import Vec3
from grouser.model.material import LinearMaterial
from grouser.model.mesh import BrickRow, Cord, LinesMesh, WebsMesh
from grouser.model.section import Section

ROUNDED = 1.0 + 1e-9
"""By this factor shear factors stay below 1 in spite of rounding."""


class Places(NamedTuple):
    """Where webs lie and what holds them: ends and tangents of each, names of links by node sets."""

    ends: list[tuple[Vec3, Vec3]]
    tangents: list[tuple[Vec3, Vec3]]
    bonded: dict[str, str]


def make_webs(side: TrackSide, route: Route, y: float, links: Sequence[str]) -> LinesMesh | WebsMesh:
    """Webs between links, in their order; the plane of the track lies at y."""
    belt = side.belt
    assert belt is not None
    half = 0.5 * (side.links.pitch - belt.web)
    centres = [(x, y, z) for x, z in route.centres.tolist()]
    along: list[Vec3] = [(x / side.links.pitch, 0.0, z / side.links.pitch) for x, z in route.links.tolist()]
    following = [*range(1, len(links)), 0]
    places = Places(
        [(_move(centres[i], along[i], half), _move(centres[k], along[k], -half)) for i, k in enumerate(following)],
        [(along[i], along[k]) for i, k in enumerate(following)],
        {
            **{f"start{i}": link for i, link in enumerate(links)},
            **{f"end{i}": links[k] for i, k in enumerate(following)},
        },
    )
    return make_brick_webs(belt, places) if side.track == "band-bricks" else make_beam_webs(belt, places)


def make_beam_webs(belt: Belt, places: Places) -> LinesMesh:
    """Webs of thick beams."""
    section = calc_belt_section(belt)
    young, poisson, area = _find_equivalent(belt, section)
    shear = young / (2.0 * (1.0 + poisson)) * area
    return LinesMesh(
        element="beam_thick",
        # its y axis lies through the thickness, its z axis across the track
        normal=(0.0, 1.0, 0.0),
        section=Section(
            area=area,
            iy=section.EI_side / young,
            iz=section.EI / young,
            j=section.GJ * area / shear,
            shear_y=section.GA / shear,
            shear_z=section.GA_side / shear,
            times=section.times,
        ),
        material=LinearMaterial(young=young, poisson=poisson, density=section.mass_per_length / area),
        count=belt.elements,
        **places._asdict(),
    )


def make_brick_webs(belt: Belt, places: Places) -> WebsMesh:
    """Webs of bricks and cords."""
    rows: list[BrickRow] = []
    cords: list[Cord] = []
    for layer in belt.layers:
        material = LinearMaterial(
            young=layer.young,
            poisson=layer.poisson,
            density=layer.density,
            dilatational=layer.damping,
            deviatoric=layer.damping,
        )
        parts = 1 if layer.cords is None else 2
        rows += parts * [BrickRow(thickness=layer.thickness / parts, material=material)]
        if layer.cords is not None:
            cords.append(_make_cord(belt, layer, layer.cords, len(rows) - 1))
    return WebsMesh(
        width=belt.width,
        rows=rows,
        below=calc_belt_section(belt).height,
        counts=(belt.elements, belt.across),
        cords=cords,
        material=rows[0].material,
        **places._asdict(),
    )


def _make_cord(belt: Belt, layer: Layer, wires: Cords, level: int) -> Cord:
    """All wires of a layer, less the rubber in their place."""
    area = belt.width * 0.25 * math.pi * wires.diameter**2 / wires.spacing
    return Cord(
        element="beam_thin" if wires.bends else "truss",
        level=level,
        modulus=wires.young - layer.young,
        # a softened wire bends, and weighs, as before
        area=area / belt.softening,
        iy=belt.width * math.pi * wires.diameter**4 / 64.0 / wires.spacing if wires.bends else None,
        density=belt.softening * max(wires.density - layer.density, 0.0),
    )


def _find_equivalent(belt: Belt, section: BeltSection) -> tuple[float, float, float]:
    """Young's modulus, Poisson's ratio and area of a section of one material with the same stiffness. The shear modulus
    is no smaller than shear factors of at most 1 allow."""
    area = math.pi * section.thickness**2 / 4.0  # pictures show webs as bars as thick as the belt
    young = section.EA / area
    shear = max(0.5 * young, ROUNDED * section.GA / area, ROUNDED * section.GA_side / area)
    return young, young / (2.0 * shear) - 1.0, area


def find_link_lump(side: TrackSide) -> Lump:
    """A link, or the rigid part of a pitch of a band with what its webs bring to it."""
    links = side.links
    own = Lump(links.mass, links.com, links.inertia)
    if not side.is_band or side.belt is None:
        return own
    belt, section = side.belt, calc_belt_section(side.belt)
    length = 0.5 * belt.web / belt.elements
    mass, b, h = section.mass_per_length * length, belt.width, section.thickness
    square = (b**2 + h**2, length**2 + h**2, length**2 + b**2)
    inertia = (mass * square[0] / 12.0, mass * square[1] / 12.0, mass * square[2] / 12.0)
    place = 0.5 * (links.pitch - belt.web) + 0.5 * length
    return join_lumps([own, *(Lump(mass, (x, 0.0, 0.0), inertia) for x in (-place, place))])


def _move(place: Vec3, along: Vec3, way: float) -> Vec3:
    return place[0] + way * along[0], place[1], place[2] + way * along[2]
