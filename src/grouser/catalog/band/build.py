"""From the template of a vehicle on a flexible band to a model.

The band is laid as a polygon: links lie flat on the base circles of sprocket and idler, their pins in the middle of the
gaps of the sprocket, and straight between the wheels. It is put on with its strain, as narrow as it then is. Each link
carries a plate on its inner face, on which wheels roll, and pads on its outer face, both on the frame in its middle,
and a pin at its first end.

Laws of contact are per area. Points on the ground have their area; a wheel is taken to press on `footprint` times the
width of the band.
"""

from __future__ import annotations

import numpy as np

from grouser.catalog.band.spec import BandLaw, BandVehicle, find_corners
from grouser.catalog.placement import place_on_terrain
from grouser.model.base import Vec3
from grouser.model.builder import ModelBuilder
from grouser.model.contact import TERRAIN
from grouser.model.model import Model
from grouser.model.rotation import matrix_to_quaternion
from grouser.model.terrain import Plane, Terrain

CHASSIS, SPROCKET, IDLER, BAND, DRIVE = "chassis", "sprocket", "idler", "band", "drive"
"""Names of the bodies, of the mesh, and of the motion."""
DISCS = 0.3
"""Places of the discs of wheels, as a share of the width of the band beside its middle."""
PADS = 0.375
"""Places of pads, likewise."""
DEEPEST = 2.0
"""Depth beyond which a wheel is behind the band, over its thickness."""

Array = np.ndarray


def make_band_vehicle(spec: BandVehicle, terrain: Terrain | None = None) -> Model:
    """Model of a vehicle on a band that stands on its terrain, by default the plane z = 0."""
    builder = ModelBuilder(spec.name, description=spec.description)
    corners = np.array(find_corners(spec))
    _add_wheels(builder, spec, float(corners[:, 2].mean()))
    _add_band(builder, spec, corners)
    _add_contacts(builder, spec)
    model = builder.build().with_changes(main_body=CHASSIS)
    return place_on_terrain(model, Plane() if terrain is None else terrain)


def _add_wheels(builder: ModelBuilder, spec: BandVehicle, height: float) -> None:
    ahead, sprocket = spec.run * spec.pitch, spec.sprocket
    place, over = spec.chassis.place
    builder.add_body(CHASSIS, spec.chassis.mass, spec.chassis.inertia, position=(place * ahead, 0.0, height + over))
    low = height - sprocket.radius
    wheels = {SPROCKET: (sprocket, 0.0, height, sprocket.radius), IDLER: (spec.idler, ahead, height, sprocket.radius)}
    for i, roller in enumerate(spec.rollers, start=1):
        wheels[f"roller{i}"] = (roller, roller.place * ahead, low + roller.radius, roller.radius)
    discs = [-DISCS * spec.band.width, DISCS * spec.band.width]
    for name, (wheel, x, z, radius) in wheels.items():
        builder.add_body(name, wheel.mass, wheel.inertia, position=(x, 0.0, z))
        builder.add_joint(f"{name}_axle", "revolute", CHASSIS, name, point=(x, 0.0, z), axis=(0.0, 1.0, 0.0))
        builder.add_shape(f"{name}_rim", "wheel", name, group="rims", radius=radius, planes=discs)
    builder.add_motion(DRIVE, f"{SPROCKET}_axle", speed=spec.drive)
    builder.add_shape(
        "teeth", "sprocket", SPROCKET, group="teeth", reference=(0.0, 0.0, 1.0), teeth=sprocket.teeth,
        arc_radius=(1.0 + sprocket.backlash) * sprocket.pin_radius, arc_centre_radius=spec.pin_circle,
        addendum_radius=spec.pin_circle, width=spec.band.width,
    )  # fmt: skip


def _add_band(builder: ModelBuilder, spec: BandVehicle, corners: Array) -> None:
    band = spec.band
    builder.add_mesh(
        BAND, "ring", points=[_point(corner) for corner in corners], element="ancf_beam", integration=band.integration,
        section={"rectangle": (band.thickness, band.width)}, pins={"corners": "z"} if band.pins else {},
        pre_strain=1.0 / (1.0 + band.strain) - 1.0, material=band.material,
    )  # fmt: skip
    across = np.array([0.0, PADS * band.width, 0.0])
    for i, (first, second) in enumerate(zip(corners, np.roll(corners, -1, axis=0), strict=True)):
        length = float(np.linalg.norm(second - first))
        along = (second - first) / length
        outward = np.array([-along[2], 0.0, along[0]])
        face = np.column_stack([along, np.cross(-outward, along), -outward])
        builder.add_shape(
            f"face{i}", "plate", BAND, group="faces", at=_point(0.5 * (first + second)),
            position=_point(-0.5 * band.thickness * outward), orientation=_point(matrix_to_quaternion(face)),
            length=length, width=band.width,
        )  # fmt: skip
        builder.add_shape(
            f"pin{i}", "pin", BAND, group="pins", at=_point(first), positions=[(0.0, 0.0, 0.0)],
            radius=spec.sprocket.pin_radius,
        )  # fmt: skip
        outside = 0.5 * band.thickness * outward
        shares = (np.arange(band.pads) + 0.5) / band.pads - 0.5
        pads = [outside + share * (second - first) + side for share in shares for side in (-across, across)]
        builder.add_shape(
            f"pad{i}", "points", BAND, group="pads", at=_point(0.5 * (first + second)),
            positions=[_point(pad) for pad in pads], area=0.5 * length * band.width / band.pads,
        )  # fmt: skip


def _add_contacts(builder: ModelBuilder, spec: BandVehicle) -> None:
    builder.set_terrain(Plane())
    wheel, ground = spec.wheel_contact, spec.ground_contact
    area = spec.footprint * spec.band.width
    pressed = {"stiffness": area * wheel.stiffness, "damping": area * wheel.damping}
    depth = DEEPEST * spec.band.thickness
    builder.add_contact("rolling", "rims", "faces", **pressed, depth_limit=depth, friction=_make_friction(wheel))
    builder.add_contact("engagement", "teeth", "pins", **pressed, depth_limit=depth)
    builder.add_contact(
        "ground", "pads", TERRAIN, stiffness=ground.stiffness, damping=ground.damping, per="area",
        friction=_make_friction(ground),
    )  # fmt: skip


def _make_friction(law: BandLaw) -> dict[str, object]:
    return {"model": "trilinear", "mu": law.mu, "velocity": law.velocity}


def _point(values: Array) -> Vec3:
    return tuple(float(value) for value in values)  # type: ignore[return-value]
