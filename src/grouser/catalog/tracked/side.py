"""Bodies, joints, forces and shapes of one side of a tracked vehicle.

All bodies but the links start with the vehicle's axes. Joint axes point to +y (left) on both sides: a positive angle of
an axle is rolling forward, a positive angle of a trailing arm is its wheel going up. The tensioner's slide points
along the push, and its coordinate is the shift of the idler from its given centre.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import atan2, cos, sin, sqrt

from grouser.catalog.tracked.inertia import calc_arm_inertia, mirror_inertia
from grouser.catalog.tracked.parts import ContactLaw, ContactLaws, RoadArms, TrackWheel
from grouser.catalog.tracked.routing import Route
from grouser.catalog.tracked.spec import Side, TrackSide
from grouser.catalog.tracked.statics import calc_static_preload
from grouser.families.coordinate_force.motion import Motion
from grouser.families.coordinate_force.spec import Stops
from grouser.families.joint.spec import Joint, JointType
from grouser.model.base import Quaternion, Signal, Vec3
from grouser.model.body import Body, Frame, Moments
from grouser.model.contact import TERRAIN, Contact, Horn, Pin, Plate, Points, Shape, Sprocket, Wheel
from grouser.model.force import Force, JointSpring, Spring
from grouser.model.model import Track
from grouser.presets import TRACK_PINS

CHASSIS = "chassis"

ALONG_Y: Quaternion = (sqrt(0.5), -sqrt(0.5), 0.0, 0.0)
"""Frame whose z axis points to +y."""


@dataclass
class Elements:
    """Elements of a model while they are being collected."""

    bodies: dict[str, Body] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    forces: dict[str, Force] = field(default_factory=dict)
    motions: dict[str, Motion] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    contacts: dict[str, Contact] = field(default_factory=dict)
    tracks: dict[str, Track] = field(default_factory=dict)


class SideMaker:
    """Adds one side to the elements of a vehicle.

    Parameters
    ----------
    loads : load of each axle for static preloads, front to rear [N]; None without suspension
    """

    def __init__(self, elements: Elements, name: Side, side: TrackSide, route: Route, loads: Sequence[float] | None):
        self.elements, self.name, self.side, self.route, self.loads = elements, name, side, route, loads
        self.outward = 1.0 if name == "left" else -1.0
        self.y = self.outward * side.track_y

    def add(self, drive: Signal, laws: ContactLaws) -> None:
        """Add everything."""
        self._add_sprocket(drive)
        self._add_idler()
        for i in range(len(self.side.road_wheels.centres)):
            self._add_road_wheel(i)
        self._add_rollers()
        self._add_links()
        self._add_contacts(laws)

    def _flip(self, vector: Vec3) -> Vec3:
        """A vector of the left side, on this side."""
        return vector[0], self.outward * vector[1], vector[2]

    def _add_body(self, name: str, mass: float, inertia: Moments, position: Vec3, com: Vec3) -> str:
        full = f"{self.name}.{name}"
        turned = inertia if self.outward > 0.0 else mirror_inertia(inertia)
        self.elements.bodies[full] = Body(mass=mass, inertia=turned, position=position, com=com)
        return full

    def _add_joint(
        self, name: str, kind: JointType, a: str, p_a: Vec3, b: str, p_b: Vec3, axes: Quaternion = ALONG_Y
    ) -> str:
        full = f"{self.name}.{name}"
        frame_a = Frame(body=a, position=p_a, orientation=axes)
        frame_b = Frame(body=b, position=p_b, orientation=axes)
        self.elements.joints[full] = Joint(type=kind, frame_a=frame_a, frame_b=frame_b)
        return full

    def _add_wheel(self, name: str, wheel: TrackWheel, centre: tuple[float, float], carrier: str, p: Vec3) -> str:
        """A wheel that turns on the point p of a carrier."""
        body = self._add_body(name, wheel.mass, wheel.inertia, (centre[0], self.y, centre[1]), (0.0, 0.0, 0.0))
        self._add_joint(f"{name}.axle", "revolute", carrier, p, body, (0.0, 0.0, 0.0))
        self.elements.shapes[f"{body}.rim"] = Wheel(
            body=body,
            group=f"{self.name}.{name.rstrip('0123456789')}s",
            radius=wheel.radius,
            planes=[-wheel.disc_place, wheel.disc_place],
            groove=wheel.gap / 2.0 if wheel.gap > 0.0 else None,
        )
        return body

    def _add_sprocket(self, drive: Signal) -> None:
        sprocket, horn, (x, z) = self.side.sprocket, self.side.links.horn, self.side.sprocket.centre
        body = self._add_body("sprocket", sprocket.mass, sprocket.inertia, (x, self.y, z), (0.0, 0.0, 0.0))
        axle = self._add_joint("sprocket.axle", "revolute", CHASSIS, (x, self.y, z), body, (0.0, 0.0, 0.0))
        self.elements.motions[f"{self.name}.drive"] = Motion(
            joint=axle, coordinate="rotation", quantity="speed", value=drive
        )
        angle = self.route.sprocket_angle
        self.elements.shapes[f"{body}.teeth"] = Sprocket(
            body=body,
            group=f"{self.name}.sprockets",
            reference=(cos(angle), 0.0, sin(angle)),
            teeth=sprocket.teeth,
            arc_radius=sprocket.arc_radius,
            arc_centre_radius=sprocket.arc_centre_radius,
            addendum_radius=sprocket.addendum_radius,
            planes=[self.outward * ring for ring in sprocket.rings],
            width=sprocket.ring_width,
            groove=0.5 * horn.width + sprocket.lateral_backlash if horn else None,
        )

    def _add_idler(self) -> None:
        idler, shift = self.side.idler, self.route.idler_shift
        carrier, tensioner, (axis_x, axis_z) = idler.carrier, idler.tensioner, self.side.find_tensioner_axis()
        x, z = idler.centre[0] + shift * axis_x, idler.centre[1] + shift * axis_z
        body = self._add_body("tensioner", carrier.mass, carrier.inertia, (x, self.y, z), self._flip(carrier.com))
        turn = atan2(axis_x, axis_z)
        slide = self._add_joint(
            "tensioner.slide",
            "prismatic",
            CHASSIS,
            (idler.centre[0], self.y, idler.centre[1]),
            body,
            (0.0, 0.0, 0.0),
            (cos(turn / 2.0), 0.0, sin(turn / 2.0), 0.0),
        )
        self._add_wheel("idler", idler, (x, z), body, (0.0, 0.0, 0.0))
        self.elements.forces[f"{self.name}.tension"] = JointSpring(
            joint=slide,
            coordinate="translation",
            stiffness=tensioner.stiffness,
            damping=tensioner.damping,
            free=shift,
            preload=tensioner.force,
            stops=Stops(
                lower=max(-tensioner.recoil, tensioner.travel[0] - shift),
                upper=tensioner.travel[1] - shift,
                stiffness=tensioner.stop_stiffness,
                damping=tensioner.stop_damping,
            ),
        )

    def _add_road_wheel(self, i: int) -> None:
        wheels, arms = self.side.road_wheels, self.side.arms
        x, z = wheels.centres[i]
        carrier, axle = CHASSIS, (x, self.y, z)
        if arms is not None and self.loads is not None:
            carrier, axle = self._add_arm(i, arms, self.loads[i]), self._flip(_subtract((0.0, 0.0, 0.0), arms.pivot))
        self._add_wheel(f"wheel{i + 1}", wheels, (x, z), carrier, axle)

    def _add_arm(self, i: int, arms: RoadArms, load: float) -> str:
        x, z = self.side.road_wheels.centres[i]
        dx, dy, dz = self._flip(arms.pivot)
        pivot = (x + dx, self.y + dy, z + dz)
        com = self._flip(_subtract(arms.com, arms.pivot))
        body = self._add_body(f"arm{i + 1}", arms.mass, calc_arm_inertia(arms), pivot, com)
        joint = self._add_joint(f"arm{i + 1}.pivot", "revolute", CHASSIS, pivot, body, (0.0, 0.0, 0.0))
        bar, stops = arms.torsion_bar, None
        if bar.stops:
            # a trailing arm's wheel rises with the angle, a leading arm's wheel sinks
            rise = (-bar.stops.rebound, bar.stops.bump)
            lower, upper = rise if arms.pivot[0] > 0.0 else (-rise[1], -rise[0])
            stops = Stops(lower=lower, upper=upper, stiffness=bar.stops.stiffness, damping=bar.stops.damping)
        self.elements.forces[f"{self.name}.torsion{i + 1}"] = JointSpring(
            joint=joint,
            coordinate="rotation",
            stiffness=bar.stiffness,
            damping=bar.damping,
            free=0.0,
            preload=calc_static_preload(arms, load) if isinstance(bar.preload, str) else bar.preload,
            friction=bar.friction,
            stops=stops,
        )
        self._add_shock(i, arms, body)
        return body

    def _add_shock(self, i: int, arms: RoadArms, arm: str) -> None:
        shocks = self.side.shocks
        if shocks is None or i + 1 not in shocks.stations:
            return
        x, z = self.side.road_wheels.centres[i]
        dx, dy, dz = self._flip(shocks.chassis_point)
        self.elements.forces[f"{self.name}.shock{i + 1}"] = Spring(
            frame_a=Frame(body=CHASSIS, position=(x + dx, self.y + dy, z + dz)),
            frame_b=Frame(body=arm, position=self._flip(_subtract(shocks.arm_point, arms.pivot))),
            stiffness=shocks.stiffness,
            damping=shocks.damping,
            preload=shocks.preload,
        )

    def _add_rollers(self) -> None:
        rollers = self.side.rollers
        if rollers is None:
            return
        for i, (x, z) in enumerate(rollers.centres):
            self._add_wheel(f"roller{i + 1}", rollers, (x, z), CHASSIS, (x, self.y, z))

    def _add_links(self) -> None:
        links, count, elements = self.side.links, self.side.links.count, self.elements
        names = [f"{self.name}.link{i + 1}" for i in range(count)]
        pins = [f"{self.name}.pin{i + 1}" for i in range(count)]
        inertia = links.inertia if self.outward > 0.0 else mirror_inertia(links.inertia)
        half = 0.5 * links.pitch
        for i, ((x, z), angle) in enumerate(zip(self.route.centres.tolist(), self.route.angles.tolist(), strict=True)):
            elements.bodies[names[i]] = Body(
                mass=links.mass,
                inertia=inertia,
                com=self._flip(links.com),
                position=(x, self.y, z),
                # the angle is counted from x towards z, which is about -y
                orientation=(cos(angle / 2.0), 0.0, -sin(angle / 2.0), 0.0),
            )
            self._add_link_shapes(names[i])
            elements.joints[pins[i]] = Joint(
                type="revolute",
                frame_a=Frame(body=names[i], position=(half, 0.0, 0.0), orientation=ALONG_Y),
                frame_b=Frame(body=names[(i + 1) % count], position=(-half, 0.0, 0.0), orientation=ALONG_Y),
                group=TRACK_PINS,
            )
        elements.tracks[self.name] = Track(
            links=names,
            pins=pins,
            sprocket=f"{self.name}.sprocket",
            idler=f"{self.name}.idler",
            wheels=[f"{self.name}.wheel{i + 1}" for i in range(len(self.side.road_wheels.centres))],
            drive=f"{self.name}.drive",
            pitch=links.pitch,
            teeth=self.side.sprocket.teeth,
        )

    def _add_link_shapes(self, link: str) -> None:
        links, shapes = self.side.links, self.elements.shapes
        x, y, z = links.pad.length / 2.0, links.pad.width / 2.0, -links.pad.depth
        shapes[f"{link}.pad"] = Points(
            body=link,
            group=f"{self.name}.pads",
            positions=[(x, y, z), (x, -y, z), (-x, y, z), (-x, -y, z)],
            area=links.pad.length * links.pad.width / 4.0,
        )
        surface = links.surface
        shapes[f"{link}.surface"] = Plate(
            body=link,
            group=f"{self.name}.surfaces",
            position=(0.0, 0.0, surface.height),
            length=surface.length,
            width=surface.width,
        )
        lateral = self.side.sprocket.rings if links.pins.lateral is None else links.pins.lateral
        shapes[f"{link}.pins"] = Pin(
            body=link,
            group=f"{self.name}.pins",
            positions=[(x, self.outward * y, z) for x, z in links.pins.positions for y in lateral],
            radius=links.pins.radius,
        )
        if links.horn:
            shapes[f"{link}.horn"] = Horn(
                body=link,
                group=f"{self.name}.horns",
                position=(links.horn.x, 0.0, 0.5 * (surface.height + links.horn.tip)),
                half_width=links.horn.width / 2.0,
            )

    def _add_contacts(self, laws: ContactLaws) -> None:
        side = self.side
        self._add_contact("sprocket_track", "pins", "sprockets", laws.sprocket_track)
        self._add_contact("wheel_track", "surfaces", "wheels", laws.roller_track)
        self._add_contact("idler_track", "surfaces", "idlers", laws.roller_track)
        if side.rollers:
            self._add_contact("roller_track", "surfaces", "rollers", laws.roller_track)
        self._add_contact("ground", "pads", TERRAIN, laws.ground_track)
        if side.links.horn is None:
            return
        if side.road_wheels.gap > 0.0:
            self._add_contact("guide", "horns", "wheels", laws.guide)
        if side.idler.gap > 0.0:
            self._add_contact("idler_guide", "horns", "idlers", laws.guide)
        if side.rollers and side.rollers.gap > 0.0:
            self._add_contact("roller_guide", "horns", "rollers", laws.guide)
        self._add_contact("sprocket_guide", "horns", "sprockets", laws.guide)

    def _add_contact(self, name: str, a: str, b: str, law: ContactLaw) -> None:
        other = b if b == TERRAIN else f"{self.name}.{b}"
        self.elements.contacts[f"{self.name}.{name}"] = Contact(a=f"{self.name}.{a}", b=other, **dict(law))


def _subtract(a: Vec3, b: Vec3) -> Vec3:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]
