"""Putting a vehicle on a rig: its terrain, tracks and drives go, and every wheel gets a post."""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np

from grouser.catalog.rig.excite import make_signals
from grouser.catalog.rig.spec import Harmonic, Pans, PanStops, Ramp, Rig
from grouser.catalog.rig.wheels import StandingWheel, calc_travel, find_wheels
from grouser.errors import ModelError
from grouser.families.coordinate_force.motion import Motion
from grouser.families.driver.spec import Driver
from grouser.families.joint.spec import Joint
from grouser.families.tyre.spec import Tyre
from grouser.model.base import Quaternion
from grouser.model.body import WORLD, Body, Frame
from grouser.model.contact import TERRAIN, Contact, Plate, Rail, Sphere
from grouser.model.force import Brake, JointSpring, Powertrain, Spring
from grouser.model.model import Model, Post

ARC = 8
"""Straight pieces by which half of a stop's circle is drawn: 0.6 mm of 30 mm beside it at most."""
ROLLING = 0.1
"""Speed of a wheel up to which its rolling resistance grows [rad/s]."""
LEFTWARD: Quaternion = (sqrt(0.5), -sqrt(0.5), 0.0, 0.0)
"""Axes of a plate whose normal points to +y; the length stays along x."""
RIGHTWARD: Quaternion = (sqrt(0.5), sqrt(0.5), 0.0, 0.0)


def mount_on_rig(model: Model, rig: Rig) -> Model:
    """A model on posts, its wheels in the middle of pans whose floors are at rest at z = 0 under the lowest wheel.

    The model stands level as its vehicle does in the design position. Drivers, powertrains, brakes and tyres are left
    out: a tyre is a spring between wheel and pan.
    """
    if model.tracks:
        raise ModelError(
            f"{model.name!r} is a whole model with tracks, which stay on: take a tracked-vehicle file, or a model "
            "without tracks, to put it on posts"
        )
    wheels = find_wheels(model)
    names = _name_posts(wheels)
    _check_amplitude(model, rig, wheels)
    places = {name: float(wheel.centre[0]) for name, wheel in names.items()}
    signals = make_signals(rig.excitation, places, {name: wheel.side for name, wheel in names.items()})
    fields = _strip(model, [wheel.body for wheel in wheels])
    drop = -min(float(wheel.centre[2]) - wheel.radius for wheel in wheels)
    bodies = {name: _raise(body, drop) for name, body in fields["bodies"].items()}
    fields |= {"bodies": bodies, "motions": dict(model.motions), "posts": {}, "terrain": None}
    flat = _find_flat(rig.pans, names)
    for name, wheel in names.items():
        stops = None if name in flat else rig.pans.stops
        _add_post(fields, name, wheel, drop, rig, stops)
        fields["motions"][f"{name}.drive"] = Motion(
            joint=f"{name}.slide", coordinate="translation", quantity="position", value=signals[name]
        )
    if rig.harness is not None:
        _add_harness(fields, model, rig, wheels, drop)
    return model.with_changes(**fields)


def _name_posts(wheels: list[StandingWheel]) -> dict[str, StandingWheel]:
    count: dict[str, int] = {}
    names = {}
    for wheel in wheels:
        count[wheel.side] = count.get(wheel.side, 0) + 1
        names[f"{wheel.side}.post{count[wheel.side]}"] = wheel
    return names


def _check_amplitude(model: Model, rig: Rig, wheels: list[StandingWheel]) -> None:
    """Refuse to shake a vehicle further than its wheels can go between the stops of their arms."""
    excitation = rig.excitation
    if not isinstance(excitation, Harmonic | Ramp):
        return
    travels = [travel for wheel in wheels if (travel := calc_travel(model, wheel)) is not None]
    if travels and excitation.amplitude > (least := min(map(sum, travels))):
        down, up = min(travels, key=sum)
        raise ModelError(
            f"rig.excitation.amplitude: is {excitation.amplitude:g} m, beyond the stops of the arms: between them a "
            f"wheel of {model.name!r} goes {down:.3f} m down and {up:.3f} m up; give at most {least:.3f} m"
        )


def _strip(model: Model, wheels: list[str]) -> dict[str, Any]:
    """Bodies, forces, shapes and contacts of a model without what has no place on a rig."""
    gone = (Tyre, Powertrain, Brake, Driver)
    contacts = {name: contact for name, contact in model.contacts.items() if contact.b != TERRAIN}
    shapes = {name: shape for name, shape in model.shapes.items() if shape.body not in wheels}
    present = {shape.group for shape in shapes.values()}
    return {
        "bodies": dict(model.bodies),
        "joints": dict(model.joints),
        "forces": {name: force for name, force in model.forces.items() if not isinstance(force, gone)},
        "shapes": shapes,
        "contacts": {name: contact for name, contact in contacts.items() if {contact.a, contact.b} <= present},
        "drivers": {},
    }


def _raise(body: Body, height: float) -> Body:
    x, y, z = body.position
    return body.model_copy(
        update={"position": (x, y, z + height), "velocity": (0.0,) * 3, "angular_velocity": (0.0,) * 3}
    )


def _find_flat(pans: Pans, names: dict[str, StandingWheel]) -> set[str]:
    """Posts with flat pans."""
    rows = [[name for name, wheel in names.items() if wheel.side == side] for side in ("left", "right")]
    longest = max(map(len, rows))
    if pans.flat is None:
        return {row[i] for row in rows if len(row) >= 5 for i in (1, len(row) - 2)}
    for i, number in enumerate(pans.flat):
        if number > longest:
            raise ModelError(f"rig.pans.flat[{i}]: is {number}, but a side of the vehicle has {longest} wheels")
    return {row[number - 1] for row in rows for number in pans.flat if number <= len(row)}


def _add_post(
    fields: dict[str, Any], name: str, wheel: StandingWheel, drop: float, rig: Rig, stops: PanStops | None
) -> None:
    pans, body = rig.pans, f"{name}.pan"
    x, y = float(wheel.centre[0]), float(wheel.centre[1])
    z = float(wheel.centre[2]) + drop - wheel.radius
    width = wheel.width + 0.3 if pans.width is None else pans.width
    length = 2.2 * wheel.radius if pans.length is None else pans.length
    if stops is not None:
        length = 2.0 * _find_stop(wheel.radius, stops)
    mass = rig.post_mass
    inertia = (mass * width**2 / 12.0, mass * length**2 / 12.0, mass * (width**2 + length**2) / 12.0)
    fields["bodies"][body] = Body(mass=mass, inertia=inertia, position=(x, y, z))
    fields["joints"][f"{name}.slide"] = Joint(
        type="prismatic", frame_a=Frame(body=WORLD, position=(x, y, z)), frame_b=Frame(body=body)
    )
    for shape_name, shape in wheel.shapes.items():
        fields["shapes"][shape_name] = shape.model_copy(update={"group": f"{name}.wheel"})
    fields["shapes"][body] = Plate(body=body, group=f"{name}.floor", length=length, width=width)
    law = pans.contact if wheel.law is None else wheel.law
    fields["contacts"][f"{name}.on_pan"] = Contact(a=f"{name}.wheel", b=f"{name}.floor", **dict(law))
    if wheel.axle and pans.rolling > 0.0:
        fields["forces"][f"{name}.rolling"] = JointSpring(
            joint=wheel.axle,
            coordinate="rotation",
            friction=pans.rolling * wheel.load * wheel.radius,
            friction_velocity=ROLLING,
        )
    on_stops = on_rails = ""
    if stops is not None:
        on_stops = _add_stops(fields, name, wheel, stops, width)
        on_rails = "" if stops.side is None else _add_rails(fields, name, wheel, stops, length)
    fields["posts"][name] = Post(
        pan=body,
        motion=f"{name}.drive",
        wheel=wheel.body,
        arm=wheel.arm,
        on_pan=f"{name}.on_pan",
        on_stops=on_stops,
        on_rails=on_rails,
    )


def _find_stop(radius: float, stops: PanStops) -> float:
    """Distance of a stop's axis from the middle of the pan [m]: wheel and stop stand on the floor and touch when their
    centres are radius + r apart, that is 2 sqrt(radius r) along the floor."""
    return stops.clearance + 2.0 * sqrt(radius * stops.radius)


def _add_stops(fields: dict[str, Any], name: str, wheel: StandingWheel, stops: PanStops, width: float) -> str:
    place, r = _find_stop(wheel.radius, stops), stops.radius
    for end, middle in (("front", place), ("back", -place)):
        angles = [pi * (1.0 - k / ARC) for k in range(ARC + 1)]
        # corners lie outside of the circle, so that as much is outside of it as inside
        reach = 2.0 * r / (1.0 + cos(0.5 * pi / ARC))
        points = [(middle + reach * cos(a), r + reach * sin(a)) for a in angles]
        fields["shapes"][f"{name}.stop_{end}"] = Rail(
            body=f"{name}.pan", group=f"{name}.stops", points=points, width=width
        )
    fields["contacts"][f"{name}.on_stops"] = Contact(a=f"{name}.wheel", b=f"{name}.stops", **dict(stops.contact))
    return f"{name}.on_stops"


def _add_rails(fields: dict[str, Any], name: str, wheel: StandingWheel, stops: PanStops, length: float) -> str:
    """Rails as walls beside the wheel: a ball in its middle, as wide as the wheel, touches them whatever its height."""
    assert stops.side is not None
    ball = Sphere(body=wheel.body, group=f"{name}.hub", radius=0.5 * wheel.width)
    fields["shapes"][f"{name}.hub"] = ball
    beside = 0.5 * wheel.width + stops.side
    for side, y, axes in (("left", beside, RIGHTWARD), ("right", -beside, LEFTWARD)):
        fields["shapes"][f"{name}.rail_{side}"] = Plate(
            body=f"{name}.pan",
            group=f"{name}.rails",
            position=(0.0, y, wheel.radius),
            orientation=axes,
            length=length,
            width=2.0 * wheel.radius,
        )
    fields["contacts"][f"{name}.on_rails"] = Contact(a=f"{name}.hub", b=f"{name}.rails", **dict(stops.contact))
    return f"{name}.on_rails"


def _add_harness(fields: dict[str, Any], model: Model, rig: Rig, wheels: list[StandingWheel], drop: float) -> None:
    """Straps as springs that pull from their slack on, and never push."""
    harness = rig.harness
    assert harness is not None
    if not model.main_body:
        raise ModelError(f"rig.harness: {model.name!r} names no main_body to hold")
    main = model.bodies[model.main_body]
    points = harness.points or [
        tuple((wheel.centre - main.position + [0.0, 0.0, 1.0]).tolist()) for wheel in _find_corners(wheels)
    ]
    for i, point in enumerate(points, 1):
        x, y, z = (float(value) for value in np.array(main.position) + point)
        fields["forces"][f"harness.strap{i}"] = Spring(
            frame_a=Frame(body=WORLD, position=(x, y, z + drop + harness.length)),
            frame_b=Frame(body=model.main_body, position=point),
            stiffness=[(harness.slack - 1.0, 0.0), (harness.slack, 0.0), (harness.slack + 1.0, harness.stiffness)],
        )


def _find_corners(wheels: list[StandingWheel]) -> list[StandingWheel]:
    """The front and the rear wheel of each side."""
    rows = [[wheel for wheel in wheels if wheel.side == side] for side in ("left", "right")]
    return [wheel for row in rows if row for wheel in ([row[0], row[-1]] if len(row) > 1 else row)]
