"""From the template of a vehicle without tracks to a model, and from a tracked vehicle to one without tracks."""

from __future__ import annotations

from typing import Any

from grouser.catalog.placement import place_on_terrain
from grouser.catalog.tracked.build import add_belly, make_chassis_lump
from grouser.catalog.tracked.gear import CHASSIS, Elements, GearMaker
from grouser.catalog.tracked.inertia import Lump, join_lumps, mirror_inertia
from grouser.catalog.tracked.parts import SIDES, Side, TrackWheel
from grouser.catalog.tracked.spec import TrackedVehicle, TrackSide
from grouser.catalog.tracked.statics import PointMass, list_arms, spread_weight
from grouser.catalog.trackless.spec import TracklessVehicle, WheelSide
from grouser.model.body import Body
from grouser.model.contact import TERRAIN, Contact
from grouser.model.model import Model
from grouser.model.terrain import Plane, Terrain


def make_trackless_vehicle(spec: TracklessVehicle, terrain: Terrain | None = None) -> Model:
    """Model of a vehicle that stands on its road wheels, by default on the plane z = 0."""
    sides = {name: spec.make_side(name) for name in SIDES}
    loads = _calc_loads(spec, sides)
    elements = Elements()
    chassis = spec.chassis
    elements.bodies[CHASSIS] = Body(mass=chassis.mass, com=chassis.com, inertia=chassis.inertia)
    for name, side in sides.items():
        maker = GearMaker(elements, name, side, loads[name])
        for i in range(len(side.road_wheels.centres)):
            maker.add_road_wheel(i)
        elements.contacts[f"{name}.ground"] = Contact(a=f"{name}.wheels", b=TERRAIN, **dict(spec.ground))
    add_belly(elements, chassis.belly, spec.ground)
    facts: dict[str, Any] = {"name": spec.name, "description": spec.description, "main_body": CHASSIS}
    model = Model(terrain=Plane(), **facts, **vars(elements))
    return place_on_terrain(model, Plane() if terrain is None else terrain)


def take_off_tracks(vehicle: TrackedVehicle) -> TracklessVehicle:
    """A tracked vehicle whose tracks are off: sprockets, idlers and return rollers stay, and stand still in the hull.

    Without suspension the arms are part of the hull too.
    """
    sides = {name: vehicle.make_side(name) for name in SIDES}
    lumps = [make_chassis_lump(vehicle, sides)]
    for name, side in sides.items():
        lumps += _list_still(side, 1.0 if name == "left" else -1.0)
    hull = join_lumps(lumps)
    left, right = (_keep_wheels(side, suspension=vehicle.suspension) for side in sides.values())
    return TracklessVehicle(
        name=vehicle.name,
        description=vehicle.description,
        chassis=vehicle.chassis.model_copy(update={"mass": hull.mass, "com": hull.com, "inertia": hull.inertia}),
        ground=vehicle.contact.roller_track,
        right={} if left == right else right,
        **left,
    )


def _keep_wheels(side: TrackSide, *, suspension: bool) -> dict[str, Any]:
    kept = {name: getattr(side, name) for name in WheelSide.model_fields}
    if not suspension:
        kept |= {"arms": None, "shocks": None}
    return WheelSide(**kept).model_dump()


def _list_still(side: TrackSide, outward: float) -> list[Lump]:
    """Sprocket, idler with its slide, and return rollers of a side as parts of the hull."""
    y, idler, carrier = outward * side.track_y, side.idler, side.idler.carrier
    wheels: list[tuple[TrackWheel, tuple[float, float]]] = [(idler, idler.centre)]
    wheels += [(side.rollers, centre) for centre in side.rollers.centres] if side.rollers else []
    lumps = [Lump(wheel.mass, (x, y, z), wheel.inertia) for wheel, (x, z) in wheels]
    lumps.append(Lump(side.sprocket.mass, (side.sprocket.centre[0], y, side.sprocket.centre[1]), side.sprocket.inertia))
    dx, dy, dz = carrier.com
    lumps.append(Lump(carrier.mass, (idler.centre[0] + dx, y + outward * dy, idler.centre[1] + dz), carrier.inertia))
    if outward > 0.0:
        return lumps
    return [Lump(lump.mass, lump.com, mirror_inertia(lump.inertia)) for lump in lumps]


def _calc_loads(spec: TracklessVehicle, sides: dict[Side, WheelSide]) -> dict[Side, list[float] | None]:
    """Load of each arm's axle, needed only where a preload is static; None where a side has no arms."""
    masses, axles = [PointMass(spec.chassis.mass, *spec.chassis.com[:2])], []
    for name, side in sides.items():
        outward = 1.0 if name == "left" else -1.0
        masses += list_arms(side.arms, side.road_wheels.centres, outward * side.track_y, outward)
        axles += [(x, outward * side.track_y) for x, _ in side.road_wheels.centres]
    is_static = any(side.arms is not None and side.arms.torsion_bar.preload == "static" for side in sides.values())
    spread = spread_weight(masses, axles).tolist() if is_static else [0.0] * len(axles)
    split = len(sides["left"].road_wheels.centres)
    shares: dict[Side, list[float]] = {"left": spread[:split], "right": spread[split:]}
    return {name: None if sides[name].arms is None else shares[name] for name in SIDES}
