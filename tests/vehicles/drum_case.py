"""A band on two drums: rigid lugs with webs between them, driven by friction, one drum pushed away from the other."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

import grouser as gr
from grouser.catalog.tracked.belt import Belt, BeltSection, Cords, Layer, calc_belt_section
from grouser.catalog.tracked.webs import Places, make_beam_webs, make_brick_webs

Kind = Literal["beams", "bricks"]

PITCH, WEB, WIDTH, LUG = 0.09, 0.036, 0.3, 1.5
"""Of the band [m], and mass of a lug [kg]."""
AROUND, RUN = 16, 20
"""Pitches around a drum, and of each straight run."""
PUSH = 18.0e3
"""With which the far drum is pushed away [N]."""
RAMP = 0.1
"""Time in which the push grows [s]."""
CORDS = Cords(diameter=1.0e-3, spacing=1.0e-3, young=2.0e11, density=7900.0, bends=False)
BELT = Belt(
    length=PITCH * (AROUND + 2 * RUN),
    width=WIDTH,
    web=WEB,
    layers=[Layer(thickness=0.012, young=1.0e7, poisson=0.3, density=1100.0, damping=1e-3, cords=CORDS)],
    elements=1,
)
LINKS = BELT.count_lugs(PITCH)
HEIGHT = 0.006
"""From the neutral axis to the face that lies on the drums [m]."""
AXIS = PITCH / (2.0 * math.tan(math.pi / AROUND))
"""Radius at which the neutral axis of lugs runs on a drum [m]."""
SPAN = RUN * PITCH
"""Length of a free span, between the axes of the drums [m]."""


def calc_section() -> BeltSection:
    """Section of the band."""
    return calc_belt_section(BELT)


def calc_line_mass() -> float:
    """Mass over length of lugs and webs [kg/m]."""
    return (LUG + calc_section().mass_per_length * WEB) / PITCH


def make_drums(kind: Kind, mu: float, *, spin: object = 0.0, pluck: object = 0.0) -> gr.Model:
    """The band around a drum that stands still, and one on a slide that turns by `spin` [rad/s], on which it has the
    coefficient of friction mu; `pluck` pushes the middle of the upper span upwards [N]."""
    builder = gr.ModelBuilder("drums", gravity=(0.0, 0.0, 0.0))
    places, angles = _place_lugs()
    web_mass = calc_section().mass_per_length * WEB  # all of it is in the lugs: webs have no nodes of their own
    for i, ((x, z), angle) in enumerate(zip(places, angles, strict=True)):
        builder.add_body(
            f"lug{i}",
            LUG + web_mass,
            (0.012, 0.002, 0.013),
            position=(x, 0.0, z),
            orientation=(math.cos(0.5 * angle), 0.0, -math.sin(0.5 * angle), 0.0),
        )
        face = {"position": (0.0, 0.0, HEIGHT), "length": PITCH, "width": WIDTH}
        builder.add_shape(f"face{i}", "plate", f"lug{i}", group="faces", **face)
    ahead = [(math.cos(a), 0.0, math.sin(a)) for a in angles]
    middles = [(x, 0.0, z) for x, z in places]
    rigid = 0.5 * (PITCH - WEB)
    following = [*range(1, LINKS), 0]
    webs = Places(
        [(_move(middles[i], ahead[i], rigid), _move(middles[k], ahead[k], -rigid)) for i, k in enumerate(following)],
        [(ahead[i], ahead[k]) for i, k in enumerate(following)],
        {f"start{i}": f"lug{i}" for i in range(LINKS)} | {f"end{i}": f"lug{k}" for i, k in enumerate(following)},
    )
    mesh = make_beam_webs(BELT, webs) if kind == "beams" else make_brick_webs(BELT, webs)
    builder.add_mesh("belt", **{name: value for name, value in dict(mesh).items() if name in mesh.model_fields_set},
                     type=mesh.type)  # fmt: skip
    for name, x in (("near", 0.0), ("far", SPAN)):
        builder.add_body(name, 30.0, (1.0, 1.0, 1.0), position=(x, 0.0, 0.0))
        planes = [-0.25 * WIDTH, 0.25 * WIDTH]
        builder.add_shape(f"{name}_face", "wheel", name, group=f"{name}_rim", radius=AXIS - HEIGHT, planes=planes)
        friction = {"model": "trilinear", "mu": 1.0 if name == "near" else mu, "velocity": 5e-3}
        builder.add_contact(f"on_{name}", f"{name}_rim", "faces", stiffness=2e6, damping=2e3, friction=friction)
    builder.add_body("slide", 20.0, (1.0, 1.0, 1.0), position=(SPAN, 0.0, 0.0))
    builder.add_joint("rail", "prismatic", "world", "slide", point=(SPAN, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    builder.add_force("push", "slide", force=([(0.0, 0.0), (RAMP, PUSH), (10.0, PUSH)], 0.0, 0.0))
    builder.add_joint_spring("damper", "rail", stiffness=0.0, damping=3e4)
    builder.add_joint("near_axle", "revolute", "world", "near", axis=(0.0, 1.0, 0.0))
    builder.add_joint("far_axle", "revolute", "slide", "far", point=(SPAN, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    builder.add_motion("hold", "near_axle", speed=0.0)
    builder.add_motion("turn", "far_axle", speed=spin)
    builder.add_force("pluck", f"lug{find_upper()[RUN // 2]}", force=(0.0, 0.0, pluck))
    builder.set_main_body("far")
    return builder.build()


def find_upper() -> list[int]:
    """Lugs of the upper span, from the far drum to the near one."""
    return [AROUND // 2 + i for i in range(RUN)]


def find_lower() -> list[int]:
    """Lugs of the lower span, from the near drum to the far one."""
    return [AROUND + RUN + i for i in range(RUN)]


def _place_lugs() -> tuple[list[tuple[float, float]], list[float]]:
    """Places (x, z) of lugs and their angles, counter-clockwise from the bottom of the far drum."""
    step, radius = 2.0 * math.pi / AROUND, PITCH / (2.0 * math.sin(math.pi / AROUND))
    corners = []
    for x, start, way in ((SPAN, -0.5 * math.pi, -1.0), (0.0, 0.5 * math.pi, 1.0)):
        turn = [start + step * k for k in range(AROUND // 2 + 1)]
        corners += [(x + radius * math.cos(a), radius * math.sin(a)) for a in turn]
        corners += [(x + way * PITCH * k, -way * radius) for k in range(1, RUN)]
    points = np.array(corners)
    after = np.roll(points, -1, axis=0)
    way = after - points
    return [tuple(p) for p in 0.5 * (points + after)], np.arctan2(way[:, 1], way[:, 0]).tolist()


def _move(place: tuple, along: tuple, way: float) -> tuple:
    return tuple(p + way * a for p, a in zip(place, along, strict=True))
